/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What kmod/guest_memory.c, chain_guest.c and identity_read.c need of a kernel, so
 * that a unit test can build them: a VM whose memory is an array of the test's.
 */
#ifndef FAKE_KERNEL_H
#define FAKE_KERNEL_H

#include <linux/types.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

typedef __u8 u8;
typedef __u16 u16;
typedef __u32 u32;
typedef __u64 u64;
typedef __s64 s64;
typedef u64 gfn_t;

/* As the kernel's Makefile has it. */
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"

#define __user
#undef __always_inline
#define __always_inline	  inline __attribute__((always_inline))
#define __always_inline	  inline __attribute__((always_inline))
#define likely(x)	  __builtin_expect(!!(x), 1)
#define unlikely(x)	  __builtin_expect(!!(x), 0)
#define READ_ONCE(x)	  (x)
#define BIT(n)		  (1ul << (n))
#define BIT_ULL(n)	  (1ull << (n))
#define ARRAY_SIZE(a)	  (sizeof(a) / sizeof((a)[0]))
#define min(a, b)	  ((a) < (b) ? (a) : (b))
#define min_t(type, a, b) min((type)(a), (type)(b))
#define max_t(type, a, b) ((type)(a) > (type)(b) ? (type)(a) : (type)(b))
#define min3(a, b, c)	  min(min(a, b), c)
#define clamp(value, low, up) \
	((value) < (low) ? (low) : (value) > (up) ? (up) : (value))

#define PAGE_SHIFT	    12
#define PAGE_SIZE	    4096ull
#define PAGE_MASK	    (~(PAGE_SIZE - 1))
#define TASK_SIZE_MAX	    ((1ul << 47) - PAGE_SIZE)
#define X86_CR4_LA57	    BIT(12)
#define X86_EFLAGS_IF	    BIT(9)
#define EFER_LMA	    BIT(10)
#define VCPU_REGS_RCX	    1
#define VCPU_REGS_RBP	    5
#define KVM_MEMSLOT_INVALID BIT(16)

/* arch/x86/include/asm/ptrace.h */
struct pt_regs {
	unsigned long r15, r14, r13, r12, bp, bx, r11, r10, r9, r8, ax, cx, dx,
		si, di, orig_ax, ip, cs, flags, sp, ss;
};

struct kvm_memory_slot {
	gfn_t base_gfn;
	unsigned long npages, userspace_addr;
	u32 flags;
};

struct kvm_memslots {
	struct kvm_memory_slot slot[2];
};

struct kvm {
	int srcu;
	struct kvm_memslots slots;
};

struct kvm_vcpu {
	struct kvm *kvm;
	struct {
		unsigned long regs[16], cr4, efer;
		int maxphyaddr;
	} arch;
};

static inline struct kvm_memslots *kvm_memslots(struct kvm *kvm)
{
	return &kvm->slots;
}

static inline struct kvm_memory_slot *
vmmprof_find_memslot(struct kvm_memslots *slots, gfn_t gfn)
{
	struct kvm_memory_slot *s;

	for (s = slots->slot; s < slots->slot + ARRAY_SIZE(slots->slot); s++)
		if (gfn - s->base_gfn < s->npages)
			return s;
	return NULL;
}

static inline unsigned long
__gfn_to_hva_memslot(const struct kvm_memory_slot *slot, gfn_t gfn)
{
	return slot->userspace_addr + (gfn - slot->base_gfn) * PAGE_SIZE;
}

/* The test's: how many bytes are not there, as the kernel's. */
unsigned long copy_from_user_nmi(void *to, const void *from, unsigned long n);
#define __get_user(x, p)	(copy_from_user_nmi(&(x), (p), sizeof(x)) ? -1 : 0)
#define user_access_begin(p, n) ((void)(p), (void)(n), true)
#define user_access_end()
#define unsafe_get_user(x, p, label)      \
	do {                              \
		if (__get_user((x), (p))) \
			goto label;       \
	} while (0)

/* Pairs of them are counted: none may be left. */
extern int fake_srcu, fake_pagefault;

static inline int srcu_read_lock(int *srcu)
{
	fake_srcu++;
	return *srcu;
}

static inline void srcu_read_unlock(int *srcu, int index)
{
	fake_srcu -= *srcu == index;
}

static inline void pagefault_disable(void)
{
	fake_pagefault++;
}

static inline void pagefault_enable(void)
{
	fake_pagefault--;
}

#endif /* FAKE_KERNEL_H */
