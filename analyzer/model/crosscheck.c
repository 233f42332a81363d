// SPDX-License-Identifier: GPL-2.0-only
/* Compares the timeline with other measurements. */

#include "crosscheck.h"

static __u64 ns(const struct vmmprof_timeline *tl, __u64 ticks)
{
	return (__uint128_t)ticks * 1000000 / tl->khz;
}

/* Rounded up. */
static __u64 root(__u64 n)
{
	__u64 r = 0, bit = 1ull << 31;

	for (; bit; bit >>= 1)
		if ((r + bit) * (r + bit) <= n)
			r += bit;
	return r + (r * r < n);
}

/* What others who are somebody took from a track, in ticks. */
static __u64 by_somebody(const struct vmmprof_timeline *tl, __u32 track)
{
	const struct vmmprof_culprits *cs = &tl->culprits;
	__u64 sum = 0;
	size_t i;

	for (i = 0; i < cs->nr_thefts; i++) {
		const struct vmmprof_theft *t = &cs->thefts[i];
		unsigned int kind = cs->culprits[t->culprit].kind;

		if (t->track == track && kind != VMMPROF_BY_UNKNOWN &&
		    !vmmprof_by_nobody(kind))
			sum += t->preempted + t->woken;
	}
	return sum;
}

static struct vmmprof_crosscheck compare(__u64 ours, __u64 theirs,
					 __u64 tolerance)
{
	__u64 d = ours > theirs ? ours - theirs : theirs - ours;

	return (struct vmmprof_crosscheck){
		.known = true,
		.agrees = d <= tolerance,
		.ours = ours,
		.theirs = theirs,
		.tolerance = tolerance,
	};
}

/* What a vCPU may differ by whatever is compared. */
static __u64 slack(const struct vmmprof_timeline *tl,
		   const struct vmmprof_track *t)
{
	return ns(tl, t->end - t->begin) / VMMPROF_CHECK_PART +
	       ns(tl, t->ticks[VMMPROF_ST_UNKNOWN]);
}

static struct vmmprof_crosscheck
against_schedstat(const struct vmmprof_timeline *tl,
		  const struct vmmprof_track *t,
		  enum vmmprof_crosscheck_kind kind)
{
	struct vmmprof_crosscheck none = { 0 };
	__u64 switches, tolerance;

	/* a kernel that does not count says 0 0 0 */
	if (!t->start || !t->stop || t->start->tid != t->stop->tid ||
	    !t->stop->run_ns || t->stop->run_ns < t->start->run_ns ||
	    t->stop->delay_ns < t->start->delay_ns)
		return none;
	switches = t->switches;
	if (t->stop->slices > t->start->slices &&
	    t->stop->slices - t->start->slices > switches)
		switches = t->stop->slices - t->start->slices;
	tolerance = slack(tl, t) + switches * VMMPROF_CHECK_SWITCH_NS;
	if (kind == VMMPROF_CHECK_RUN)
		return compare(ns(tl, t->ticks[VMMPROF_ST_ON_CPU]),
			       t->stop->run_ns - t->start->run_ns, tolerance);
	return compare(ns(tl, t->ticks[VMMPROF_ST_PREEMPTED] +
				      t->ticks[VMMPROF_ST_WOKEN]),
		       t->stop->delay_ns - t->start->delay_ns, tolerance);
}

struct vmmprof_crosscheck vmmprof_crosscheck(const struct vmmprof_timeline *tl,
					     __u32 track,
					     enum vmmprof_crosscheck_kind kind)
{
	const struct vmmprof_track *t = tl->tracks[track];
	struct vmmprof_crosscheck none = { 0 };
	__u64 deviation;

	if (!tl->khz || t->end <= t->begin)
		return none;
	if (kind != VMMPROF_CHECK_SAMPLES)
		return against_schedstat(tl, t, kind);
	if (!tl->period || tl->a->books.lost || !tl->a->books.samples)
		return none;
	/* Four standard deviations of a count, and one sample. */
	deviation = 4 * root(t->nr_waiting_samples) + 1;
	return compare(ns(tl, by_somebody(tl, track)),
		       ns(tl, t->waiting_samples),
		       slack(tl, t) + ns(tl, deviation * tl->period));
}

const char *vmmprof_crosscheck_key(unsigned int kind)
{
	static const char *const key[VMMPROF_NR_CHECKS] = { "run-delay",
							    "run-time",
							    "samples" };

	return kind < VMMPROF_NR_CHECKS ? key[kind] : "?";
}
