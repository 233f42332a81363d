// SPDX-License-Identifier: GPL-2.0-only
/*
 * The timeline in the page of `vmmprof report --html`: of each slot of a vCPU
 * how much of it was which state, and who took what was stolen.
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "view/html.h"
#include "view/json.h"
#include "view/steal.h"

/* Of a slot: on a CPU, halt, blocked, unknown, each thief, all others. */
#define STATES 4
#define PARTS  (STATES + SLOT_THIEVES + 1)

struct slot {
	__u32 part[PARTS]; /* thousandths of the slot */
	__u32 thief[SLOT_THIEVES];
};

static __u32 thousandth(const struct slots *s, __u64 ticks)
{
	return ((__uint128_t)ticks * 1000 * s->width + (s->to - s->from) / 2) /
	       (s->to - s->from);
}

static void slot_of(const struct slots *s, __u32 track, size_t slot,
		    struct slot *ret)
{
	static const enum vcpu_state states[STATES] = {
		STATE_ON_CPU, STATE_HALT, STATE_BLOCKED, STATE_UNKNOWN
	};
	size_t at = (size_t)track * s->width + slot;
	const struct slot_thieves *t = &s->thieves[at];
	const __u64 *ticks = s->ticks + at * NR_STATES;
	unsigned int i;

	memset(ret, 0, sizeof(*ret));
	for (i = 0; i < STATES; i++)
		ret->part[i] = thousandth(s, ticks[states[i]]);
	for (i = 0; i < SLOT_THIEVES; i++) {
		ret->part[STATES + i] = thousandth(s, t->ticks[i]);
		ret->thief[i] = t->thief[i];
	}
	ret->part[PARTS - 1] = thousandth(s, t->others);
}

/* [how many slots, on a CPU, halt, blocked, unknown, [thief, part]...] */
static void put_slot(struct json_out *j, const struct slot *s, size_t nr)
{
	unsigned int i;

	json_out_array(j, NULL);
	json_out_u64(j, NULL, nr);
	for (i = 0; i < STATES; i++)
		json_out_u64(j, NULL, s->part[i]);
	for (i = 0; i <= SLOT_THIEVES; i++) {
		if (!s->part[STATES + i])
			continue;
		if (i < SLOT_THIEVES)
			json_out_u64(j, NULL, s->thief[i]);
		else
			json_out_fixed(j, NULL, -1, 0);
		json_out_u64(j, NULL, s->part[STATES + i]);
	}
	json_out_array_end(j);
}

static void put_slots(const struct slots *s, struct json_out *j, __u32 track)
{
	struct slot slot, next;
	size_t i, nr;

	json_out_array(j, "slots");
	for (i = 0; track < s->nr && i < s->width; i += nr) {
		slot_of(s, track, i, &slot);
		for (nr = 1; i + nr < s->width; nr++) {
			slot_of(s, track, i + nr, &next);
			if (memcmp(&slot, &next, sizeof(slot)))
				break;
		}
		put_slot(j, &slot, nr);
	}
	json_out_array_end(j);
}

static void put_tracks(const struct slots *s, struct json_out *j)
{
	const struct track *t;
	__u32 i;

	json_out_array(j, "vcpus");
	for (i = 0; i < s->tl->nr; i++) {
		t = s->tl->tracks[i];
		json_out_object(j, NULL);
		json_out_u64(j, "vm", 1 + t->guest);
		json_out_fixed(j, "vcpu",
			       t->vcpu_id == VMMPROF_NONE ? -1 :
							    (double)t->vcpu_id,
			       0);
		json_out_u64(j, "tid", t->tid);
		put_slots(s, j, i);
		json_out_object_end(j);
	}
	json_out_array_end(j);
}

/* All, by number: name, and ticks it took from all vCPUs. */
static int put_thieves(const struct slots *s, struct json_out *j)
{
	const struct steal names = { .tl = s->tl, .exact = true };
	const struct thieves *cs = &s->tl->thieves;
	__u64 *ticks = calloc(cs->nr + 1, sizeof(*ticks));
	char name[512];
	size_t i;

	json_out_array(j, "thieves");
	for (i = 0; ticks && i < cs->nr_stolen; i++)
		sat_sum(&ticks[cs->stolen[i].thief],
			stolen_ticks(&cs->stolen[i]));
	for (i = 0; ticks && i < cs->nr; i++) {
		steal_thief(&names, i, VMMPROF_NONE, name, sizeof(name));
		json_out_array(j, NULL);
		json_out_string(j, NULL, name);
		json_out_u64(j, NULL, ticks[i]);
		json_out_array_end(j);
	}
	json_out_array_end(j);
	if (!ticks)
		return -ENOMEM;
	free(ticks);
	return 0;
}

int html_timeline(const struct slots *s, struct json_out *j, const char *key)
{
	int err;

	json_out_object(j, key);
	json_out_u64(j, "khz", s->tl->khz);
	json_out_u64(j, "ticks", s->to - s->from);
	json_out_u64(j, "width", s->width);
	err = put_thieves(s, j);
	put_tracks(s, j);
	json_out_object_end(j);
	return err;
}
