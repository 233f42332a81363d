/* SPDX-License-Identifier: GPL-2.0-only */
/* The answer of `vmmprof steal` as text: verdicts, and who took whose time. */
#ifndef VIEW_STEAL_MATRIX_TEXT_H
#define VIEW_STEAL_MATRIX_TEXT_H

#include "view/steal.h"

/*
 * A line or more for each VM that lost time, who lost most first; the last ones
 * together.  Lines are broken at @columns.
 */
void verdicts_put(const struct verdicts *v, size_t columns, FILE *out);

/*
 * The matrix, in blocks of as many columns as fit; names that do not fit are cut
 * with a mark.  Of many victims and thieves the last ones are summed up, unless
 * @all.  0 or -ENOMEM.
 */
int steal_matrix_text(const struct steal *s, const struct steal_matrix *m,
		      size_t columns, bool all, FILE *out);

#endif /* VIEW_STEAL_MATRIX_TEXT_H */
