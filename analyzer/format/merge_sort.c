// SPDX-License-Identifier: GPL-2.0-only
/* The order of the records of a merge that come next. */

#include <string.h>

#include "base/sort.h"
#include "format/merge_sort.h"

static int cmp_item(const void *v, const void *w)
{
	const __u64 *a = v, *b = w;

	return *a < *b ? -1 : *a > *b;
}

/*
 * Put right what is sorted but for near neighbours: most are two that have to change
 * places, which takes no branch that the CPU would have to guess.
 */
static void sort_neighbours(__u64 *item, __u32 nr)
{
	__u64 last = item[0], one;
	__u32 i, k, moves = 4 * nr;

	for (i = 1; i < nr; i++) {
		one = item[i];
		item[i - 1] = one < last ? one : last;
		last = one < last ? last : one;
		item[i] = last;
	}
	last = item[0];
	for (i = 1; i < nr; i++) {
		one = item[i];
		if (one >= last) {
			last = one;
			continue;
		}
		for (k = i; k && item[k - 1] > one; k--)
			item[k] = item[k - 1];
		item[k] = one;
		if (i - k > moves) {
			/* times that are not spread evenly */
			sort_array(item, nr, sizeof(*item), cmp_item);
			return;
		}
		moves -= i - k;
	}
}

/* By their times' upper bits, by counting; then the rest. */
void merge_sort(struct merge *m, __u64 span)
{
	const __u32 nr = m->nr_items;
	unsigned int bits = 31 - __builtin_clz(nr) + MERGE_MORE_BITS, shift = 0;
	__u32 *places = m->places, i, at = 0, n;
	const __u64 *item = m->unsorted;

	while (span >> shift >> bits)
		shift++;
	n = (span >> shift) + 1;
	memset(places, 0, sizeof(*places) * n);
	shift += MERGE_ID_BITS;
	for (i = 0; i < nr; i++)
		places[item[i] >> shift]++;
	for (i = 0; i < n; i++) {
		__u32 here = places[i];

		places[i] = at;
		at += here;
	}
	for (i = 0; i < nr; i++)
		m->item[places[item[i] >> shift]++] = item[i];
	sort_neighbours(m->item, nr);
}

void merge_insert(struct merge *m, const __u64 *more, __u32 nr)
{
	__u32 old = m->nr_items, to = old + nr;

	m->nr_items = to;
	while (nr) {
		if (old > m->at && m->item[old - 1] > more[nr - 1])
			m->item[--to] = m->item[--old];
		else
			m->item[--to] = more[--nr];
	}
}
