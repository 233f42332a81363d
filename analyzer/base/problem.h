/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What went wrong while reading: lines of text that the library collects and
 * a command prints, because only commands print.
 */
#ifndef BASE_PROBLEM_H
#define BASE_PROBLEM_H

#include <stddef.h>

#define PROBLEMS_MAX 50

struct problems {
	char *line[PROBLEMS_MAX];
	size_t nr;   /* lines kept */
	size_t more; /* lines that found no room */
};

/*
 * Add one line (printf style, no newline).  It may contain bytes of foreign
 * files: whoever prints it sends it through safe_*.  Never fails; without
 * memory, or after the last of PROBLEMS_MAX lines, it is only counted.
 */
void problem(struct problems *p, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* Frees the lines; p itself is the caller's.  May be used again. */
void problems_deinit(struct problems *p);

#endif /* BASE_PROBLEM_H */
