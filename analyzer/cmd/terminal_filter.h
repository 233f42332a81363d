/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What of the reader's output reaches a terminal.  What guests wrote is made
 * safe where it is printed; but an attacker may have taken over the reader, so
 * only text, colours and the erasing of a line are let through.
 */
#ifndef CMD_TERMINAL_FILTER_H
#define CMD_TERMINAL_FILTER_H

#include <stddef.h>

#define FILTER_HELD_MAX 16

/* A zeroed struct is the beginning. */
struct terminal_filter {
	char held[FILTER_HELD_MAX]; /* of an order that is not complete */
	size_t nr_held;
};

/* Bytes that @n bytes may become at most. */
#define FILTERED_MAX(n) ((n) + FILTER_HELD_MAX)

/*
 * The @n bytes at @in that come next, to @out, which has FILTERED_MAX(n) bytes;
 * a byte that is refused is a '?'.  Returns how many there are.
 */
size_t terminal_filter(struct terminal_filter *f, const char *in, size_t n,
		       char *out);

#endif /* CMD_TERMINAL_FILTER_H */
