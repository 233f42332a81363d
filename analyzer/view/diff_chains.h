/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The call chains of two sessions as one tree by names: VM, process, functions
 * from the outermost on, and what a vCPU did without guest code.  Each node has what
 * ends there in A and in B.
 */
#ifndef VIEW_DIFF_CHAINS_H
#define VIEW_DIFF_CHAINS_H

#include "model/chain_pass.h"
#include "view/diff.h"
#include "view/json.h"

/* Beyond this, what is below a node counts for the node. */
#define DIFF_NODES_MAX (2 * CHAIN_NODES_MAX)

/* Which tree is shown: with chains if both sessions have some. */
const struct diff_tree *diff_chains_tree(const struct diff *d);

/*
 * Add session @i, of which diff_take() was called; @chains: NULL: it has none.
 *  With guest_time_leaves() if the report is timed.  0 or -ENOMEM.
 */
int diff_chains_take(struct diff *d, unsigned int i, struct report *r,
		     const struct timeline *tl,
		     const struct chain_pass *chains);

/* What ends at a node in session @s: nanoseconds, or samples. */
static inline __u64 diff_chains_weight(const struct diff *d,
				       const struct diff_node *n,
				       unsigned int s)
{
	return d->timed ? n->ns[s] : n->samples[s];
}

/* Folded stacks with two numbers, as difffolded.pl writes them.  0 or -ENOMEM. */
int diff_chains_text(const struct diff *d, FILE *out);

/* Member "chains".  0 or -ENOMEM. */
int diff_chains_json(const struct diff *d, struct json_out *j);

/* The page with the differential flame graph.  0 or -ENOMEM. */
int diff_html(const struct diff *d, FILE *out);

#endif /* VIEW_DIFF_CHAINS_H */
