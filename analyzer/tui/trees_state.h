/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The lower pane of the panels as lines: rows of its table and, below rows that
 * are unfolded, their call chains as trees.  What is unfolded is known by what
 * it is, so that it stays so while time and samples go on.
 */
#ifndef TUI_TREES_STATE_H
#define TUI_TREES_STATE_H

#include "model/chain_slices.h"
#include "model/wait_slices.h"
#include "view/chain_time.h"
#include "view/chain_view.h"

enum pane_line_kind {
	LINE_ROW,
	LINE_BRANCH, /* the first frame of a branch: has a number of samples */
	LINE_FRAME,  /* a further one, with the same samples */
	LINE_FEW,    /* branches of few samples */
	LINE_TIME,  /* of a vCPU without guest code: a row beside the table's */
	LINE_THIEF, /* who took it */
};

struct pane_line {
	enum pane_line_kind kind;
	__u32 row; /* of the table; of LINE_TIME, LINE_THIEF: of .time */
	__u32 depth; /* in its tree: frames from the outermost shown on; 0: the row */
	__u32 frame; /* of the tree of chains */
	__u32 nr;    /* of LINE_FEW: branches */
	__u32 thief; /* of LINE_THIEF */
	__u32 level; /* of indentation, 0: the row */
	__u64 samples;
	__u64 ticks; /* of a table of time */
	__u64 id;    /* the same in the next interval */
	__u64 bars;  /* bit L: at level L branches follow further below */
	bool last;   /* branch of its level */
	bool folds;  /* can be unfolded, or is */
	bool open;
	bool match; /* passes the filter */
};

/* Lines beyond are not made: as many rows stay folded. */
#define PANE_LINES 200000u

struct trees {
	/* the caller's: set by panels_chains() */
	struct chain_tree *tree;	   /* NULL: no chains */
	const struct chain_slices *slices; /* NULL: one stretch of time */
	/* time without guest code; NULL: it has no chains */
	struct wait_slices *waits;
	bool callee;	/* the function of the row first, then its callers */
	bool children;	/* rows have what their functions called, too */
	double percent; /* of a branch to have a line of its own */

	__u64 *id;	   /* of each frame, without its addresses */
	__u32 *same;	   /* of each frame: the first one with that id */
	size_t nr;	   /* of both */
	struct hash folds; /* id of a line: 1 if it is unfolded, else 0 */
	bool all;	   /* what is not in .folds is unfolded */
	__u64 whole; /* id of a row that is to be unfolded with all of it */
	struct chain_rows rows; /* of the table that is shown */
	bool has_rows;
	struct chain_time time; /* of the rows of time */
	/*
	 * With a filter: frames that pass it; and of each node of the tree the
	 * depth of the first such frame from the side from which chains are cut,
	 * at it or outside of it; 0: none.
	 */
	__u8 *frame_match;
	__u32 *node_match;
};

#endif /* TUI_TREES_STATE_H */
