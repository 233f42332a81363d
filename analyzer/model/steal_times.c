// SPDX-License-Identifier: GPL-2.0-only
/* Time stolen by parts of the measurement, and the stretch that has most. */

#include <stdlib.h>
#include <string.h>

#include "model/steal_times.h"
#include "base/saturate.h"
#include "base/vec.h"

#define MOST_PERCENT  90
#define SHORT_PERCENT 80
#define EDGE_PERCENT  2 /* so near to an end is at the end */

void steal_times_init(struct steal_times *st, __u64 from, __u64 until)
{
	memset(st, 0, sizeof(*st));
	st->from = from;
	st->at_from = from;
	st->width = until > from ? (until - from - 1) / STEAL_PARTS + 1 : 1;
}

void steal_times_deinit(struct steal_times *st)
{
	free(st->ticks);
	hash_deinit(&st->by_pair);
	memset(st, 0, sizeof(*st));
}

/* What was taken in the part at hand comes to the parts that are over. */
static void settle(struct steal_times *st)
{
	size_t i;

	for (i = 0; i < st->nr; i++) {
		sat_sum(&st->ticks[i][st->at], st->now[i]);
		st->now[i] = 0;
	}
}

/* Parts of twice the width, so that all of the time has its place. */
static void widen(struct steal_times *st)
{
	size_t i, k;

	settle(st);
	for (i = 0; i < st->nr; i++) {
		__u64 *t = st->ticks[i];

		for (k = 0; k < STEAL_PARTS / 2; k++)
			t[k] = sat_add(t[2 * k], t[2 * k + 1]);
		memset(t + k, 0, k * sizeof(*t));
	}
	st->width *= 2;
	st->at = 0;
	st->at_from = st->from;
}

int steal_times_pair(struct steal_times *st, __u32 guest, __u32 owner,
		     __u16 *ret)
{
	const __u64 key = (__u64)guest << 32 | owner;
	const __u32 pair = hash_get(&st->by_pair, key);
	int err;

	*ret = pair == VMMPROF_NONE ? STEAL_PAIR_NONE : pair;
	if (pair != VMMPROF_NONE || st->nr >= STEAL_PAIRS_MAX)
		return 0;
	err = vec_grow(&st->ticks, &st->cap, st->nr, sizeof(*st->ticks));
	if (!err)
		err = hash_set(&st->by_pair, key, st->nr);
	if (err)
		return err;
	*ret = st->nr++;
	memset(st->ticks[*ret], 0, sizeof(*st->ticks));
	return 0;
}

void steal_times_add_parts(struct steal_times *st, __u16 pair, __u64 from,
			   __u64 to)
{
	__u64 end;
	size_t part;

	if (!st->width || to <= from || from < st->from)
		return;
	while ((part = (to - 1 - st->from) / st->width) >= STEAL_PARTS)
		widen(st);
	if (pair == STEAL_PAIR_NONE)
		return;
	/* only ever a later one, so that few are settled */
	if (part > st->at) {
		settle(st);
		st->at = part;
		st->at_from = st->from + part * st->width;
	}
	while (from < to) {
		part = (from - st->from) / st->width;
		end = sat_add(st->from, sat_mul(part + 1, st->width));
		if (end > to)
			end = to;
		sat_sum(part == st->at ? &st->now[pair] :
					 &st->ticks[pair][part],
			end - from);
		from = end;
	}
}

void steal_times_end(struct steal_times *st, __u64 end)
{
	while (st->width && end > st->from &&
	       (end - st->from - 1) / st->width >= STEAL_PARTS)
		widen(st);
	settle(st);
	st->end = end;
}

/*
 * The parts whose sum exceeds most what parts have in the mean: [*first, *last].
 * In one pass: a run that has come to less than nothing is begun again.
 */
static void best_run(const __u64 *ticks, size_t nr, size_t *first, size_t *last)
{
	__int128 sum = 0, run = 0, best = -1;
	size_t i, begin = 0;

	for (i = 0; i < nr; i++)
		sum += ticks[i];
	for (i = 0; i < nr; i++) {
		if (run < 0) {
			run = 0;
			begin = i;
		}
		run += (__int128)ticks[i] * nr - sum;
		if (run <= best)
			continue;
		best = run;
		*first = begin;
		*last = i;
	}
}

bool steal_times_stretch(const struct steal_times *st, __u32 guest, __u32 owner,
			 __u64 *from, __u64 *to)
{
	__u32 pair = hash_get(&st->by_pair, (__u64)guest << 32 | owner);
	unsigned __int128 sum = 0, in = 0;
	size_t nr, i, first = 0, last = 0;

	if (pair == VMMPROF_NONE || st->end <= st->from)
		return false;
	nr = (st->end - st->from - 1) / st->width + 1;
	if (nr > STEAL_PARTS)
		nr = STEAL_PARTS;
	best_run(st->ticks[pair], nr, &first, &last);
	if (first * 100 <= nr * EDGE_PERCENT)
		first = 0;
	if ((nr - 1 - last) * 100 <= nr * EDGE_PERCENT)
		last = nr - 1;
	for (i = 0; i < nr; i++) {
		sum += st->ticks[pair][i];
		if (i >= first && i <= last)
			in += st->ticks[pair][i];
	}
	if (!sum || in * 100 < sum * MOST_PERCENT ||
	    (last - first + 1) * 100 > nr * SHORT_PERCENT)
		return false;
	*from = st->from + first * st->width;
	*to = st->from + (last + 1) * st->width;
	if (*to > st->end)
		*to = st->end;
	return true;
}
