/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Names as numbers: each different string is kept once and has an id, so that
 * samples are counted by numbers.  Strings are bytes as foreign files have
 * them; only views make them printable.
 */
#ifndef SYM_STRINGS_H
#define SYM_STRINGS_H

#include <stddef.h>
#include <linux/types.h>

struct strings {
	char **str; /* by id, NUL-terminated */
	size_t nr, cap;
	__u32 *table; /* ids, VMMPROF_NONE: free */
	size_t mask;
};

/*
 * The id of the len bytes at s (a NUL in them ends them).  Returns 0 with
 * *ret, or -ENOMEM.  A zeroed struct has no strings.
 */
int strings_add(struct strings *t, const char *s, size_t len, __u32 *ret);

/* The string of an id; "" for VMMPROF_NONE.  Valid until deinit. */
const char *strings_get(const struct strings *t, __u32 id);

void strings_deinit(struct strings *t);

#endif /* SYM_STRINGS_H */
