// SPDX-License-Identifier: GPL-2.0-only
/*
 * Guest virtual address -> guest physical address (SDM, "4-Level Paging and
 * 5-Level Paging") -> memslot -> address in the VMM.  That is read with page
 * faults disabled: nothing is faulted in, and where the host would have to, it
 * fails.  Another address space than current's is loaded only with interrupts
 * off, so never in an interrupt.
 *
 * KVM's memslots are read under kvm->srcu, as KVM does in interrupts, too
 * (kvm_xen_set_evtchn_fast()); never in an NMI.  While a slot is being deleted
 * or moved it is marked as invalid.  Private memory (guest_memfd) is not what
 * is mapped at the slot's address.
 *
 * A memslot may be the registers of a device that was given to the guest.  They
 * are then read as the guest itself can read them.
 */
#include <linux/uaccess.h>

#include "guest_memory.h"

#define PT_PRESENT	BIT_ULL(0)
#define PT_LARGE	BIT_ULL(7)
#define PT_ADDRESS	0x000ffffffffff000ull
#define MAX_LARGE_LEVEL 2 /* level 0: pages of 4 KiB; 2: of 1 GiB */

#ifdef KVM_MEM_GUEST_MEMFD
#define SLOT_UNREADABLE (KVM_MEMSLOT_INVALID | KVM_MEM_GUEST_MEMFD)
#else
#define SLOT_UNREADABLE KVM_MEMSLOT_INVALID
#endif

static bool fail(struct vmmprof_guest_memory *m, enum vmmprof_chain_end why)
{
	m->why = why;
	return false;
}

void vmmprof_guest_begin(struct vmmprof_guest_memory *m, struct kvm_vcpu *vcpu,
			 u64 cr3)
{
	int bits = READ_ONCE(vcpu->arch.maxphyaddr);

	m->slots = kvm_memslots(vcpu->kvm);
	m->slot = NULL;
	m->root = cr3 & PT_ADDRESS;
	m->reserved = PT_ADDRESS & ~(BIT_ULL(clamp(bits, 12, 52)) - 1);
	m->levels = vcpu->arch.cr4 & X86_CR4_LA57 ? 5 : 4;
	m->walks = 0;
	m->nr_pages = 0;
	m->window_at = 1;
}

/* The VMM's address of the guest physical @gpa; 0: no memory of the VM. */
static unsigned long to_hva(struct vmmprof_guest_memory *m, u64 gpa)
{
	struct kvm_memory_slot *slot = m->slot;
	gfn_t gfn = gpa >> PAGE_SHIFT;

	if (!slot || gfn - slot->base_gfn >= slot->npages) {
		slot = vmmprof_find_memslot(m->slots, gfn);
		if (!slot || slot->flags & SLOT_UNREADABLE) {
			fail(m, VMMPROF_END_NO_MEMORY);
			return 0;
		}
		m->slot = slot;
	}
	return __gfn_to_hva_memslot(slot, gfn) + (gpa & ~PAGE_MASK);
}

/* An entry of a page table.  As read(), for less. */
static bool read_entry(struct vmmprof_guest_memory *m, unsigned long hva,
		       u64 *entry)
{
	if (hva >= TASK_SIZE_MAX || __get_user(*entry, (u64 __user *)hva))
		return fail(m, VMMPROF_END_NOT_PRESENT);
	return true;
}

static bool read(struct vmmprof_guest_memory *m, unsigned long hva, void *to,
		 unsigned int size)
{
	if (copy_from_user_nmi(to, (const void __user *)hva, size))
		return fail(m, VMMPROF_END_NOT_PRESENT);
	return true;
}

/* Where a walk of the page table ended. */
struct walked {
	u64 gpa;
	u64 size; /* of the page */
	u64 entry;
	unsigned long from; /* where the VMM has the entry */
};

