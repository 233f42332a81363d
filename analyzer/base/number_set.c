// SPDX-License-Identifier: GPL-2.0-only
/* A set of numbers below a bound, as a bitmap with summaries above it. */

#include <errno.h>
#include <stdlib.h>

#include "base/number_set.h"

int number_set_init(struct number_set *s, size_t bound)
{
	size_t words[NUMBER_SET_LEVELS], sum = 0;
	unsigned int i;

	s->levels = 0;
	s->bound = bound;
	do {
		bound = (bound + 63) / 64;
		words[s->levels++] = bound;
		sum += bound;
	} while (bound > 1);
	s->level[0] = calloc(sum, sizeof(**s->level));
	for (i = 1; i < s->levels && s->level[0]; i++)
		s->level[i] = s->level[i - 1] + words[i - 1];
	return s->level[0] ? 0 : -ENOMEM;
}

void number_set_deinit(struct number_set *s)
{
	free(s->level[0]);
	s->level[0] = NULL;
}

void number_set_add(struct number_set *s, size_t i)
{
	unsigned int l;

	for (l = 0; l < s->levels; l++, i /= 64) {
		/* then all above it are, too */
		if (s->level[l][i / 64] >> i % 64 & 1)
			break;
		s->level[l][i / 64] |= 1ull << i % 64;
	}
}

void number_set_remove(struct number_set *s, size_t i)
{
	unsigned int l;

	for (l = 0; l < s->levels; l++, i /= 64) {
		s->level[l][i / 64] &= ~(1ull << i % 64);
		if (s->level[l][i / 64])
			break;
	}
}

static unsigned int highest(__u64 word)
{
	return 63 - __builtin_clzll(word);
}

size_t number_set_last(const struct number_set *s, size_t i)
{
	unsigned int l;
	__u64 word;

	for (l = 0; l < s->levels; l++) {
		word = s->level[l][i / 64] & ~0ull >> (63 - i % 64);
		if (word) {
			i = i / 64 * 64 + highest(word);
			while (l--)
				i = i * 64 + highest(s->level[l][i]);
			return i;
		}
		i /= 64;
		if (!i--)
			break;
	}
	return NUMBER_SET_NONE;
}

size_t number_set_next(const struct number_set *s, size_t i)
{
	size_t bits = s->bound;
	unsigned int l;
	__u64 word;

	for (l = 0; l < s->levels && i < bits; l++) {
		word = s->level[l][i / 64] & ~0ull << i % 64;
		if (word) {
			i = i / 64 * 64 + __builtin_ctzll(word);
			while (l--)
				i = i * 64 + __builtin_ctzll(s->level[l][i]);
			return i;
		}
		i = i / 64 + 1;
		bits = (bits + 63) / 64;
	}
	return NUMBER_SET_NONE;
}
