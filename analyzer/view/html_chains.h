/* SPDX-License-Identifier: GPL-2.0-only */
/* The call chains in the page of `vmmprof report --html`. */
#ifndef VIEW_HTML_CHAINS_H
#define VIEW_HTML_CHAINS_H

#include "model/chain_slices.h"
#include "model/chain_waits.h"
#include "view/json.h"
#include "view/report.h"

/* What the page has of chains. */
struct html_chains {
	const struct chain_tree *tree;
	const struct chain_slices *slices;
	/* time in which vCPUs did not run; NULL: it has no chains */
	const struct chain_waits *waits;
	const struct chain_slices *wait_slices;
	const struct slices *time; /* of the pass */
	unsigned int step;	   /* slices of it that are one of the page */
	const struct report *report;
};

/* An entry of the page's samples: of an entry of the export, one chain. */
struct html_item {
	__u32 entry;
	__u32 node; /* of the tree; 0: without chains */
	__u32 vcpu; /* of the VM that the chain is in, VMMPROF_NONE */
};

/*
 * Member of that name: {names, frames, nodes, items, waits}.  Frames and nodes
 * are those of the tree, each node behind its parent; items in the order given.
 * 0 or -ENOMEM.
 */
int html_chains(const struct html_chains *c, struct names *n,
		const struct html_item *items, size_t nr, struct json_out *j,
		const char *key);

#endif /* VIEW_HTML_CHAINS_H */
