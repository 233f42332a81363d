// SPDX-License-Identifier: GPL-2.0-only
/* qsort(), or in place: quicksort; heapsort where that would take too long. */

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <linux/types.h>

#include "base/sort.h"

#define FEW	 16
#define COPY_MAX (32u << 20) /* a quarter of any machine's memory */

struct sorted {
	char *p;
	size_t size;
	int (*cmp)(const void *a, const void *b, void *arg);
	void *arg;
};

static int compare(const struct sorted *s, size_t a, size_t b)
{
	return s->cmp(s->p + a * s->size, s->p + b * s->size, s->arg);
}

static void swap(const struct sorted *s, size_t a, size_t b)
{
	char *x = s->p + a * s->size, *y = s->p + b * s->size;
	size_t left = s->size, n;
	__u64 t, u;

	for (; left; left -= n, x += n, y += n) {
		n = left < sizeof(t) ? 1 : sizeof(t);
		memcpy(&t, x, n);
		memcpy(&u, y, n);
		memcpy(x, &u, n);
		memcpy(y, &t, n);
	}
}

/* Elements from @lo, @nr of them, of which all but @i are a heap. */
static void sink(const struct sorted *s, size_t lo, size_t nr, size_t i)
{
	size_t k;

	while ((k = 2 * i + 1) < nr) {
		if (k + 1 < nr && compare(s, lo + k, lo + k + 1) < 0)
			k++;
		if (compare(s, lo + i, lo + k) >= 0)
			return;
		swap(s, lo + i, lo + k);
		i = k;
	}
}

static void heap_sort(const struct sorted *s, size_t lo, size_t nr)
{
	size_t i;

	for (i = nr / 2; i--;)
		sink(s, lo, nr, i);
	for (i = nr; i-- > 1;) {
		swap(s, lo, lo + i);
		sink(s, lo, i, 0);
	}
}

static void insertion_sort(const struct sorted *s, size_t lo, size_t hi)
{
	size_t i, k;

	for (i = lo + 1; i < hi; i++)
		for (k = i; k > lo && compare(s, k - 1, k) > 0; k--)
			swap(s, k - 1, k);
}

/* The middle one of three becomes the first. */
static void choose_pivot(const struct sorted *s, size_t lo, size_t hi)
{
	size_t a = lo, b = lo + (hi - lo) / 2, c = hi - 1, t;

	if (compare(s, a, b) > 0) {
		t = a;
		a = b;
		b = t;
	}
	if (compare(s, b, c) > 0)
		b = compare(s, a, c) > 0 ? a : c;
	if (b != lo)
		swap(s, lo, b);
}

/*
 * Partitions: elements before the result are not larger than the one there,
 * those after it not smaller.
 */
static size_t partition(const struct sorted *s, size_t lo, size_t hi)
{
	size_t i = lo, k = hi;

	choose_pivot(s, lo, hi);
	for (;;) {
		do
			i++;
		while (i < hi && compare(s, i, lo) < 0);
		do
			k--;
		while (compare(s, k, lo) > 0);
		if (i >= k)
			break;
		swap(s, i, k);
	}
	if (k != lo)
		swap(s, lo, k);
	return k;
}

/* @depth: nested this deep, the parts are far from halves: heapsort then. */
static void quick_sort(const struct sorted *s, size_t lo, size_t hi,
		       unsigned int depth)
{
	size_t at;

	while (hi - lo > FEW) {
		if (!depth--) {
			heap_sort(s, lo, hi - lo);
			return;
		}
		at = partition(s, lo, hi);
		if (at - lo < hi - at) {
			quick_sort(s, lo, at, depth);
			lo = at + 1;
		} else {
			quick_sort(s, at + 1, hi, depth);
			hi = at;
		}
	}
	insertion_sort(s, lo, hi);
}

void sort_in_place(void *array, size_t nr, size_t size,
		   int (*cmp)(const void *a, const void *b, void *arg),
		   void *arg)
{
	const struct sorted s = { array, size, cmp, arg };
	unsigned int depth = 0;

	while (nr >> depth)
		depth++;
	if (nr > 1)
		quick_sort(&s, 0, nr, 2 * depth);
}

/* Will glibc sort a copy?  Of large elements it makes one of pointers, too. */
static bool room_for_copy(size_t nr, size_t size)
{
	void *room;

	if (nr > COPY_MAX / (size + 2 * sizeof(void *)))
		return false;
	room = malloc(nr * (size + 2 * sizeof(void *)));
	free(room);
	return room;
}

void sort_array_r(void *array, size_t nr, size_t size,
		  int (*cmp)(const void *a, const void *b, void *arg),
		  void *arg)
{
	if (nr < 2)
		return;
	if (room_for_copy(nr, size))
		qsort_r(array, nr, size, cmp, arg);
	else
		sort_in_place(array, nr, size, cmp, arg);
}

struct two {
	int (*cmp)(const void *a, const void *b);
};

static int compare_two(const void *a, const void *b, void *arg)
{
	const struct two *two = arg;

	return two->cmp(a, b);
}

void sort_array(void *array, size_t nr, size_t size,
		int (*cmp)(const void *a, const void *b))
{
	struct two two = { cmp };

	if (nr < 2)
		return;
	if (room_for_copy(nr, size))
		qsort(array, nr, size, cmp);
	else
		sort_in_place(array, nr, size, compare_two, &two);
}
