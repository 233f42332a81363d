/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A tree of some chains, to be shown: callers above those that they call, or
 * the function above its callers.
 */
#ifndef VIEW_CHAIN_VIEW_H
#define VIEW_CHAIN_VIEW_H

#include "view/chain_rows.h"

struct chain_view_node {
	__u32 frame;	   /* of the tree; VMMPROF_NONE: the root */
	__u32 first, next; /* child, sibling; VMMPROF_NONE: none */
	__u64 total;	   /* samples of chains through it; or ticks */
	__u64 self;	   /* of those that end here */
};

struct chain_view {
	struct chain_view_node *nodes; /* [0]: the root */
	size_t nr, cap;
	struct hash by_node;
	__u32 *path;
	size_t cap_path;
	/*
	 * NULL, or of each frame of the tree which one stands for it: those that
	 * differ by their addresses alone become one.  Lent, to be set after
	 * init.
	 */
	const __u32 *same;
};

/* 0 or -ENOMEM; deinit is due in either case. */
int chain_view_init(struct chain_view *v);
void chain_view_deinit(struct chain_view *v);

/*
 * Put the chain of a node into v->path, as nodes of the tree, in the order in
 * which chain_view_weigh() takes them.  0 or -ENOMEM.
 */
int chain_view_path(struct chain_view *v, const struct chain_tree *t,
		    __u32 node, __u32 depth, bool callee, size_t *nr);

/*
 * Add the chain of a node without machine and process, with samples or ticks.
 * @depth: of a node of it.  @callee: from that node outwards to its callers, else
 * from that node to the function that was hit.  0 or -ENOMEM.
 */
int chain_view_weigh(struct chain_view *v, const struct chain_tree *t,
		     __u32 node, __u64 weight, __u32 depth, bool callee);

/* Children of each node most first: after the last one was added. */
int chain_view_sort(struct chain_view *v);

/* The chains of a row, children of most weight first.  Init is due before. */
int chain_view_row(struct chain_view *v, const struct chain_rows *c, size_t row,
		   bool callee);

/* The only child, if all chains go on there; VMMPROF_NONE. */
__u32 chain_view_only(const struct chain_view *v, __u32 node);

#endif /* VIEW_CHAIN_VIEW_H */
