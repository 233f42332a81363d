/* SPDX-License-Identifier: GPL-2.0-only */
/* How a guest's kernel image is mapped, and its read-only data. */
#ifndef INTROSPECT_KERNEL_IMAGE_H
#define INTROSPECT_KERNEL_IMAGE_H

#include "introspect/kallsyms_tables.h"
#include "introspect/guest_space.h"

/* Where the kernel image is mapped (Documentation/arch/x86/x86_64/mm.rst). */
#define GUEST_KERNEL_FIRST 0xffffffff80000000ull
#define GUEST_KERNEL_END   0xffffffffc0000000ull

#define KERNEL_RUNS	   256

/* Addresses in a row that are mapped alike. */
struct kernel_run {
	__u64 start, end; /* exclusive */
	bool write, exec;
};

struct kernel_image {
	struct kernel_run run[KERNEL_RUNS]; /* in their order */
	size_t nr;
	const struct kernel_run *text; /* the one with @rip, or the largest */
};

/*
 * Find the runs of the range for kernel images in @space.  -ENOENT: nothing there
 * is executable; else as guest_space_page().
 */
int kernel_image_find(const struct guest_space *space, __u64 rip,
		      struct kernel_image *ret);

/*
 * The kernel's own symbols, from its read-only data.  As kallsyms_tables_read()
 * and guest_space_read().
 */
int kernel_image_symbols(const struct guest_space *space,
			 const struct kernel_image *image,
			 struct guest_symbols *ret);

#endif /* INTROSPECT_KERNEL_IMAGE_H */
