/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The rows of a table of two sessions, and the error of their change.
 *
 * Error: a machine's time is known by switch records, but for what its samples
 * tell apart: functions, modes, exit handling.  Each of its n samples is taken
 * as drawn by itself, so a share p of them has the variance p(1-p)/n, and a
 * difference of shares the sum of both sessions' (the totals may differ).
 * With one sample more in the row and one more beside it (Agresti and Caffo
 * 2000), so that rows of few samples, or of none in one session, get no error
 * that is too small.  Idle time of a guest is by samples that are not there:
 * of each period one.
 */
#ifndef VIEW_DIFF_ROWS_H
#define VIEW_DIFF_ROWS_H

#include "view/diff.h"

/* The probability that chance alone marks a row of a table. */
#define DIFF_CHANCE 0.05

/* Set m->of, of which the rows are shares, and m->columns. */
void diff_total(const struct diff *d, struct diff_machine *m);

/*
 * Make the rows of a zeroed table from the entries of both sessions; they
 * sum to m->of.  0 or -ENOMEM; t->rows is to be freed in either case.
 */
int diff_rows(struct diff *d, const struct diff_machine *m,
	      struct diff_table *t, const enum diff_key *keys, size_t nr_keys);

#endif /* VIEW_DIFF_ROWS_H */
