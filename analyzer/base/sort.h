/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Sorting of input that an attacker may have chosen.  glibc's qsort() takes n^2
 * comparisons for some orders once the array is a quarter of the machine's
 * memory, or there is none for a copy of it; this needs no copy and no more
 * than n log n comparisons.
 */
#ifndef BASE_SORT_H
#define BASE_SORT_H

#include <stddef.h>

/*
 * As qsort(): @array may be NULL if @nr is 0.  Equal elements end in an order
 * that is the same for the same array.
 */
void sort_array(void *array, size_t nr, size_t size,
		int (*cmp)(const void *a, const void *b));

#endif /* BASE_SORT_H */
