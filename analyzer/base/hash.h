/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Hash map from a 64-bit key to a 32-bit index, and a hash of bytes.  Both are
 * keyed with random numbers of this process, before anything else is mixed in:
 * whoever chooses the keys cannot choose ones that collide.  The order of a
 * table differs from run to run: never print in that order.
 */
#ifndef BASE_HASH_H
#define BASE_HASH_H

#include <stddef.h>
#include <linux/types.h>

#include <vmmprof/record.h>

/* A key beside its value: to look one up takes one line of the CPU's cache. */
struct hash_slot {
	__u64 key;
	__u32 value; /* VMMPROF_NONE: slot is free */
};

struct hash {
	struct hash_slot *slots;
	size_t nr;
	size_t mask; /* slots - 1; 0: not allocated yet */
};

/* Random, set before main(); the second is odd. */
extern __u64 hash_set_seed[2];

/*
 * Mixes all bits of a key: the product with a secret number, its two halves
 * folded together, then scattered once more, as evenly spaced keys would
 * otherwise give evenly spaced values.  The same key gives the same value
 * within a process.
 */
static inline __u64 hash_mix(__u64 key)
{
	unsigned __int128 p = key ^ hash_set_seed[0];
	__u64 h;

	p *= hash_set_seed[1];
	h = ((__u64)p ^ (__u64)(p >> 64)) * 0xbf58476d1ce4e5b9ull;
	return h ^ h >> 32;
}

/* The same of several words; @nr is even. */
static inline __u64 hash_words(const __u64 *w, size_t nr)
{
	unsigned __int128 p;
	__u64 h = 0;
	size_t i;

	/* Products that do not depend on each other: the CPU makes them at once. */
#pragma GCC unroll 4
	for (i = 0; i < nr; i += 2) {
		p = (w[i] + i * 0x9e3779b97f4a7c15ull) ^ hash_set_seed[0];
		p *= w[i + 1] ^ hash_set_seed[1];
		h ^= ((__u64)p ^ (__u64)(p >> 64)) * (i + 1);
	}
	return hash_mix(h);
}

/*
 * The place of two numbers in a table that remembers what was met last, of 2 to the
 * power of @bits places: quick, and whoever chooses the numbers can make them collide,
 * which costs time alone.
 */
static inline size_t hash_recent(__u64 a, __u64 b, unsigned int bits)
{
	return (a ^ b * 0xd6e8feb86659fd93ull) * 0x9e3779b97f4a7c15ull >>
	       (64 - bits);
}

/* The value of key, VMMPROF_NONE without one.  A zeroed map is empty. */
static inline __u32 hash_get(const struct hash *h, __u64 key)
{
	size_t i;

	if (!h->mask)
		return VMMPROF_NONE;
	for (i = hash_mix(key) & h->mask;
	     h->slots[i].value != VMMPROF_NONE && h->slots[i].key != key;
	     i = (i + 1) & h->mask)
		;
	return h->slots[i].value;
}

/*
 * What hash_get() reads first, to __builtin_prefetch() when it comes soon.  Not
 * done here: GCC leaves out the call of a function that does nothing else.
 */
static inline const void *hash_place(const struct hash *h, __u64 key)
{
	return h->mask ? &h->slots[hash_mix(key) & h->mask] : NULL;
}

/* Set or replace.  value may not be VMMPROF_NONE.  Returns 0 or -ENOMEM. */
int hash_set(struct hash *h, __u64 key, __u32 value);

void hash_deinit(struct hash *h);

/*
 * SipHash-1-3 of bytes (Aumasson and Bernstein; one round for each word, three
 * at the end).  The same bytes give the same value within a process.
 */
__u64 hash_bytes(const void *data, size_t size);

#endif /* BASE_HASH_H */
