/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * From a machine's TSC to its CLOCK_MONOTONIC, by the CLOCK items of its
 * file; and from the host's TSC to a guest's, by a VCPU record.
 */
#ifndef MODEL_CLOCK_H
#define MODEL_CLOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <linux/types.h>

#include "base/search.h"

#include <vmmprof/file.h>
#include <vmmprof/record.h>

#define TIME_UNKNOWN ((__u64)-1)

#define CLOCK_POINTS 64

struct clock {
	size_t nr; /* 0: no clock */
	size_t pairs;
	__u64 residual; /* ns; TIME_UNKNOWN: too few pairs */
	struct clock_point {
		__u64 tsc;
		__u64 ns;
		double ns_per_tick; /* from here to the next point */
	} point[CLOCK_POINTS];
};

/*
 * Build from CLOCK items in any order; pairs that contradict each other or
 * lie closer than 10 ms are left out.  tsc_khz (0: not known) serves where
 * only one pair is left.  Without a usable pair the clock has no points.
 *
 * residual is the largest deviation of a pair: of a point, from the line
 * through its neighbours; of another pair, from the clock.
 */
void clock_init(struct clock *c, const struct vmmprof_item_clock *const *items,
		size_t nr, __u64 tsc_khz);

/* The point by which a time is counted, of a clock that has some. */
static inline const struct clock_point *clock_point(const struct clock *c,
						    __u64 tsc)
{
	size_t lo = 1, hi = c->nr, mid;

	if (hi > 2)
		BISECT(lo, hi, mid, c->point[mid].tsc <= tsc);
	else if (hi == 2 && tsc >= c->point[1].tsc)
		lo = 2;
	return &c->point[lo - 1];
}

/* CLOCK_MONOTONIC in ns at tsc, TIME_UNKNOWN without a clock. */
static inline __u64 clock_to_ns(const struct clock *c, __u64 tsc)
{
	const struct clock_point *p;
	double ns;

	if (!c->nr)
		return TIME_UNKNOWN;
	p = clock_point(c, tsc);
	ns = (double)(__s64)(tsc - p->tsc) * p->ns_per_tick;
	/*
	 * The pairs come from the guest: keep the result in range whatever they
	 * are.
	 */
	if (ns < 0)
		return -ns >= (double)p->ns ? 0 : p->ns - (__u64)-ns;
	if (ns >= 9e18 || p->ns + (__u64)ns < p->ns)
		return TIME_UNKNOWN - 1;
	return p->ns + (__u64)ns;
}

/* The guest's TSC at a host TSC. */
static inline __u64 guest_tsc(const struct vmmprof_rec_vcpu *v, __u64 tsc)
{
	if (v->hdr.flags & VMMPROF_V_TSC_SCALED)
		tsc = (__u64)(((__uint128_t)tsc * v->tsc_ratio) >>
			      (v->tsc_frac_bits & 127));
	return tsc + v->tsc_offset;
}

#endif /* MODEL_CLOCK_H */
