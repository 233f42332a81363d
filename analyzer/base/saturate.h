/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Sums and products of recorded numbers.  A session may have any numbers, so a
 * sum stops at 2^64-1 instead of beginning again at 0: a part is then never
 * more than its whole.  Views print a warning then.
 */
#ifndef BASE_SATURATE_H
#define BASE_SATURATE_H

#include <stdbool.h>

#include <linux/types.h>

#define VMMPROF_SATURATED (~0ull)

/* What is told of it. */
#define SATURATED_TEXT \
	"numbers too large: sums stop at 2^64-1, so they are not exact"

/* A sum or product has stopped there since the program began. */
extern bool saturated;

static inline __u64 sat_add(__u64 a, __u64 b)
{
	unsigned long long ret;

	if (!__builtin_add_overflow(a, b, &ret))
		return ret;
	saturated = true;
	return VMMPROF_SATURATED;
}

static inline __u64 sat_mul(__u64 a, __u64 b)
{
	unsigned long long ret;

	if (!__builtin_mul_overflow(a, b, &ret))
		return ret;
	saturated = true;
	return VMMPROF_SATURATED;
}

static inline void sat_sum(__u64 *sum, __u64 n)
{
	*sum = sat_add(*sum, n);
}

/* ticks * mul / div; @div: not 0. */
static inline __u64 sat_scale(__u64 ticks, __u64 mul, __u64 div)
{
	unsigned __int128 ret = (unsigned __int128)ticks * mul / div;

	if (ret <= VMMPROF_SATURATED)
		return ret;
	saturated = true;
	return VMMPROF_SATURATED;
}

#endif /* BASE_SATURATE_H */
