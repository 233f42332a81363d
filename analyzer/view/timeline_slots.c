// SPDX-License-Identifier: GPL-2.0-only
/* Slots of a timeline: what each of them is made of. */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "view/timeline.h"
#include "base/saturate.h"

#define MAX_CELLS (64 << 20)

int slots_init(struct slots *s, const struct timeline *tl, __u64 from, __u64 to,
	       size_t width)
{
	memset(s, 0, sizeof(*s));
	s->tl = tl;
	s->from = from;
	s->to = to;
	s->width = width;
	return 0;
}

void slots_deinit(struct slots *s)
{
	free(s->ticks);
	free(s->thieves);
	thieves_deinit(&s->stolen);
	memset(s, 0, sizeof(*s));
}

static __u64 *cell(const struct slots *s, __u32 track, size_t slot)
{
	return s->ticks + (track * s->width + slot) * NR_STATES;
}

static int grow_thieves(struct slots *s)
{
	size_t nr = s->tl->nr, old = s->nr * s->width;
	struct slot_thieves *more;

	if (!s->by_thief)
		return 0;
	more = realloc(s->thieves, nr * s->width * sizeof(*more));
	if (!more)
		return -ENOMEM;
	memset(more + old, 0, (nr * s->width - old) * sizeof(*more));
	s->thieves = more;
	return 0;
}

static int grow(struct slots *s)
{
	size_t row = s->width * NR_STATES, nr = s->tl->nr;
	__u64 *more;

	if (nr <= s->nr)
		return 0;
	if (nr * row > MAX_CELLS)
		return -ENOMEM;
	more = realloc(s->ticks, nr * row * sizeof(*more));
	if (!more)
		return -ENOMEM;
	memset(more + s->nr * row, 0, (nr - s->nr) * row * sizeof(*more));
	s->ticks = more;
	if (grow_thieves(s))
		return -ENOMEM;
	s->nr = nr;
	return 0;
}

/* What a thief took from the vCPU until now. */
static __u64 taken(const struct slots *s, __u32 track, __u32 thief)
{
	__u32 i = hash_get(&s->stolen.pairs, (__u64)track << 32 | thief);

	return i == VMMPROF_NONE ? 0 : stolen_ticks(&s->stolen.stolen[i]);
}

/*
 * The place of a thief in a slot.  If all are taken, the thief that took least
 * of the vCPU's time makes room for one that took more, and is one of others.
 */
static unsigned int place_in_slot(const struct slots *s, __u32 track,
				  struct slot_thieves *t, __u32 thief)
{
	unsigned int i, least = 0;

	for (i = 0; i < SLOT_THIEVES; i++) {
		if (!t->ticks[i] || t->thief[i] == thief)
			return i;
		if (taken(s, track, t->thief[i]) <
		    taken(s, track, t->thief[least]))
			least = i;
	}
	if (taken(s, track, thief) <= taken(s, track, t->thief[least]))
		return SLOT_THIEVES;
	sat_sum(&t->others, t->ticks[least]);
	t->ticks[least] = 0;
	return least;
}

static int add_stolen(struct slots *s, __u32 track, size_t slot, __u32 thief,
		      __u64 ticks)
{
	struct slot_thieves *t = &s->thieves[track * s->width + slot];
	unsigned int i;
	int err;

	/* from here on by owner: number 0 of both is not known */
	thief = thief == VMMPROF_NONE ? 0 : s->tl->thieves.thieves[thief].owner;
	err = thieves_add(&s->stolen, track, thief, false, ticks);
	if (err)
		return err;
	i = place_in_slot(s, track, t, thief);
	if (i == SLOT_THIEVES) {
		sat_sum(&t->others, ticks);
		return 0;
	}
	t->thief[i] = thief;
	sat_sum(&t->ticks[i], ticks);
	return 0;
}

__u64 slot_begins(const struct slots *s, size_t slot)
{
	return s->from + (__uint128_t)(s->to - s->from) * slot / s->width;
}

int slots_stretch(void *arg, const struct track *t, enum vcpu_state state,
		  __u64 from, __u64 to, __u32 thief)
{
	struct slots *s = arg;
	const __u32 track = t->index;
	__u64 end;
	size_t slot;
	int err;

	if (from < s->from)
		from = s->from;
	if (to > s->to)
		to = s->to;
	if (from >= to)
		return 0;
	err = grow(s);
	if (err)
		return err;
	slot = (__uint128_t)(from - s->from) * s->width / (s->to - s->from);
	for (; slot < s->width && from < to && !err; slot++) {
		end = slot_begins(s, slot + 1);
		if (end > to)
			end = to;
		if (end <= from)
			continue;
		sat_sum(&cell(s, track, slot)[state], end - from);
		if (s->by_thief && state_waits(state))
			err = add_stolen(s, track, slot, thief, end - from);
		from = end;
	}
	return err;
}
