/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * FNV-1a over bytes (Fowler, Noll, Vo).  Not against chosen input: mix the
 * result with vmmprof_hash_mix() where a foreign file chooses the bytes.
 */
#ifndef VMMPROF_DATA_FNV_H
#define VMMPROF_DATA_FNV_H

#include <stddef.h>
#include <linux/types.h>

#define VMMPROF_FNV1A_START 0xcbf29ce484222325ull

/* Goes on from @hash: VMMPROF_FNV1A_START, or what came before. */
static inline __u64 vmmprof_fnv1a(__u64 hash, const void *data, size_t size)
{
	const __u8 *byte = data;

	while (size--)
		hash = (hash ^ *byte++) * 0x100000001b3ull;
	return hash;
}

#endif /* VMMPROF_DATA_FNV_H */
