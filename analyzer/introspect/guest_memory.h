/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The physical memory of a guest, read through the memory of its VMM, or out of
 * a file.  Nothing can be written: a descriptor that could is refused.
 *
 * What is read may change at any time, and the guest chooses all of it.  Every
 * read is taken from a budget, so that no structure of the guest's, however it
 * is made, keeps the reader busy for long.
 */
#ifndef INTROSPECT_GUEST_MEMORY_H
#define INTROSPECT_GUEST_MEMORY_H

#include <linux/types.h>
#include <stddef.h>

#define GUEST_SLOTS_MAX	 32768 /* KVM_USER_MEM_SLOTS of x86 is below it */
#define GUEST_TABLES	 64    /* page tables that are kept */
#define GUEST_PAGE	 4096u
#define GUEST_READS	 4000000ull    /* a usual budget */
#define GUEST_READ_BYTES 0x40000000ull /* the same: 1 GiB */

/* A memslot: guest-physical addresses that are one piece of the VMM's. */
struct guest_slot {
	__u64 gpa;  /* bytes, of a page */
	__u64 size; /* bytes, of pages */
	__u64 at; /* in the file: of /proc/PID/mem the VMM's virtual address */
};

struct guest_memory {
	int fd;			  /* the caller's */
	struct guest_slot *slots; /* sorted by gpa; owned */
	size_t nr_slots;
	__u64 reads, bytes;	    /* that may still be made */
	struct guest_table *tables; /* page tables that were read; owned */
};

/*
 * @fd: /proc/PID/mem of the VMM, or a file, opened O_RDONLY; it stays the
 * caller's and must outlive @ret.  @slots: copied, in any order.
 * -EPERM: @fd can be written; -EINVAL: slots overlap or wrap, are not of whole
 * pages, or are none or too many; -ENOMEM.  The budget is the usual one.
 */
int guest_memory_init(struct guest_memory *ret, int fd,
		      const struct guest_slot *slots, size_t nr);
void guest_memory_deinit(struct guest_memory *m);

/* From now on @reads reads of @bytes together are allowed. */
void guest_memory_budget(struct guest_memory *m, __u64 reads, __u64 bytes);

/* What is left of a budget beside a part of it. */
struct guest_budget {
	__u64 reads, bytes;
};

/*
 * Allow at most @reads reads of @bytes of what is left of the budget; @rest: what
 * is set aside.  Until guest_memory_whole(), which adds what the part has left.
 */
void guest_memory_part(struct guest_memory *m, __u64 reads, __u64 bytes,
		       struct guest_budget *rest);
void guest_memory_whole(struct guest_memory *m,
			const struct guest_budget *rest);

/*
 * Read @size bytes at the guest-physical address @gpa; they may be in several
 * slots.  0, -EFAULT: not all of it is in a slot, -ENODATA: the VMM's memory
 * cannot be read there (a device, encrypted memory), -EDQUOT: beyond the
 * budget.  On an error @buf holds nothing of use.
 */
int guest_memory_read(struct guest_memory *m, __u64 gpa, void *buf,
		      size_t size);

/*
 * The eight bytes at @gpa, of a page table: the table is read once and kept
 * until guest_memory_forget().  As guest_memory_read().
 */
int guest_memory_entry(struct guest_memory *m, __u64 gpa, __u64 *ret);

/* The page tables that were read may have changed. */
void guest_memory_forget(struct guest_memory *m);

#endif /* INTROSPECT_GUEST_MEMORY_H */
