/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The samples (or ticks) of each leaf of a tree of chains, kept apart by slices of time: of
 * the same slices as model/slices has, or parts of those.
 *
 * Memory is bounded by a number of counts: beyond it, slices are made wider.
 */
#ifndef MODEL_CHAIN_SLICES_H
#define MODEL_CHAIN_SLICES_H

#include "model/chain_tree.h"
#include "model/slices.h"

struct chain_slice {
	__u32 leaf;
	__u32 slice;
	__u64 n;
};

struct chain_slices {
	struct chain_slice *counts;
	size_t nr, cap, max;
	struct hash by_key;
	__u64 from, width; /* of a slice, ticks */
};

/* @s: before its pass.  @max: counts. */
void chain_slices_init(struct chain_slices *c, const struct slices *s,
		       size_t max);

/* A sample of that time.  0 or -ENOMEM. */
int chain_slices_add(struct chain_slices *c, __u32 leaf, __u64 tsc);

/* Ticks of time from @from to @to.  0 or -ENOMEM. */
int chain_slices_spend(struct chain_slices *c, __u32 leaf, __u64 from,
		       __u64 to);

/* The slice of @s (after its pass) that a count is in. */
__u32 chain_slices_at(const struct chain_slices *c, const struct slices *s,
		      const struct chain_slice *count);

/*
 * Set the samples of the tree's leaves to those in slices @first to @last of @s.
 * Exact as long as no slice was made wider.
 */
void chain_slices_apply(const struct chain_slices *c, const struct slices *s,
			size_t first, size_t last, struct chain_tree *t);

void chain_slices_deinit(struct chain_slices *c);

#endif /* MODEL_CHAIN_SLICES_H */
