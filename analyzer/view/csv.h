/* SPDX-License-Identifier: GPL-2.0-only */
/* Text in comma-separated values. */
#ifndef VIEW_CSV_H
#define VIEW_CSV_H

#include <stdio.h>

/*
 * A field of text (RFC 4180), made safe to print before; then @end.  A text
 * that a spreadsheet would run as a formula gets a ' in front, and so does a
 * text that begins with ': without its first ' each field is the original text.
 */
void csv_text(FILE *out, const char *text, const char *end);

#endif /* VIEW_CSV_H */
