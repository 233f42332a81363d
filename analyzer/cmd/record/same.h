/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What is said of guests, where the same is to be said of many: one line for all
 * of whom it is true, with how many and the names of the first.
 */
#ifndef CMD_RECORD_SAME_H
#define CMD_RECORD_SAME_H

#include <stddef.h>

struct same_line;

/* All zero: nothing to say. */
struct record_same {
	struct same_line *lines;
	size_t nr, cap;
};

/*
 * Adds that @what is true of the guest @name (host/inventory.h); both are
 * copied, and may have any bytes.  Without memory it is said at once.
 */
void record_same_add(struct record_same *s, const char *name, const char *what);

/*
 * Says everything on stderr, in the order in which it was added first: "warning:
 * guest NAME: WHAT", or "warning: N guests (NAME, NAME and N more): WHAT".
 * Frees it; returns for how many guests there were more than names.
 */
unsigned int record_same_say(struct record_same *s);

#endif /* CMD_RECORD_SAME_H */
