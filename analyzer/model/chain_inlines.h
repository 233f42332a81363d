/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Functions that the compiler put into those of a chain, from the debugging
 * information of user files: the host's own, or separate files by build-id, of
 * guests those alone; and of kernels.  Each address is looked up once.
 *
 * Bounds: addresses, files, and CPU time; beyond one a function is shown without
 * what is inlined in it, and .left_out counts that.
 */
#ifndef MODEL_CHAIN_INLINES_H
#define MODEL_CHAIN_INLINES_H

#include "model/chain_frame.h"

#define CHAIN_INLINES_DEPTH 32 /* at one address; outer ones are left out */
#define CHAIN_INLINES_CODES 200000
#define CHAIN_INLINES_FILES 256
#define CHAIN_INLINES_NS    30000000000ull /* of CPU time, all together */

/* Of an address of a file. */
struct chain_inline_list {
	__u32 machine, file;
	__u64 link;
	__u32 first, nr; /* in .names */
};

struct chain_inlines {
	struct resolver *r;
	struct chain_inline_list *lists;
	size_t nr, cap;
	__u32 *names; /* string ids of the resolver */
	size_t nr_names, cap_names;
	struct hash by_code; /* hash of where it is, or behind it -> list */
	struct hash files;   /* machine << 32 | file */
	__u64 spent_ns;
	__u64 left_out; /* frames that were not looked up */
};

/* The resolver is lent.  deinit is due. */
void chain_inlines_init(struct chain_inlines *c, struct resolver *r);
void chain_inlines_deinit(struct chain_inlines *c);

/*
 * The functions inlined at a frame's address, innermost first: *nr of them at
 * *names, until the next call; none: *names is as it was.  0 or -ENOMEM.
 */
int chain_inlines_find(struct chain_inlines *c, const struct chain_frame *f,
		       const __u32 **names, size_t *nr);

/*
 * Put a frame before each one of @f for each function inlined there, as long as
 * there is room.  0 or -ENOMEM.
 */
int chain_inlines_expand(struct chain_inlines *c, struct chain_frames *f);

/* The frame of one of them. */
static inline struct chain_frame chain_inlined(const struct chain_frame *in,
					       __u32 name)
{
	struct chain_frame f = *in;

	f.func = name;
	f.cause = CAUSE_NONE;
	f.inlined = 1;
	return f;
}

#endif /* MODEL_CHAIN_INLINES_H */
