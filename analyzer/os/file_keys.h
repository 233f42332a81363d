/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Keys by which mapped files are known: device and inode; and, for files that
 * only one user can write, this user and the build-id.  The build-id alone does
 * not do: who writes a file can choose it.
 */
#ifndef OS_FILE_KEYS_H
#define OS_FILE_KEYS_H

#include <stddef.h>

#include "os/file_protocol.h"

struct file_key {
	__u64 dev; /* of a build-id: the user */
	__u64 ino;
	__u8 build_id[ELFFILE_BUILD_ID_MAX];
	__u8 build_id_size; /* 0: by dev and ino */
	__u32 index;
};

/* A hash table; zeroed: empty. */
struct file_keys {
	struct file_key *keys;
	size_t nr;
	size_t slots; /* power of two */
};

/* The index, VMMPROF_NONE: not known.  key->index does not matter. */
__u32 file_keys_find(const struct file_keys *k, const struct file_key *key);

/* Adds or replaces it.  0 or -ENOMEM. */
int file_keys_set(struct file_keys *k, const struct file_key *key);

void file_keys_deinit(struct file_keys *k);

#endif /* OS_FILE_KEYS_H */
