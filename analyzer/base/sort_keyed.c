// SPDX-License-Identifier: GPL-2.0-only
/* Radix sort, from the lowest digit on; digits that all keys share are left out. */

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

/* How many keys have each value of each digit. */
static void count(const struct keyed *array, size_t nr,
		  size_t places[DIGITS][VALUES])
{
	unsigned int d;
	size_t i;

	for (i = 0; i < nr; i++)
		for (d = 0; d < DIGITS; d++)
			places[d][digit(array[i].key, d)]++;
}

/* By one digit; @place: how many there are of each value. */
static void move(const struct keyed *from, struct keyed *to, size_t nr,
		 unsigned int d, size_t *place)
{
	size_t at = 0, here, i;

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
	size_t(*places)[VALUES];
	struct keyed *copy, *from = array, *to, *other;
	unsigned int d;

	if (nr <= FEW) {
		sort_array_r(array, nr, sizeof(*array), cmp_keyed, NULL);
		return;
	}
	places = calloc(DIGITS, sizeof(*places));
	copy = malloc(nr * sizeof(*copy));
	if (!places || !copy) {
		free(places);
		free(copy);
		sort_in_place(array, nr, sizeof(*array), cmp_keyed, NULL);
		return;
	}
	count(array, nr, places);
	to = copy;
	for (d = 0; d < DIGITS; d++) {
		if (places[d][digit(array[0].key, d)] == nr)
			continue;
		move(from, to, nr, d, places[d]);
		other = from;
		from = to;
		to = other;
	}
	if (from != array)
		memcpy(array, from, nr * sizeof(*array));
	free(copy);
	free(places);
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
