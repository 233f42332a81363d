// SPDX-License-Identifier: GPL-2.0-only
/*
 * A hash table with open addressing; its hash is keyed, so build-ids cannot be
 * chosen to collide.
 */

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "os/file_keys.h"

static size_t hash(const struct file_key *k)
{
	const __u64 inode[2] = { k->dev, k->ino };

	return k->build_id_size ? hash_bytes(k->build_id, k->build_id_size) :
				  hash_bytes(inode, sizeof(inode));
}

static bool same(const struct file_key *a, const struct file_key *b)
{
	return a->dev == b->dev && a->ino == b->ino &&
	       a->build_id_size == b->build_id_size &&
	       !memcmp(a->build_id, b->build_id, a->build_id_size);
}

/* Free slots have the index VMMPROF_NONE.  slots must not be 0. */
static struct file_key *find_slot(const struct file_keys *k,
				  const struct file_key *key)
{
	size_t i = hash(key) & (k->slots - 1);

	while (k->keys[i].index != VMMPROF_NONE && !same(&k->keys[i], key))
		i = (i + 1) & (k->slots - 1);
	return &k->keys[i];
}

__u32 file_keys_find(const struct file_keys *k, const struct file_key *key)
{
	return k->slots ? find_slot(k, key)->index : VMMPROF_NONE;
}

static int grow(struct file_keys *k)
{
	struct file_keys bigger = {
		.nr = k->nr,
		.slots = k->slots ? 2 * k->slots : 256,
	};
	size_t i;

	bigger.keys = calloc(bigger.slots, sizeof(*bigger.keys));
	if (!bigger.keys)
		return -ENOMEM;
	for (i = 0; i < bigger.slots; i++)
		bigger.keys[i].index = VMMPROF_NONE;
	for (i = 0; i < k->slots; i++)
		if (k->keys[i].index != VMMPROF_NONE)
			*find_slot(&bigger, &k->keys[i]) = k->keys[i];
	free(k->keys);
	*k = bigger;
	return 0;
}

int file_keys_set(struct file_keys *k, const struct file_key *key)
{
	struct file_key *slot;

	if (k->nr >= k->slots / 2 && grow(k))
		return -ENOMEM;
	slot = find_slot(k, key);
	if (slot->index == VMMPROF_NONE)
		k->nr++;
	*slot = *key;
	return 0;
}

void file_keys_deinit(struct file_keys *k)
{
	free(k->keys);
	memset(k, 0, sizeof(*k));
}
