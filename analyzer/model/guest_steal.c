// SPDX-License-Identifier: GPL-2.0-only
/*
 * A guest's own steal clock against ours: the CPUTIME items of its bundle.  The
 * guest may write anything there, so nothing but the comparison depends on
 * them.
 */

#include <errno.h>
#include <stdlib.h>

#include "model/steal_check.h"
#include "base/saturate.h"

/* A larger value is no reading of a clock. */
#define STEAL_MAX 0x4000000000000000ull /* 146 years */

/* Readings of a CPU that are next to the measurement. */
struct readings {
	const struct vmmprof_maps_cputime *first, *last;
};

struct stat_sum {
	__u64 steal, outside, inside; /* ns, of all CPUs */
	__u64 ticks;		      /* of USER_HZ that may be missing */
	bool broken;		      /* the clock went backwards */
};

/* The measurement in the guest's CLOCK_MONOTONIC; false: not known. */
static bool window(const struct timeline *tl, __u32 guest, __u64 *begin,
		   __u64 *end)
{
	const struct resolver *r = &tl->a->resolver;
	const struct clock *clock = &r->machines[guest + 1]->clock;
	__u32 vcpu = r->guests.guests[guest].clock_vcpu;
	__u64 from, to;

	if (!clock->nr || vcpu == VMMPROF_NONE ||
	    !guests_tsc(&r->guests, guest, vcpu, tl->begin, &from) ||
	    !guests_tsc(&r->guests, guest, vcpu, tl->end, &to))
		return false;
	*begin = clock_to_ns(clock, from);
	*end = clock_to_ns(clock, to);
	return *begin != TIME_UNKNOWN && *end != TIME_UNKNOWN && *begin <= *end;
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
	sat_sum(&sum->steal, b->steal - a->steal);
	sat_sum(&sum->outside, more(begin, a->ns));
	sat_sum(&sum->outside, more(b->ns, end));
	sat_sum(&sum->inside, more(a->ns, begin));
	sat_sum(&sum->inside, more(end, b->ns));
	sum->ticks += 2;
}

static int read_all(const struct bundle *b, __u64 begin, __u64 end,
		    struct stat_sum *sum)
{
	struct hash cpus = { 0 };
	struct readings *all;
	__u32 k, nr = 0;
	size_t i;
	int err = 0;

	all = calloc(b->nr_cputimes + 1, sizeof(*all));
	if (!all)
		return -ENOMEM;
	for (i = 0; i < b->nr_cputimes && !err; i++) {
		k = hash_get(&cpus, b->cputimes[i]->cpu);
		if (k == VMMPROF_NONE) {
			k = nr++;
			err = hash_set(&cpus, b->cputimes[i]->cpu, k);
		}
		note(&all[k], b->cputimes[i], begin, end);
	}
	for (k = 0; k < nr && !err; k++)
		add(sum, &all[k], begin, end);
	hash_deinit(&cpus);
	free(all);
	return err;
}

int steal_check_stat(const struct timeline *tl, __u32 guest, __u64 ours,
		     __u64 slack, struct steal_check *ret)
{
	const struct resolver *r = &tl->a->resolver;
	const struct bundle *b;
	struct stat_sum sum = { 0 };
	__u64 begin, end;
	int err;

	*ret = (struct steal_check){
		.why = NO_CHECK_NO_BUNDLE,
	};
	if (guest + 1 >= r->nr_machines || !r->machines[guest + 1])
		return 0;
	b = &r->machines[guest + 1]->bundle;
	ret->why = NO_CHECK_NO_READINGS;
	if (!b->nr_cputimes)
		return 0;
	ret->why = NO_CHECK_NO_STEAL_CLOCK;
	if (text_number(&b->text, "steal_clock", 10, 0) != 1)
		return 0;
	ret->why = NO_CHECK_NO_CLOCK;
	if (!window(tl, guest, &begin, &end))
		return 0;
	err = read_all(b, begin, end, &sum);
	ret->why = NO_CHECK_NO_READINGS;
	if (!err && sum.ticks && !sum.broken)
		*ret = steal_check_compare(ours, sum.steal,
					   sat_add(slack,
						   sum.ticks * CHECK_TICK_NS),
					   sum.outside, sum.inside);
	return err;
}
