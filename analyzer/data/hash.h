/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Hash map from a 64-bit key to a 32-bit index.  The mixing is seeded per
 * process, so that a foreign file cannot choose keys that collide.
 */
#ifndef VMMPROF_DATA_HASH_H
#define VMMPROF_DATA_HASH_H

#include <stddef.h>
#include <linux/types.h>

#include <vmmprof/record.h>

struct vmmprof_hash {
	__u64 *keys;
	__u32 *values; /* VMMPROF_NONE: slot is free */
	size_t nr;
	size_t mask; /* slots - 1; 0: not allocated yet */
};

/* Random, set before main(); the second is odd. */
extern __u64 vmmprof_hash_seed[2];

/*
 * Mixes all bits: the two halves of the product with a secret number.  The
 * same key gives the same value within a process.
 */
static inline __u64 vmmprof_hash_mix(__u64 key)
{
	unsigned __int128 p = key ^ vmmprof_hash_seed[0];

	p *= vmmprof_hash_seed[1];
	return (__u64)p ^ (__u64)(p >> 64);
}

/* The value of key, VMMPROF_NONE without one.  A zeroed map is empty. */
static inline __u32 vmmprof_hash_get(const struct vmmprof_hash *h, __u64 key)
{
	size_t i;

	if (!h->mask)
		return VMMPROF_NONE;
	for (i = vmmprof_hash_mix(key) & h->mask;
	     h->values[i] != VMMPROF_NONE && h->keys[i] != key;
	     i = (i + 1) & h->mask)
		;
	return h->values[i];
}

/* Set or replace.  value may not be VMMPROF_NONE.  Returns 0 or -ENOMEM. */
int vmmprof_hash_set(struct vmmprof_hash *h, __u64 key, __u32 value);

void vmmprof_hash_deinit(struct vmmprof_hash *h);

#endif /* VMMPROF_DATA_HASH_H */
