// SPDX-License-Identifier: GPL-2.0-only
/* Open addressing with linear probing, at most half full; SipHash. */

#include <endian.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/random.h>

#include "base/hash.h"
#include "base/huge_pages.h"

__u64 hash_set_seed[2];
static __u64 sip_key[2];

/* The kernel gives each process 16 random bytes, also early at boot. */
static void early_key(void)
{
	const void *bytes = (const void *)getauxval(AT_RANDOM);

	if (bytes)
		memcpy(sip_key, bytes, sizeof(sip_key));
	hash_set_seed[0] = hash_bytes("0", 1);
	hash_set_seed[1] = hash_bytes("1", 1);
}

__attribute__((constructor)) static void hash_seed(void)
{
	__u64 random[4];

	if (getrandom(random, sizeof(random), GRND_NONBLOCK) ==
	    (ssize_t)sizeof(random)) {
		memcpy(sip_key, random, sizeof(sip_key));
		memcpy(hash_set_seed, random + 2, sizeof(hash_set_seed));
	} else {
		early_key();
	}
	/*
	 * Odd and large: a product with a small number has an upper half of
	 * zeros.
	 */
	hash_set_seed[1] |= 1ull << 63 | 1;
}

static inline __u64 rotate(__u64 x, unsigned int by)
{
	return x << by | x >> (64 - by);
}

static inline void sip_round(__u64 v[4])
{
	v[0] += v[1];
	v[1] = rotate(v[1], 13) ^ v[0];
	v[0] = rotate(v[0], 32);
	v[2] += v[3];
	v[3] = rotate(v[3], 16) ^ v[2];
	v[0] += v[3];
	v[3] = rotate(v[3], 21) ^ v[0];
	v[2] += v[1];
	v[1] = rotate(v[1], 17) ^ v[2];
	v[2] = rotate(v[2], 32);
}

static inline void sip_word(__u64 v[4], __u64 word)
{
	v[3] ^= word;
	sip_round(v);
	v[0] ^= word;
}

__u64 hash_bytes(const void *data, size_t size)
{
	__u64 v[4] = { sip_key[0] ^ 0x736f6d6570736575ull,
		       sip_key[1] ^ 0x646f72616e646f6dull,
		       sip_key[0] ^ 0x6c7967656e657261ull,
		       sip_key[1] ^ 0x7465646279746573ull };
	const __u8 *p = data;
	size_t left = size;
	__u64 word;

	for (; left >= 8; left -= 8, p += 8) {
		memcpy(&word, p, 8);
		sip_word(v, le64toh(word));
	}
	word = 0;
	memcpy(&word, p, left);
	sip_word(v, le64toh(word) | (__u64)size << 56);
	v[2] ^= 0xff;
	sip_round(v);
	sip_round(v);
	sip_round(v);
	return v[0] ^ v[1] ^ v[2] ^ v[3];
}

static size_t slot_of(const struct hash *h, __u64 key)
{
	size_t i = hash_mix(key) & h->mask;

	while (h->slots[i].value != VMMPROF_NONE && h->slots[i].key != key)
		i = (i + 1) & h->mask;
	return i;
}

static int hash_resize(struct hash *h)
{
	size_t slots = h->mask ? (h->mask + 1) * 2 : 64, i;
	struct hash n = { .nr = h->nr, .mask = slots - 1 };

	n.slots = malloc(slots * sizeof(*n.slots));
	if (!n.slots)
		return -ENOMEM;
	huge_pages(n.slots, slots * sizeof(*n.slots));
	memset(n.slots, 0xff, slots * sizeof(*n.slots));
	for (i = 0; h->mask && i <= h->mask; i++)
		if (h->slots[i].value != VMMPROF_NONE)
			n.slots[slot_of(&n, h->slots[i].key)] = h->slots[i];
	hash_deinit(h);
	*h = n;
	return 0;
}

int hash_set(struct hash *h, __u64 key, __u32 value)
{
	size_t i;

	if (2 * (h->nr + 1) > h->mask) {
		int ret = hash_resize(h);

		if (ret)
			return ret;
	}
	i = slot_of(h, key);
	if (h->slots[i].value == VMMPROF_NONE)
		h->nr++;
	h->slots[i].key = key;
	h->slots[i].value = value;
	return 0;
}

void hash_deinit(struct hash *h)
{
	free(h->slots);
	memset(h, 0, sizeof(*h));
}
