/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The chains of a table's rows.  A row has those of the samples that hit its
 * function or, with the callees, of all samples in which its function is at all:
 * each chain once, whatever it calls again.
 */
#ifndef VIEW_CHAIN_ROWS_H
#define VIEW_CHAIN_ROWS_H

#include "base/groups.h"
#include "model/chain_waits.h"
#include "view/table.h"

/*
 * A row's function in a chain: that of a leaf of the tree or, from the number of
 * leaves on, of a wait.
 */
struct chain_use {
	__u32 row, leaf;
	__u32 depth; /* of its outermost frame there, as in the tree's nodes */
};

struct chain_rows {
	const struct chain_tree *tree;
	/* NULL, or chains weigh what they have of time, and so do these */
	const struct chain_waits *waits;
	bool children;
	struct chain_use *uses;
	size_t nr, cap;
	struct groups by_row;
	/* of rows, with .children; else NULL */
	struct chain_self {
		__u64 samples;
		__u64 ticks; /* of time, if the table is of time */
	} * self;
};

/*
 * A table made of chains.  With @children it has the rows of all functions in them;
 * a row's samples are those (and ticks) of the chains that it is in; .total and so on
 * are those of samples, as of table_init().  @waits: NULL, or of a VM's table of
 * time, with @children: its functions have the time, too, in which a vCPU did not
 * run that they left.  0 or -ENOMEM; deinit of the table is due in either case.
 */
int chain_table_init(struct table *t, struct names *n,
		     const struct selection *sel, const struct chain_tree *tree,
		     const struct chain_waits *waits, bool children);

/*
 * The chains of the first @rows rows of a table; the rest as there.  0 or -ENOMEM;
 * deinit is due in either case.
 */
int chain_rows_init(struct chain_rows *c, struct names *n,
		    const struct selection *sel, const struct table *t,
		    size_t rows, const struct chain_tree *tree,
		    const struct chain_waits *waits, bool children);

/* The node and the weight of a chain that a row has. */
__u32 chain_use_node(const struct chain_rows *c, const struct chain_use *u);
__u64 chain_use_weight(const struct chain_rows *c, const struct chain_use *u);
void chain_rows_deinit(struct chain_rows *c);

#endif /* VIEW_CHAIN_ROWS_H */
