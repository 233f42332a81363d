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
#define PARTS  (STATES + VMMPROF_SLOT_THIEVES + 1)

struct slot {
	__u32 part[PARTS]; /* thousandths of the slot */
	__u32 culprit[VMMPROF_SLOT_THIEVES];
};

static __u32 thousandth(const struct vmmprof_slots *s, __u64 ticks)
{
	return ((__uint128_t)ticks * 1000 * s->width + (s->to - s->from) / 2) /
	       (s->to - s->from);
}

static void slot_of(const struct vmmprof_slots *s, __u32 track, size_t slot,
		    struct slot *ret)
{
	static const enum vmmprof_state states[STATES] = { VMMPROF_ST_ON_CPU,
							   VMMPROF_ST_HALT,
							   VMMPROF_ST_BLOCKED,
							   VMMPROF_ST_UNKNOWN };
	size_t at = (size_t)track * s->width + slot;
	const struct vmmprof_slot_thieves *t = &s->thieves[at];
	const __u64 *ticks = s->ticks + at * VMMPROF_NR_STATES;
	unsigned int i;

	memset(ret, 0, sizeof(*ret));
	for (i = 0; i < STATES; i++)
		ret->part[i] = thousandth(s, ticks[states[i]]);
	for (i = 0; i < VMMPROF_SLOT_THIEVES; i++) {
		ret->part[STATES + i] = thousandth(s, t->ticks[i]);
		ret->culprit[i] = t->culprit[i];
	}
	ret->part[PARTS - 1] = thousandth(s, t->others);
}

/* [how many slots, on a CPU, halt, blocked, unknown, [thief, part]...] */
static void put_slot(struct vmmprof_json *j, const struct slot *s, size_t nr)
{
	unsigned int i;

	vmmprof_json_array(j, NULL);
	vmmprof_json_u64(j, NULL, nr);
	for (i = 0; i < STATES; i++)
		vmmprof_json_u64(j, NULL, s->part[i]);
	for (i = 0; i <= VMMPROF_SLOT_THIEVES; i++) {
		if (!s->part[STATES + i])
			continue;
		if (i < VMMPROF_SLOT_THIEVES)
			vmmprof_json_u64(j, NULL, s->culprit[i]);
		else
			vmmprof_json_fixed(j, NULL, -1, 0);
		vmmprof_json_u64(j, NULL, s->part[STATES + i]);
	}
	vmmprof_json_array_end(j);
}

static void put_slots(const struct vmmprof_slots *s, struct vmmprof_json *j,
		      __u32 track)
{
	struct slot slot, next;
	size_t i, nr;

	vmmprof_json_array(j, "slots");
	for (i = 0; track < s->nr && i < s->width; i += nr) {
		slot_of(s, track, i, &slot);
		for (nr = 1; i + nr < s->width; nr++) {
			slot_of(s, track, i + nr, &next);
			if (memcmp(&slot, &next, sizeof(slot)))
				break;
		}
		put_slot(j, &slot, nr);
	}
	vmmprof_json_array_end(j);
}

static void put_tracks(const struct vmmprof_slots *s, struct vmmprof_json *j)
{
	const struct vmmprof_track *t;
	__u32 i;

	vmmprof_json_array(j, "vcpus");
	for (i = 0; i < s->tl->nr; i++) {
		t = s->tl->tracks[i];
		vmmprof_json_object(j, NULL);
		vmmprof_json_u64(j, "vm", 1 + t->guest);
		vmmprof_json_fixed(
			j, "vcpu",
			t->vcpu_id == VMMPROF_NONE ? -1 : (double)t->vcpu_id,
			0);
		vmmprof_json_u64(j, "tid", t->tid);
		put_slots(s, j, i);
		vmmprof_json_object_end(j);
	}
	vmmprof_json_array_end(j);
}

/* All, by number: name, and ticks it took from all vCPUs. */
static int put_culprits(const struct vmmprof_slots *s, struct vmmprof_json *j)
{
	const struct vmmprof_steal names = { .tl = s->tl, .exact = true };
	const struct vmmprof_culprits *cs = &s->tl->culprits;
	__u64 *ticks = calloc(cs->nr + 1, sizeof(*ticks));
	char name[512];
	size_t i;

	vmmprof_json_array(j, "culprits");
	for (i = 0; ticks && i < cs->nr_thefts; i++)
		vmmprof_sum(&ticks[cs->thefts[i].culprit],
			    vmmprof_theft_ticks(&cs->thefts[i]));
	for (i = 0; ticks && i < cs->nr; i++) {
		vmmprof_steal_culprit(&names, i, VMMPROF_NONE, name,
				      sizeof(name));
		vmmprof_json_array(j, NULL);
		vmmprof_json_string(j, NULL, name);
		vmmprof_json_u64(j, NULL, ticks[i]);
		vmmprof_json_array_end(j);
	}
	vmmprof_json_array_end(j);
	if (!ticks)
		return -ENOMEM;
	free(ticks);
	return 0;
}

int vmmprof_html_timeline(const struct vmmprof_slots *s, struct vmmprof_json *j,
			  const char *key)
{
	int err;

	vmmprof_json_object(j, key);
	vmmprof_json_u64(j, "khz", s->tl->khz);
	vmmprof_json_u64(j, "ticks", s->to - s->from);
	vmmprof_json_u64(j, "width", s->width);
	err = put_culprits(s, j);
	put_tracks(s, j);
	vmmprof_json_object_end(j);
	return err;
}
