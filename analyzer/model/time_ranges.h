/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The stretches of the measurement that are looked at, in ticks of the host's
 * TSC.  Everything that counts samples or ticks asks here, so that the sums
 * over ranges that divide the measurement are those of the whole.
 */
#ifndef MODEL_TIME_RANGES_H
#define MODEL_TIME_RANGES_H

#include <stdbool.h>
#include <stddef.h>

#include <linux/types.h>

/* Of ranges, as they are given. */
#define TIME_RANGES_MAX 256

/* From @from on, until before @to; @from < @to. */
struct time_range {
	__u64 from, to;
};

struct time_ranges {
	__u64 begin, end; /* of the measurement; begin < end */
	struct time_range at[TIME_RANGES_MAX]; /* rising, with gaps between */
	size_t nr;
};

/* None of a measurement; an empty one counts as one tick. */
void time_ranges_init(struct time_ranges *r, __u64 begin, __u64 end);

/*
 * Add a range; what is outside the measurement is left out, and ranges that
 * overlap or touch become one.  0, or -E2BIG.
 */
int time_ranges_add(struct time_ranges *r, __u64 from, __u64 to);

/*
 * Is what happened at @tsc counted?  What is before the measurement belongs to
 * its first tick, what is after it to its last one.  NULL: always.
 */
bool time_ranges_some_has(const struct time_ranges *r, __u64 tsc);

static inline bool time_ranges_has(const struct time_ranges *r, __u64 tsc)
{
	return !r || time_ranges_some_has(r, tsc);
}

/* The last tick until which all that happens from @tsc on is counted, or is not. */
__u64 time_ranges_same_until(const struct time_ranges *r, __u64 tsc);

/*
 * The first part of *from..to that is counted, and *from is set behind it;
 * false: there is no more.  NULL: all of it is.
 */
bool time_ranges_cut(const struct time_ranges *r, __u64 *from, __u64 to,
		     struct time_range *ret);

/* Ticks of from..to that are counted. */
__u64 time_ranges_ticks(const struct time_ranges *r, __u64 from, __u64 to);

/*
 * How many of @nr points in time, @step (not 0) apart, the first one at @from
 * + @step, are counted.
 */
__u64 time_ranges_points(const struct time_ranges *r, __u64 from, __u64 step,
			 __u64 nr);

#endif /* MODEL_TIME_RANGES_H */
