/* SPDX-License-Identifier: GPL-2.0-only */
/* Chains as text below the rows of a table, as perf report shows them. */
#ifndef VIEW_CHAIN_TEXT_H
#define VIEW_CHAIN_TEXT_H

#include <stdio.h>

#include "view/chain_time.h"

#define CHAIN_LEAST_BRANCH 0.5 /* percent of the table, as perf report */

enum chain_order {
	CHAIN_NONE,   /* not shown */
	CHAIN_CALLER, /* the outermost function first */
	CHAIN_CALLEE, /* the function of the row first */
	CHAIN_FOLDED, /* a chain each line, as caller */
	NR_CHAIN_ORDERS
};

/* perf's words: "none", "caller", "callee", "folded"; NULL: there are no more. */
const char *chain_order_word(int i);

struct chain_text {
	struct names *names;
	FILE *out;
	enum chain_order order;
	double whole; /* samples, or ticks, that are 100 % */
	__u64 khz;    /* with ticks, of the TSC; else 0 */
	/*
	 * Percent of a branch that is shown by itself; so is one that is a
	 * tenth of the row's samples.
	 */
	double least;
	__u64 row; /* the row's samples, for chain_text_row() itself */
};

/* Print the chains of a row.  0 or -ENOMEM. */
int chain_text_row(struct chain_text *t, const struct chain_rows *c,
		   size_t row);

/* The same of a row of time, if it has any. */
int chain_text_time(struct chain_text *t, const struct chain_time *c,
		    size_t row);

#endif /* VIEW_CHAIN_TEXT_H */
