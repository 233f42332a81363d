/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * From a number that is small in practice, such as a CPU's, to an index: an
 * array of those below a bound, a hash map of all others.
 */
#ifndef BASE_SMALL_NUMBERS_H
#define BASE_SMALL_NUMBERS_H

#include "base/hash.h"

#define SMALL_NUMBERS 1024

struct small_numbers {
	__u32 small[SMALL_NUMBERS]; /* + 1; 0: none */
	struct hash others;
};

/* The index of a number, VMMPROF_NONE without one.  A zeroed map is empty. */
static inline __u32 small_numbers_get(const struct small_numbers *s,
				      __u32 number)
{
	/* none: 0 - 1 */
	return number < SMALL_NUMBERS ? s->small[number] - 1 :
					hash_get(&s->others, number);
}

/* Returns 0 or -ENOMEM. */
static inline int small_numbers_set(struct small_numbers *s, __u32 number,
				    __u32 index)
{
	if (number >= SMALL_NUMBERS)
		return hash_set(&s->others, number, index);
	s->small[number] = index + 1;
	return 0;
}

static inline void small_numbers_deinit(struct small_numbers *s)
{
	hash_deinit(&s->others);
}

#endif /* BASE_SMALL_NUMBERS_H */
