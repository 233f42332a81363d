// SPDX-License-Identifier: GPL-2.0-only
/*
 * Radix sort, from the lowest digit on; digits that all keys share are left out, and the
 * lowest one if all are in its order.
 */

#include <stdlib.h>
#include <string.h>

#include "base/saturate.h"
#include "base/sort.h"

#define DIGIT_BITS 11
#define DIGITS	   6	/* of 64 bits */
#define VALUES	   2048 /* of a digit: 2 to the power of DIGIT_BITS */
#define FEW	   64

static unsigned int digit(__u64 key, unsigned int d)
{
	return key >> d * DIGIT_BITS & (VALUES - 1);
}

static int cmp_keyed(const void *pa, const void *pb, void *arg)
{
	const struct keyed *a = pa, *b = pb;

	(void)arg;
	COMPARE(key);
	return 0;
}

/* Digits to sort by, a bit each. */
static unsigned int digits_of(const struct keyed *array, size_t nr)
{
	const __u64 first = array[0].key;
	unsigned int d, ret = 0, last = digit(first, 0), now;
	bool ordered = true;
	__u64 differs = 0;
	size_t i;

	for (i = 1; i < nr; i++) {
		differs |= array[i].key ^ first;
		now = digit(array[i].key, 0);
		ordered &= last <= now;
		last = now;
	}
	for (d = ordered; d < DIGITS; d++)
		if (digit(differs, d))
			ret |= 1u << d;
	return ret;
}

/* How many keys have each value of a digit. */
static void count(const struct keyed *array, size_t nr, unsigned int d,
		  size_t place[VALUES])
{
	size_t i;

	memset(place, 0, VALUES * sizeof(*place));
	for (i = 0; i < nr; i++)
		place[digit(array[i].key, d)]++;
}

/* By one digit. */
static void move(const struct keyed *from, struct keyed *to, size_t nr,
		 unsigned int d)
{
	size_t place[VALUES], at = 0, here, i;

	count(from, nr, d, place);
	for (i = 0; i < VALUES; i++) {
		here = place[i];
		place[i] = at;
		at += here;
	}
	for (i = 0; i < nr; i++)
		to[place[digit(from[i].key, d)]++] = from[i];
}

void sort_keyed(struct keyed *array, size_t nr)
{
	struct keyed *copy, *from = array, *to, *other;
	unsigned int d, digits;

	if (nr <= FEW) {
		sort_array_r(array, nr, sizeof(*array), cmp_keyed, NULL);
		return;
	}
	digits = digits_of(array, nr);
	copy = digits ? malloc(nr * sizeof(*copy)) : NULL;
	if (!copy) {
		if (digits)
			sort_in_place(array, nr, sizeof(*array), cmp_keyed,
				      NULL);
		return;
	}
	to = copy;
	for (d = 0; d < DIGITS; d++) {
		if (!(digits >> d & 1))
			continue;
		move(from, to, nr, d);
		other = from;
		from = to;
		to = other;
	}
	if (from != array)
		memcpy(array, from, nr * sizeof(*array));
	free(copy);
}

size_t sort_keyed_sums(struct keyed *array, size_t nr)
{
	size_t i, n = 0;

	sort_keyed(array, nr);
	for (i = 0; i < nr; i++)
		if (n && array[n - 1].key == array[i].key)
			sat_sum(&array[n - 1].value, array[i].value);
		else
			array[n++] = array[i];
	return n;
}
