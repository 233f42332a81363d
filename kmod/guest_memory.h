/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Reading the memory of a guest that does not run: by its page table and KVM's
 * memslots, without faulting anything in.  What the guest put into its page
 * table is believed in nothing: an address is one of its own VM's memslots or
 * none, and the work is bounded.
 */
#ifndef VMMPROF_GUEST_MEMORY_H
#define VMMPROF_GUEST_MEMORY_H

#include <linux/kvm_host.h>
#include <linux/types.h>
#include <vmmprof/record.h>

#define VMMPROF_GUEST_WALKS  32	  /* of the page table, for one chain */
#define VMMPROF_GUEST_WINDOW 1024 /* bytes that are read at once */
#define VMMPROF_GUEST_PAGES  4
#define VMMPROF_PT_BITS	     9 /* of an address, for each level */

struct vmmprof_guest_memory {
	struct kvm_memslots *slots;
	struct kvm_memory_slot *slot; /* the last one found */
	u64 root;		      /* of the page table, physical */
	u64 reserved; /* bits of an entry that a valid one has not */
	u32 levels;
	u32 walks; /* done */
	u8 why;	   /* enum vmmprof_chain_end of the last failure */
	u32 nr_pages;
	struct {
		u64 page; /* virtual */
		unsigned long hva;
	} pages[VMMPROF_GUEST_PAGES];
	u64 window_at; /* virtual; 1: nothing is in it */
	u64 window[VMMPROF_GUEST_WINDOW / sizeof(u64)];
};

/* A page of whatever size, as far as one memslot has it. */
struct vmmprof_guest_leaf {
	u64 va;
	u64 size;	    /* bytes; 0: there is none */
	unsigned long hva;  /* of .va */
	unsigned long from; /* where the VMM has the entry that maps it */
	u64 entry;	    /* what was there */
};

/* Bits of an entry that the CPU sets: Accessed, Dirty. */
#define VMMPROF_GUEST_ENTRY_SET (BIT_ULL(5) | BIT_ULL(6))

/*
 * Begin to read by the page table @cr3, of 64-bit mode, of @vcpu.  As long as @m
 * is used, the vCPU is loaded by current and does not run its guest, kvm->srcu
 * is held and page faults are disabled.  Context: interrupts off, no NMI.
 */
void vmmprof_guest_begin(struct vmmprof_guest_memory *m, struct kvm_vcpu *vcpu,
			 u64 cr3);

/*
 * Where the upper half of the addresses begins, which is the kernel's: with 5
 * levels its stacks are far below where it begins with 4 (VMALLOC_START).
 */
static inline u64 vmmprof_guest_upper(const struct vmmprof_guest_memory *m)
{
	return -1ull << (PAGE_SHIFT + m->levels * VMMPROF_PT_BITS - 1);
}

/* The page that holds @va; else m->why. */
bool vmmprof_guest_leaf(struct vmmprof_guest_memory *m, u64 va,
			struct vmmprof_guest_leaf *leaf);

/* The block of the window that holds the address @va is there; else m->why. */
bool vmmprof_guest_load(struct vmmprof_guest_memory *m, u64 va);

/* Copy from @va on, as much as there is; how many bytes of @size. */
u32 vmmprof_guest_copy(struct vmmprof_guest_memory *m, u64 va, void *to,
		       u32 size);

/* The window holds @va from now on; else m->why. */
static __always_inline bool vmmprof_guest_has(struct vmmprof_guest_memory *m,
					      u64 va)
{
	return likely((va & -(u64)VMMPROF_GUEST_WINDOW) == m->window_at) ||
	       vmmprof_guest_load(m, va);
}

/* Where in the window, which holds it, @va is, a multiple of 8. */
static __always_inline const u64 *
vmmprof_guest_window(const struct vmmprof_guest_memory *m, u64 va)
{
	return &m->window[va / sizeof(u64) % ARRAY_SIZE(m->window)];
}

/* The word at @va, a multiple of 8, or m->why. */
static __always_inline bool vmmprof_guest_word(struct vmmprof_guest_memory *m,
					       u64 va, u64 *word)
{
	if (!vmmprof_guest_has(m, va))
		return false;
	*word = *vmmprof_guest_window(m, va);
	return true;
}

#endif /* VMMPROF_GUEST_MEMORY_H */
