/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A set of numbers below a bound: a bit for each, above them a bit for each
 * 64 that tells whether one of these is there, and so on.
 */
#ifndef BASE_NUMBER_SET_H
#define BASE_NUMBER_SET_H

#include <stddef.h>
#include <linux/types.h>

#define NUMBER_SET_NONE	  ((size_t)-1)
#define NUMBER_SET_LEVELS 11 /* of 6 bits each */

struct number_set {
	__u64 *level[NUMBER_SET_LEVELS]; /* [0]: allocated, the others in it */
	unsigned int levels;
	size_t bound;
};

/* The empty set of numbers below @bound, which is not 0.  0 or -ENOMEM. */
int number_set_init(struct number_set *s, size_t bound);
void number_set_deinit(struct number_set *s);

/* @i: below the bound. */
void number_set_add(struct number_set *s, size_t i);
void number_set_remove(struct number_set *s, size_t i);

/* The greatest member up to and with @i, or NUMBER_SET_NONE. */
size_t number_set_last(const struct number_set *s, size_t i);
/* The least member from @i on, which is not above the bound, or NUMBER_SET_NONE. */
size_t number_set_next(const struct number_set *s, size_t i);

#endif /* BASE_NUMBER_SET_H */
