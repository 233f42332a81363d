/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * For which numbers (times, addresses) an answer is the same as for the one
 * that was asked for: a search narrows them at each number that it compares
 * with, and what it found need not be searched for again within them.
 */
#ifndef MODEL_HOLDS_H
#define MODEL_HOLDS_H

#include <stdbool.h>

#include <linux/types.h>

#include "model/clock.h"

struct holds {
	__u64 from, last; /* both are among them */
};

/* For all numbers. */
static inline void holds_all(struct holds *h)
{
	h->from = 0;
	h->last = ~0ull;
}

/* For all times that are known, or for the one that is not. */
static inline void holds_time(struct holds *h, __u64 ns)
{
	h->from = ns == TIME_UNKNOWN ? ns : 0;
	h->last = ns == TIME_UNKNOWN ? ns : TIME_UNKNOWN - 1;
}

static inline bool holds_at(const struct holds *h, __u64 x)
{
	return x >= h->from && x <= h->last;
}

/* Is @x at @edge or above?  The answer holds on that side of @edge alone. */
static inline bool holds_above(struct holds *h, __u64 x, __u64 edge)
{
	if (x >= edge) {
		if (h->from < edge)
			h->from = edge;
		return true;
	}
	if (h->last >= edge)
		h->last = edge - 1;
	return false;
}

/* The same of the numbers from @from until before @to; @x may be beyond. */
static inline bool holds_within(struct holds *h, __u64 x, __u64 from, __u64 to)
{
	bool above = holds_above(h, x, from);

	return above & !holds_above(h, x, to);
}

#endif /* MODEL_HOLDS_H */
