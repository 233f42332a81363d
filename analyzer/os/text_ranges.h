/* SPDX-License-Identifier: GPL-2.0-only */
/* Where the running kernel's code lies, its own and that of loaded modules. */
#ifndef OS_TEXT_RANGES_H
#define OS_TEXT_RANGES_H

#include <stddef.h>
#include <linux/types.h>
#include <stdio.h>

struct text_range {
	__u64 start, end; /* exclusive */
};

/* Zeroed: none. */
struct text_ranges {
	struct text_range *range;
	size_t nr, cap;
};

/*
 * Read them anew from open files, /proc/kallsyms and /proc/modules (NULL: the
 * kernel has none).  The kernel's are the bytes from _stext to _etext; a live
 * module's the pages that its functions begin in, from the first to the last:
 * data has others.  Code that is freed after boot is not included.  0; -EPERM:
 * addresses are hidden; -ENOMEM.
 */
int text_ranges_read(struct text_ranges *t, FILE *kallsyms, FILE *modules);

/* How many of @size bytes at @start are in one of them, from the first on. */
size_t text_ranges_hold(const struct text_ranges *t, __u64 start, size_t size);

#endif /* OS_TEXT_RANGES_H */
