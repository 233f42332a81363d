// SPDX-License-Identifier: GPL-2.0-only
/* Cuts stretches of time by the ranges that are looked at. */

#include <errno.h>
#include <string.h>

#include "model/time_ranges.h"
#include "base/search.h"

void time_ranges_init(struct time_ranges *r, __u64 begin, __u64 end)
{
	r->nr = 0;
	r->begin = begin == ~0ull ? begin - 1 : begin;
	r->end = end > r->begin ? end : r->begin + 1;
}

int time_ranges_add(struct time_ranges *r, __u64 from, __u64 to)
{
	size_t i, last;

	if (from < r->begin)
		from = r->begin;
	if (to > r->end)
		to = r->end;
	if (from >= to)
		return 0;
	for (i = 0; i < r->nr && r->at[i].to < from; i++)
		;
	/* those from i to before last become one with it */
	for (last = i; last < r->nr && r->at[last].from <= to; last++) {
		if (r->at[last].from < from)
			from = r->at[last].from;
		if (r->at[last].to > to)
			to = r->at[last].to;
	}
	if (last == i && r->nr == TIME_RANGES_MAX)
		return -E2BIG;
	memmove(&r->at[i + 1], &r->at[last], (r->nr - last) * sizeof(r->at[0]));
	r->at[i] = (struct time_range){ from, to };
	r->nr = r->nr + 1 - (last - i);
	return 0;
}

/* The first range that ends after @tsc. */
static size_t first_after(const struct time_ranges *r, __u64 tsc)
{
	size_t lo = 0, hi = r->nr, mid;

	BISECT(lo, hi, mid, r->at[mid].to <= tsc);
	return lo;
}

/* What is outside the measurement is in its first or last tick. */
static __u64 inside(const struct time_ranges *r, __u64 tsc)
{
	return tsc < r->begin ? r->begin : tsc < r->end ? tsc : r->end - 1;
}

bool time_ranges_some_has(const struct time_ranges *r, __u64 tsc)
{
	const __u64 at = inside(r, tsc);
	const size_t i = first_after(r, at);

	return i < r->nr && r->at[i].from <= at;
}

__u64 time_ranges_same_until(const struct time_ranges *r, __u64 tsc)
{
	__u64 at;
	size_t i;

	if (!r)
		return ~0ull;
	at = inside(r, tsc);
	i = first_after(r, at);
	if (i == r->nr)
		return ~0ull;
	if (r->at[i].from > at)
		return r->at[i].from - 1;
	return r->at[i].to == r->end ? ~0ull : r->at[i].to - 1;
}

bool time_ranges_cut(const struct time_ranges *r, __u64 *from, __u64 to,
		     struct time_range *ret)
{
	size_t i;

	if (*from >= to)
		return false;
	*ret = (struct time_range){ *from, to };
	*from = to;
	if (!r)
		return true;
	i = first_after(r, ret->from);
	if (i == r->nr || r->at[i].from >= to)
		return false;
	if (r->at[i].from > ret->from)
		ret->from = r->at[i].from;
	if (r->at[i].to < to)
		ret->to = r->at[i].to;
	*from = ret->to;
	return true;
}

__u64 time_ranges_ticks(const struct time_ranges *r, __u64 from, __u64 to)
{
	struct time_range part;
	__u64 ret = 0;

	while (time_ranges_cut(r, &from, to, &part))
		ret += part.to - part.from;
	return ret;
}

/* Of the points how many are before @tsc. */
static __u64 points_before(__u64 tsc, __u64 from, __u64 step, __u64 nr)
{
	__u64 ret = tsc > from ? (tsc - 1 - from) / step : 0;

	return ret < nr ? ret : nr;
}

__u64 time_ranges_points(const struct time_ranges *r, __u64 from, __u64 step,
			 __u64 nr)
{
	__u64 ret = 0, before, until;
	size_t i;

	if (!r)
		return nr;
	for (i = 0; i < r->nr; i++) {
		/* what is outside the measurement: as time_ranges_has() */
		before = r->at[i].from == r->begin ?
				 0 :
				 points_before(r->at[i].from, from, step, nr);
		until = r->at[i].to == r->end ?
				nr :
				points_before(r->at[i].to, from, step, nr);
		ret += until - before;
	}
	return ret;
}
