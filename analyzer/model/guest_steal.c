// SPDX-License-Identifier: GPL-2.0-only
/*
 * A guest's own steal clock against ours: the CPUTIME items of its bundle.  They
 * are the guest's word, so nothing but the comparison depends on them.
 */

#include <errno.h>
#include <stdlib.h>

#include "model/steal_check.h"
#include "base/saturate.h"

/* Steal beyond this is no reading of a clock. */
#define STEAL_MAX 0x4000000000000000ull /* 146 years */

/* Readings of a CPU that are next to the measurement. */
struct readings {
	const struct vmmprof_maps_cputime *first, *last;
};

struct stat_sum {
	__u64 steal, outside, inside; /* ns, of all CPUs */
	__u64 ticks;		      /* of USER_HZ that may be missing */
	bool broken;		      /* a clock that went back */
};

/* The measurement in the guest's CLOCK_MONOTONIC; false: not known. */
static bool window(const struct vmmprof_timeline *tl, __u32 guest, __u64 *begin,
		   __u64 *end)
{
	const struct vmmprof_resolver *r = &tl->a->resolver;
	const struct vmmprof_clock *clock = &r->machines[guest + 1]->clock;
	__u32 vcpu = r->guests.guests[guest].clock_vcpu;
	__u64 from, to;

	if (!clock->nr || vcpu == VMMPROF_NONE ||
	    !vmmprof_guests_tsc(&r->guests, guest, vcpu, tl->begin, &from) ||
	    !vmmprof_guests_tsc(&r->guests, guest, vcpu, tl->end, &to))
		return false;
	*begin = vmmprof_clock_ns(clock, from);
	*end = vmmprof_clock_ns(clock, to);
	return *begin != VMMPROF_TIME_UNKNOWN && *end != VMMPROF_TIME_UNKNOWN &&
	       *begin <= *end;
}

/* Items are in the order of time. */
static void note(struct readings *r, const struct vmmprof_maps_cputime *t,
		 __u64 begin, __u64 end)
{
	if (!r->first || t->ns <= begin)
		r->first = t;
	if (!r->last || r->last->ns < end)
		r->last = t;
}

static __u64 more(__u64 a, __u64 b)
{
	return a > b ? a - b : 0;
}

static void add(struct stat_sum *sum, const struct readings *r, __u64 begin,
		__u64 end)
{
	const struct vmmprof_maps_cputime *a = r->first, *b = r->last;

	if (a->ns >= b->ns)
		return;
	if (b->steal < a->steal || b->steal >= STEAL_MAX) {
		sum->broken = true;
		return;
	}
	vmmprof_sum(&sum->steal, b->steal - a->steal);
	vmmprof_sum(&sum->outside, more(begin, a->ns));
	vmmprof_sum(&sum->outside, more(b->ns, end));
	vmmprof_sum(&sum->inside, more(a->ns, begin));
	vmmprof_sum(&sum->inside, more(end, b->ns));
	sum->ticks += 2;
}

static int read_all(const struct vmmprof_bundle *b, __u64 begin, __u64 end,
		    struct stat_sum *sum)
{
	struct vmmprof_hash cpus = { 0 };
	struct readings *all;
	__u32 k, nr = 0;
	size_t i;
	int err = 0;

	all = calloc(b->nr_cputimes + 1, sizeof(*all));
	if (!all)
		return -ENOMEM;
	for (i = 0; i < b->nr_cputimes && !err; i++) {
		k = vmmprof_hash_get(&cpus, b->cputimes[i]->cpu);
		if (k == VMMPROF_NONE) {
			k = nr++;
			err = vmmprof_hash_set(&cpus, b->cputimes[i]->cpu, k);
		}
		note(&all[k], b->cputimes[i], begin, end);
	}
	for (k = 0; k < nr && !err; k++)
		add(sum, &all[k], begin, end);
	vmmprof_hash_deinit(&cpus);
	free(all);
	return err;
}

int vmmprof_crosscheck_stat(const struct vmmprof_timeline *tl, __u32 guest,
			    __u64 ours, __u64 slack,
			    struct vmmprof_crosscheck *ret)
{
	const struct vmmprof_resolver *r = &tl->a->resolver;
	const struct vmmprof_bundle *b;
	struct stat_sum sum = { 0 };
	__u64 begin, end;
	int err;

	*ret = (struct vmmprof_crosscheck){
		.why = VMMPROF_NOCHECK_NO_BUNDLE,
	};
	if (guest + 1 >= r->nr_machines || !r->machines[guest + 1])
		return 0;
	b = &r->machines[guest + 1]->bundle;
	ret->why = VMMPROF_NOCHECK_NO_READINGS;
	if (!b->nr_cputimes)
		return 0;
	ret->why = VMMPROF_NOCHECK_NO_STEAL_CLOCK;
	if (vmmprof_text_number(&b->text, "steal_clock", 10, 0) != 1)
		return 0;
	ret->why = VMMPROF_NOCHECK_NO_CLOCK;
	if (!window(tl, guest, &begin, &end))
		return 0;
	err = read_all(b, begin, end, &sum);
	ret->why = VMMPROF_NOCHECK_NO_READINGS;
	if (!err && sum.ticks && !sum.broken)
		*ret = vmmprof_crosscheck_compare(
			ours, sum.steal,
			vmmprof_sat_add(slack,
					sum.ticks * VMMPROF_CHECK_TICK_NS),
			sum.outside, sum.inside);
	return err;
}
