/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The parts of a time series with the chains of their samples, or of the time in
 * which a vCPU did not run: a part becomes one for each chain, and these sum to
 * it in samples and ticks.
 *
 * Samples of VM exits are no part of the host then, but of the vCPU, as in
 * view/chain_stacks: its [vmm] has their chains, those of a bin or, if it has
 * none, of the nearest one that has.  Without time they are an entry of their own.
 */
#ifndef VIEW_TIME_CHAINS_H
#define VIEW_TIME_CHAINS_H

#include "model/chain_pass.h"
#include "view/time_series.h"

struct time_chains {
	const struct chain_tree *tree;
	/* by frame of the tree: ids in the names of the entries */
	__u32 *name, *module; /* module: VMMPROF_NONE if it is no code */
};

/*
 * Split the parts of @o, of which no bin is narrower than time_chains_width(), by
 * the chains of a pass that were counted by time.  Frames' names are added to
 * those of @es, which have maps and thieves, and so are entries of VM exits.  0 or -ENOMEM; deinit is due in
 * either case.
 */
int time_chains_init(struct time_chains *c, struct time_series *o,
		     struct entries *es, struct names *n,
		     const struct chain_pass *p, const struct slices *s);
__u64 time_chains_width(const struct chain_pass *p);
void time_chains_deinit(struct time_chains *c);

/*
 * The nodes of a part's chain, the innermost first; where a VM exit was handled,
 * the guest and its process are the last of them, of a vCPU that did not run its
 * process.  The number of them; nodes has
 * CHAIN_FRAMES_MAX places.
 */
size_t time_chains_path(const struct time_chains *c, const struct entry *e,
			__u32 node, __u32 *nodes);

#endif /* VIEW_TIME_CHAINS_H */
