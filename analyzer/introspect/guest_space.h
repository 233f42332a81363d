/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The virtual memory of a guest as one of its page tables has it (SDM, "4-Level
 * Paging and 5-Level Paging").
 */
#ifndef INTROSPECT_GUEST_SPACE_H
#define INTROSPECT_GUEST_SPACE_H

#include <stdbool.h>

#include "introspect/guest_memory.h"

/*
 * Bits of CR3 that are the address of a page table.  Under page table isolation
 * bit 12 chooses the half for user mode, which lacks most of the kernel: the
 * kernel sets it at the exit to user mode and clears it at the entry
 * (arch/x86/entry/calling.h, PTI_USER_PGTABLE_MASK).
 */
#define GUEST_CR3_ADDRESS 0x000ffffffffff000ull
#define GUEST_CR3_USER	  0x1000ull

struct guest_space {
	struct guest_memory *mem; /* the caller's */
	__u64 root;		  /* guest-physical address of the top table */
	bool la57;		  /* five levels */
	__u64 clear; /* bits of entries that are no address: encryption */
};

/* What maps an address. */
struct guest_page {
	__u64 gpa;		/* of the address itself */
	__u64 size;		/* of the page: 4 KiB, 2 MiB, 1 GiB */
	bool write, user, exec; /* at all levels */
};

/*
 * The page of the virtual address @va.  -EFAULT: @va is not canonical or a
 * table is not in memory, -ENOENT: nothing is mapped there; then, and on
 * success, *span has the bytes from @va up to where that may change (NULL: not
 * asked).  -ENODATA and -EDQUOT as guest_memory_read().
 */
int guest_space_page(const struct guest_space *s, __u64 va,
		     struct guest_page *ret, __u64 *span);

/*
 * Read @size bytes at @va.  0; -ENOENT: not all of it is mapped (of a process:
 * not resident); otherwise as guest_memory_read().
 */
int guest_space_read(const struct guest_space *s, __u64 va, void *buf,
		     size_t size);

/* Read a word of eight bytes, and of four. */
int guest_space_u64(const struct guest_space *s, __u64 va, __u64 *ret);
int guest_space_u32(const struct guest_space *s, __u64 va, __u32 *ret);

/*
 * Read a string of at most @size - 1 bytes and end it with a NUL.  Its length,
 * or -errno as above; -ENAMETOOLONG: it has no NUL before.
 */
int guest_space_string(const struct guest_space *s, __u64 va, char *buf,
		       size_t size);

#endif /* INTROSPECT_GUEST_SPACE_H */
