/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What went wrong while reading: lines of text that the library collects and
 * a command prints, because only commands print.
 */
#ifndef VMMPROF_DATA_PROBLEM_H
#define VMMPROF_DATA_PROBLEM_H

#include <stddef.h>

#define VMMPROF_PROBLEMS_MAX 50

struct vmmprof_problems {
	char *line[VMMPROF_PROBLEMS_MAX];
	size_t nr;   /* lines kept */
	size_t more; /* lines that found no room */
};

/*
 * Add one line (printf style, no newline).  It may contain bytes of foreign
 * files: whoever prints it sends it through vmmprof_safe_*.  Never fails;
 * without memory or room it is only counted.
 */
void vmmprof_problem(struct vmmprof_problems *p, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* Frees the lines; p itself is the caller's.  May be used again. */
void vmmprof_problems_deinit(struct vmmprof_problems *p);

#endif /* VMMPROF_DATA_PROBLEM_H */
