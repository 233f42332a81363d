/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Code of a guest, named so that it is found in another of its bundles: files
 * have other ids there.
 */
#ifndef VMMPROF_DATA_CODEWHAT_H
#define VMMPROF_DATA_CODEWHAT_H

#include "format/bundle.h"
#include "format/code_list.h"

/* No holes: it is compared as bytes. */
struct vmmprof_codewhat {
	__u64 addr;	    /* as in struct vmmprof_code_want */
	__u64 dev, ino;	    /* of its file, as its guest has it */
	__u32 size;	    /* bytes */
	__u8 build_id[20];  /* of its file */
	__u8 build_id_size; /* 0: none */
	__u8 kernel;	    /* of no file */
	__u8 pad[6];
};
_Static_assert(sizeof(struct vmmprof_codewhat) == 56, "no holes");

/* What @want stands for in bundle @b; false: the bundle has no such file. */
bool vmmprof_codewhat_init(struct vmmprof_codewhat *what,
			   const struct vmmprof_bundle *b,
			   const struct vmmprof_code_want *want);

/*
 * The list (format/code_list.h) that asks for @nr of them by the file ids of bundle
 * @b, in their order: those whose file is in it, as many as a list may have.
 * Nothing in @what is trusted.  Its length in @list, which has room for
 * VMMPROF_CODELIST_MAX bytes.
 */
size_t vmmprof_codewhat_list(const struct vmmprof_bundle *b,
			     const struct vmmprof_codewhat *what, size_t nr,
			     char *list);

#endif /* VMMPROF_DATA_CODEWHAT_H */
