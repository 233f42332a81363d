/* SPDX-License-Identifier: GPL-2.0-only */
/* Which characters a terminal shows in place, and how wide. */
#ifndef VIEW_UNICODE_H
#define VIEW_UNICODE_H

/*
 * Columns of a character: 1 or 2; 0 of what is not shown as it is: controls,
 * marks that combine, formats, spaces but for the usual one, private use, what
 * Unicode 14.0 has not assigned, and scripts that are written from the right
 * or not a character a cell.  The same in each locale.
 */
unsigned int unicode_columns(unsigned int code);

#endif /* VIEW_UNICODE_H */
