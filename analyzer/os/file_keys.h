/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What mapped files are known by: device and inode; and, of files that nobody
 * but one user can write, this user and the build-id.  A build-id alone says
 * what its writer likes.
 */
#ifndef VMMPROF_OS_FILE_KEYS_H
#define VMMPROF_OS_FILE_KEYS_H

#include <stddef.h>

#include "os/file_protocol.h"

struct vmmprof_filekey {
	__u64 dev; /* of a build-id: the user */
	__u64 ino;
	__u8 build_id[VMMPROF_ELF_BUILD_ID_MAX];
	__u8 build_id_size; /* 0: by dev and ino */
	__u32 index;
};

/* A hash table; zeroed: empty. */
struct vmmprof_filekeys {
	struct vmmprof_filekey *keys;
	size_t nr;
	size_t slots; /* power of two */
};

/* The index, VMMPROF_NONE: not known.  key->index does not matter. */
__u32 vmmprof_filekeys_find(const struct vmmprof_filekeys *k,
			    const struct vmmprof_filekey *key);

/* Adds or replaces it.  0 or -ENOMEM. */
int vmmprof_filekeys_set(struct vmmprof_filekeys *k,
			 const struct vmmprof_filekey *key);

void vmmprof_filekeys_deinit(struct vmmprof_filekeys *k);

#endif /* VMMPROF_OS_FILE_KEYS_H */
