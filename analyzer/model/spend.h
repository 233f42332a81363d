/* SPDX-License-Identifier: GPL-2.0-only */
/* Counts ticks of a vCPU's state, and of a wait for whom it waited. */
#ifndef MODEL_SPEND_H
#define MODEL_SPEND_H

#include "base/saturate.h"
#include "model/timeline_state.h"

/* Where the ticks of a vCPU on a CPU are summed up.  0 or -ENOMEM. */
int account_residency(struct timeline *tl, struct track *t, __u32 pcpu);

static inline int residency(struct timeline *tl, struct track *t, __u32 pcpu,
			    __u64 ticks)
{
	int err = t->on_pcpu == pcpu ? 0 : account_residency(tl, t, pcpu);

	if (err)
		return err;
	sat_sum(&tl->residency[t->on_residency].ticks, ticks);
	sat_sum(&tl->pcpus[pcpu].vcpus, ticks);
	return 0;
}

/* The entry of what a thief takes from a track, as its .stolen.  0 or -ENOMEM. */
int account_stolen(struct timeline *tl, struct track *t, __u32 thief);

/* The pair of the track's guest and the thief's owner.  0 or -ENOMEM. */
int account_steal_pair(struct timeline *tl, const struct track *t, __u32 thief,
		       __u16 *ret);

/* A thief had the CPU that a track waited for, from then until then. */
static __always_inline int steal(struct timeline *tl, struct track *t,
				 __u32 thief, bool woken, __u64 from,
				 __u64 until)
{
	int err = t->stolen_by == thief ? 0 : account_stolen(tl, t, thief);
	struct stolen_time *s;
	__u16 pair;

	if (err)
		return err;
	s = &tl->thieves.stolen[t->stolen];
	stolen_add(s, woken, until - from);
	pair = s->pair;
	if (pair == STEAL_PAIR_UNSET || s->thief != thief)
		err = account_steal_pair(tl, t, thief, &pair);
	if (!err)
		steal_times_add(&tl->times, pair, from, until);
	return err;
}

/* Ticks of a state that are counted. */
static __always_inline int spend_part(struct timeline *tl, struct track *t,
				      unsigned int state, __u64 from,
				      __u64 until, __u32 thief)
{
	int err = 0;

	sat_sum(&t->ticks[state], until - from);
	if (state == STATE_ON_CPU) {
		err = residency(tl, t, t->cpu, until - from);
		sat_sum(&t->unsampled, until - from);
	} else if (state_waits(state)) {
		err = steal(tl, t, thief, state == STATE_WOKEN, from, until);
	} else if (state == STATE_UNKNOWN && t->cpu != VMMPROF_NONE) {
		sat_sum(&tl->pcpus[t->cpu].unknown, until - from);
	}
	if (!err && tl->stretch)
		err = tl->stretch(tl->stretch_arg, t, state, from, until,
				  state_waits(state) ? thief : VMMPROF_NONE);
	return err;
}

/* The state had by a track until now; thief: of a wait, by index. */
static __always_inline int spend_state(struct timeline *tl, struct track *t,
				       unsigned int state, __u64 until,
				       __u32 thief)
{
	__u64 from = t->since;
	struct time_range part;
	int err = 0;

	if (until <= from)
		return 0;
	t->since = until;
	if (!tl->a->time)
		return spend_part(tl, t, state, from, until, thief);
	while (!err && time_ranges_cut(tl->a->time, &from, until, &part))
		err = spend_part(tl, t, state, part.from, part.to, thief);
	return err;
}

/* The same, not made part of its caller.  0 or -errno. */
int spend(struct timeline *tl, struct track *t, unsigned int state, __u64 until,
	  __u32 thief);

#endif /* MODEL_SPEND_H */
