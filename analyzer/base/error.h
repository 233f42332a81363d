/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * An error: a code for programs, and words for people, made where it is known
 * what failed and why.  Folders other than cmd/ only fill it in; cmd/ prints it.
 */
#ifndef BASE_ERROR_H
#define BASE_ERROR_H

#define ERROR_TEXT  512
#define ERROR_HINTS 2

struct error {
	int code; /* negative, of errno.h or of the function that failed */
	/* one line, may have bytes of foreign files: print it by view/safe */
	char text[ERROR_TEXT];
	const char *hints[ERROR_HINTS]; /* what to do; NULL: no more */
};

/*
 * Sets code and text (printf style, no newline), without hints.  @e: NULL if
 * nobody reads it.  Returns @code.
 */
int error_set(struct error *e, int code, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* One hint or two (@second: NULL if one); strings that stay. */
void error_hint(struct error *e, const char *first, const char *second);

#endif /* BASE_ERROR_H */
