/* SPDX-License-Identifier: GPL-2.0-only */
/* Addresses of the running kernel's symbols. */
#ifndef VMMPROF_KERNEL_SYMBOLS_H
#define VMMPROF_KERNEL_SYMBOLS_H

#include <stddef.h>
#include <stdio.h>
#include <linux/types.h>

struct kernel_symbol {
	const char *name;
	__u64 addr; /* 0: hidden, or there is none */
};

/*
 * Look up @n symbols.  The first call reads all of /proc/kallsyms, which takes the
 * kernel as long as all else that is done at the beginning; what it finds is
 * remembered.  0 or -errno.
 */
int kernel_symbols(struct kernel_symbol *syms, size_t n);

/*
 * Set the addresses of symbols that are in a text of /proc/kallsyms, of the first one
 * of each name: modules may repeat the kernel's.
 */
void kernel_symbols_find(FILE *f, struct kernel_symbol *syms, size_t n);

#endif /* VMMPROF_KERNEL_SYMBOLS_H */
