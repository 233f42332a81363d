/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The rows of a table of two sessions, and the error of their change.
 *
 * Error: each of the n samples of a machine is taken as drawn by itself, so a
 * share p has the variance p(1-p)/n, and a difference of shares the sum of
 * both sessions' (the totals may differ).  With one sample more in the row and
 * one more beside it (Agresti and Caffo 2000), so that rows of few samples,
 * or of none in one session, get no error that is too small.
 */
#ifndef VIEW_DIFF_ROWS_H
#define VIEW_DIFF_ROWS_H

#include "view/diff.h"

/* The probability that chance alone marks a row of a table. */
#define DIFF_CHANCE 0.05

/* Set m->samples, of which the rows are shares. */
void diff_total(const struct diff *d, struct diff_machine *m);

/*
 * Make the rows of a zeroed table from the entries of both sessions; they
 * sum to m->samples.  0 or -ENOMEM; t->rows is to be freed in either case.
 */
int diff_rows(struct diff *d, const struct diff_machine *m,
	      struct diff_table *t, const enum diff_key *keys, size_t nr_keys);

#endif /* VIEW_DIFF_ROWS_H */
