/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Foreign bytes (names out of guests, files, other machines) made safe to
 * print: control characters, terminal escapes, invalid UTF-8, and what reorders,
 * hides or covers other text (unicode.h) become visible escapes \xNN.
 */
#ifndef VIEW_SAFE_H
#define VIEW_SAFE_H

#include <stddef.h>

#define VMMPROF_CUT "..." /* in any character set */

/*
 * Copy src to dst (size bytes, size > 0, always NUL-terminated).  What does not
 * fit is cut at a character, and VMMPROF_CUT stands at its end, if that fits.
 * Returns the number of columns it takes on a terminal.
 */
size_t safe_text(char *dst, size_t size, const char *src);

/* Columns of a string that safe_text() made. */
size_t text_columns(const char *s);

/* Cut such a string to @columns; ".." are the last of them, if it has more. */
void text_cut(char *s, size_t columns);

/*
 * Length of the valid UTF-8 character at s (n bytes there), 0 if it is none.
 * *code is the character.
 */
size_t utf8_decode(const char *s, size_t n, unsigned int *code);

#endif /* VIEW_SAFE_H */
