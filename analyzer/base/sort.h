/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Sorting of input that an attacker may have chosen.  glibc's qsort() sorts a copy
 * in n log n comparisons; where it can have none, as the array is a quarter of
 * the machine's memory or a limit is near, versions before 2.37 take n^2 of
 * them for some orders.
 */
#ifndef BASE_SORT_H
#define BASE_SORT_H

#include <stddef.h>
#include <linux/types.h>

/* In a comparison of *a and *b: done, unless they are equal in this. */
#define COMPARE(member)                                        \
	do {                                                   \
		if (a->member != b->member)                    \
			return a->member < b->member ? -1 : 1; \
	} while (0)

/*
 * As qsort() and qsort_r(), in n log n comparisons: @array may be NULL if @nr is
 * 0.  Equal elements stay in their order, but in arrays of which no copy is
 * made: they are in the same order after the same one before.
 */
void sort_array(void *array, size_t nr, size_t size,
		int (*cmp)(const void *a, const void *b));
void sort_array_r(void *array, size_t nr, size_t size,
		  int (*cmp)(const void *a, const void *b, void *arg),
		  void *arg);

/*
 * The same of numbers, by .key: the time follows their count alone.  Without memory
 * for a copy it is sort_in_place().
 */
struct keyed {
	__u64 key, value;
};

void sort_keyed(struct keyed *array, size_t nr);

/* Sort, and make one of those of equal keys, with the sum of their values: how many. */
size_t sort_keyed_sums(struct keyed *array, size_t nr);

/* The same without a copy. */
void sort_in_place(void *array, size_t nr, size_t size,
		   int (*cmp)(const void *a, const void *b, void *arg),
		   void *arg);

#endif /* BASE_SORT_H */
