// SPDX-License-Identifier: GPL-2.0-only
/* Open addressing with linear probing, at most half full. */

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "hash.h"

__u64 vmmprof_hash_seed[2];

__attribute__((constructor)) static void hash_seed(void)
{
	const size_t size = sizeof(vmmprof_hash_seed);

	if (getrandom(vmmprof_hash_seed, size, GRND_NONBLOCK) !=
	    (ssize_t)size) {
		vmmprof_hash_seed[0] = 0xbf58476d1ce4e5b9ull;
		vmmprof_hash_seed[1] = 0x9e3779b97f4a7c15ull;
	}
	/* Both halves of a product with a small number would say little. */
	vmmprof_hash_seed[1] |= 1ull << 63 | 1;
}

static size_t hash_slot(const struct vmmprof_hash *h, __u64 key)
{
	size_t i = vmmprof_hash_mix(key) & h->mask;

	while (h->values[i] != VMMPROF_NONE && h->keys[i] != key)
		i = (i + 1) & h->mask;
	return i;
}

static int hash_resize(struct vmmprof_hash *h)
{
	size_t slots = h->mask ? (h->mask + 1) * 2 : 64, i, j;
	struct vmmprof_hash n = { .nr = h->nr, .mask = slots - 1 };

	n.keys = malloc(slots * sizeof(*n.keys));
	n.values = malloc(slots * sizeof(*n.values));
	if (!n.keys || !n.values) {
		vmmprof_hash_deinit(&n);
		return -ENOMEM;
	}
	memset(n.values, 0xff, slots * sizeof(*n.values));
	for (i = 0; h->mask && i <= h->mask; i++) {
		if (h->values[i] == VMMPROF_NONE)
			continue;
		j = hash_slot(&n, h->keys[i]);
		n.keys[j] = h->keys[i];
		n.values[j] = h->values[i];
	}
	vmmprof_hash_deinit(h);
	*h = n;
	return 0;
}

int vmmprof_hash_set(struct vmmprof_hash *h, __u64 key, __u32 value)
{
	size_t i;

	if (2 * (h->nr + 1) > h->mask) {
		int ret = hash_resize(h);

		if (ret)
			return ret;
	}
	i = hash_slot(h, key);
	if (h->values[i] == VMMPROF_NONE)
		h->nr++;
	h->keys[i] = key;
	h->values[i] = value;
	return 0;
}

void vmmprof_hash_deinit(struct vmmprof_hash *h)
{
	free(h->keys);
	free(h->values);
	memset(h, 0, sizeof(*h));
}
