/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Code of a guest, named independently of one bundle: file ids differ from one
 * bundle of a guest to the next, build-ids, devices and inodes do not.
 */
#ifndef FORMAT_CODE_IDENTITY_H
#define FORMAT_CODE_IDENTITY_H

#include "format/bundle.h"
#include "format/code_list.h"

/* No holes: it is compared as bytes. */
struct code_identity {
	__u64 addr;	    /* as in struct code_want */
	__u64 dev, ino;	    /* of its file, as its guest has it */
	__u32 size;	    /* bytes */
	__u8 build_id[20];  /* of its file */
	__u8 build_id_size; /* 0: none */
	__u8 kernel;	    /* of no file */
	__u8 pad[6];
};
_Static_assert(sizeof(struct code_identity) == 56, "no holes");

/* What @want stands for in bundle @b; false: the bundle has no such file. */
bool code_identity_init(struct code_identity *what, const struct bundle *b,
			const struct code_want *want);

/*
 * The list (format/code_list.h) that asks for @nr of them by the file ids of bundle
 * @b, in their order: those whose file is in it, as many as a list may have.
 * Nothing in @what is trusted.  Its length in @list, which has room for
 * CODE_LIST_MAX bytes.
 */
size_t code_identity_list(const struct bundle *b,
			  const struct code_identity *what, size_t nr,
			  char *list);

#endif /* FORMAT_CODE_IDENTITY_H */
