/* SPDX-License-Identifier: GPL-2.0-only */
/* Text in comma-separated values. */
#ifndef VIEW_CSV_H
#define VIEW_CSV_H

#include <stdio.h>

/*
 * A field of text (RFC 4180), made safe to print before; then @end.  What a
 * spreadsheet would take for a formula, and so run, has a ' before it, and so
 * has what begins with one: without the first ' each field is the name again.
 */
void csv_text(FILE *out, const char *text, const char *end);

#endif /* VIEW_CSV_H */