/* The guest physical address of @va. */
static bool walk(struct vmmprof_guest_memory *m, u64 va, struct walked *w)
{
	unsigned int shift = 64 - PAGE_SHIFT - m->levels * VMMPROF_PT_BITS;
	int level = m->levels - 1;
	u64 table = m->root;

	/* not canonical (SDM, "Canonical Addressing") */
	if ((u64)((s64)(va << shift) >> shift) != va)
		return fail(m, VMMPROF_END_UNMAPPED);
	if (m->walks++ >= VMMPROF_GUEST_WALKS)
		return fail(m, VMMPROF_END_DEPTH);
	for (; level >= 0; level--) {
		shift = PAGE_SHIFT + level * VMMPROF_PT_BITS;
		w->from = to_hva(m, table + (va >> shift & 511) *
						    sizeof(w->entry));
		if (!w->from || !read_entry(m, w->from, &w->entry))
			return false;
		if (!(w->entry & PT_PRESENT) || w->entry & m->reserved)
			return fail(m, VMMPROF_END_UNMAPPED);
		table = w->entry & PT_ADDRESS;
		if (level && w->entry & PT_LARGE)
			break;
	}
	if (level > MAX_LARGE_LEVEL)
		return fail(m, VMMPROF_END_UNMAPPED);
	w->size = BIT_ULL(shift);
	w->gpa = (table & -w->size) | (va & (w->size - 1));
	return true;
}

/* The VMM's address of the page of @va, or 0. */
static unsigned long page_hva(struct vmmprof_guest_memory *m, u64 va)
{
	u64 page = va & PAGE_MASK;
	struct walked w;
	unsigned long hva;
	u32 i;

	for (i = 0; i < min_t(u32, m->nr_pages, VMMPROF_GUEST_PAGES); i++)
		if (m->pages[i].page == page)
			return m->pages[i].hva;
	if (!walk(m, page, &w))
		return 0;
	hva = to_hva(m, w.gpa);
	if (hva) {
		i = m->nr_pages++ % VMMPROF_GUEST_PAGES;
		m->pages[i].page = page;
		m->pages[i].hva = hva;
	}
	return hva;
}

bool vmmprof_guest_leaf(struct vmmprof_guest_memory *m, u64 va,
			struct vmmprof_guest_leaf *leaf)
{
	u64 page, first, last;
	struct walked w;

	if (!walk(m, va, &w) || !to_hva(m, w.gpa))
		return false;
	page = w.gpa & -w.size;
	first = max_t(u64, page, m->slot->base_gfn << PAGE_SHIFT);
	last = min_t(u64, page + w.size,
		     (m->slot->base_gfn + m->slot->npages) << PAGE_SHIFT);
	leaf->hva = __gfn_to_hva_memslot(m->slot, first >> PAGE_SHIFT);
	if (leaf->hva >= TASK_SIZE_MAX ||
	    last - first > TASK_SIZE_MAX - leaf->hva)
		return fail(m, VMMPROF_END_NOT_PRESENT);
	leaf->va = (va & -w.size) + (first - page);
	leaf->size = last - first;
	leaf->from = w.from;
	leaf->entry = w.entry;
	return true;
}

bool vmmprof_guest_load(struct vmmprof_guest_memory *m, u64 va)
{
	unsigned long hva = page_hva(m, va);

	if (!hva)
		return false;
	m->window_at = 1;
	va &= -(u64)VMMPROF_GUEST_WINDOW;
	if (!read(m, hva + (va & ~PAGE_MASK), m->window, sizeof(m->window)))
		return false;
	m->window_at = va;
	return true;
}

u32 vmmprof_guest_copy(struct vmmprof_guest_memory *m, u64 va, void *to,
		       u32 size)
{
	unsigned long hva;
	u32 done, part;

	for (done = 0; done < size; done += part) {
		part = min_t(u32, PAGE_SIZE - ((va + done) & ~PAGE_MASK),
			     size - done);
		hva = page_hva(m, va + done);
		if (!hva ||
		    !read(m, hva + ((va + done) & ~PAGE_MASK), to + done, part))
			break;
	}
	return done;
}
