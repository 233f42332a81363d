/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * All chains as one tree: machine, process, thread, and the functions from the
 * outermost to the one that was hit.  A node's samples are counted by the bucket
 * of the profile that the sample is in, so that whatever is made of buckets can
 * be made of chains, with the same sums.
 *
 * Memory is bounded by the number of nodes: beyond it a sample has its function
 * and "[broken: too many different chains]" alone, and .full counts it.
 */
#ifndef MODEL_CHAIN_TREE_H
#define MODEL_CHAIN_TREE_H

#include "model/chain_frames.h"

#define CHAIN_NODES_MAX 1000000u

struct chain_node {
	__u32 frame;  /* number in .frames */
	__u32 parent; /* number, VMMPROF_NONE: none */
	__u32 depth;  /* of the root 0 */
};

/* Samples of a bucket that hit that node's function, with that chain. */
struct chain_leaf {
	__u32 node;
	__u32 bucket;
	__u64 samples;
	__u64 ticks; /* of the bucket's: guest_time_leaves() */
};

struct chain_counts {
	__u64 samples;		       /* all of them */
	__u64 class[NR_CHAIN_CLASSES]; /* sum to them */
	__u64 end[NR_CHAIN_ENDS];      /* so do these */
	__u64 unchecked; /* of the complete ones, see chain_frames */
	/* complete or not, in the tree by their function alone */
	__u64 full;
};

struct chain_tree {
	struct chain_frame *frames; /* each once */
	size_t nr_frames, cap_frames;
	struct chain_node *nodes; /* [0]: the root, which has no frame */
	size_t nr_nodes, cap_nodes;
	struct chain_leaf *leaves;
	size_t nr_leaves, cap_leaves;
	struct hash by_frame; /* hash of a frame, or behind it -> frame */
	struct hash by_node;  /* parent and frame -> node */
	struct hash by_leaf;  /* node and bucket -> leaf */
	__u32 last;	      /* the leaf that was counted last */
	struct chain_counts counts;
	/* to be set after init: keep frames apart by their addresses */
	bool addresses;
	bool calls;   /* so, too: but for those that were hit */
	bool threads; /* to be set after init: there are frames for them */
	size_t max;   /* nodes; CHAIN_NODES_MAX, tests set fewer */
};

/* 0 or -ENOMEM; deinit is due in either case. */
int chain_tree_init(struct chain_tree *t);
void chain_tree_deinit(struct chain_tree *t);

/*
 * Forget all chains but the paths of these nodes, whose numbers become those that
 * they have then; what was set after init stays.  0 or -ENOMEM.
 */
int chain_tree_clear(struct chain_tree *t, __u32 **keep, size_t nr);

/*
 * The node of these frames, with or without samples; @full: that of their
 * machine and process, for there are too many.  0 or -ENOMEM.
 */
int chain_tree_path(struct chain_tree *t, const struct chain_frames *f,
		    bool full, __u32 *node);

/* Go on from *node to its child of that kind.  0 or -ENOMEM. */
int chain_tree_step(struct chain_tree *t, unsigned int kind, __u32 machine,
		    __u32 what, __u32 *node);

/* Is there no room for more frames? */
bool chain_tree_full(const struct chain_tree *t, const struct chain_frames *f);

/* Count a sample of the bucket that has these frames.  0 or -ENOMEM. */
int chain_tree_add(struct chain_tree *t, const struct chain_frames *f,
		   __u32 bucket);

#endif /* MODEL_CHAIN_TREE_H */
