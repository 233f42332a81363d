/* SPDX-License-Identifier: GPL-2.0-only */
/* Packed CHAIN records become whole ones again, each with its data. */
#ifndef FORMAT_CHAIN_UNPACK_H
#define FORMAT_CHAIN_UNPACK_H

#include "format/chain_kept.h"

/*
 * One file's.  Memory: of each id the last data, 21 MB if every one of them is as
 * large as can be.
 */
struct chain_unpack {
	struct chain_table table;
	struct {
		struct vmmprof_rec_chain head;
		__u64 more[CHAIN_MEMBERS + CHAIN_WORDS_MAX + 1];
	} rec;
};

/* NULL without memory. */
struct chain_unpack *chain_unpack_new(void);

/* NULL is allowed. */
void chain_unpack_free(struct chain_unpack *u);

/*
 * The next packed record of the file becomes a CHAIN record in .rec, without a
 * reference.  The record is anybody's, of hdr->size bytes.  Returns 0, -EBADMSG
 * or -ENOMEM.
 */
int chain_unpack(struct chain_unpack *u, const struct vmmprof_rec_hdr *hdr);

#endif /* FORMAT_CHAIN_UNPACK_H */
