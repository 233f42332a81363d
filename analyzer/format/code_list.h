/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The list of code that a guest is asked for, as text: a line for each range,
 *
 *	FILE OFFSET SIZE	of a file of its bundle
 *	kernel ADDRESS SIZE	of the kernel's memory
 *
 * FILE and SIZE decimal, the others hexadecimal.  Bounds: vmmprof/maps.h.
 */
#ifndef FORMAT_CODE_LIST_H
#define FORMAT_CODE_LIST_H

#include <stddef.h>
#include <linux/types.h>

#define CODE_LIST_MAX 16384 /* bytes of a list */

struct code_want {
	__u64 addr; /* as in struct vmmprof_maps_code */
	__u32 file;
	__u32 size; /* bytes, not 0 */
};

/*
 * Parse a list of @len bytes into @ret, which has room for VMMPROF_CODE_RANGES.
 * How many, or -EINVAL: something else is in it, or more than its bounds allow.
 */
int code_list_parse(const char *text, size_t len, struct code_want *ret);

/* A line, with a NUL behind it.  Its length, or -ENOSPC. */
int code_list_line(const struct code_want *want, char *buf, size_t size);

/* A list that is being written; .text has CODE_LIST_MAX bytes. */
struct code_list_buffer {
	char *text;
	size_t len;
	__u32 ranges, bytes; /* asked for so far */
};

/*
 * Add a line.  0; -E2BIG: it would be more bytes than its bounds allow, of one
 * or of all; -ENOSPC: no line has room any more.
 */
int code_list_add(struct code_list_buffer *l, const struct code_want *want);

#endif /* FORMAT_CODE_LIST_H */
