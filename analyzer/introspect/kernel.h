/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A guest's Linux kernel, found in the guest's memory from the registers of one
 * moment in kernel mode.  Nothing of it is trusted: every pointer, count and
 * string is the guest's choice.
 *
 * Nothing of a kernel is kept for other guests, or for its next boot.  Its build-id is
 * the guest's word: names kept by it could be given to that guest alone, and at each
 * boot KASLR moves them.  Where the build-id is, only the symbols tell, so that the
 * same data would have to be searched first.  That is most of the work: 14 MB and
 * 25 ms of a CPU for Debian's 6.1.  The next reading of the same boot is spared it
 * (guest_kernel_again()).
 */
#ifndef INTROSPECT_KERNEL_H
#define INTROSPECT_KERNEL_H

#include "base/error.h"
#include "introspect/guest_space.h"
#include "introspect/kallsyms_tables.h"
#include "introspect/members.h"

#define GUEST_BUILD_ID_MAX 20

/* Where it is linked to, and without KASLR found. */
#define GUEST_KERNEL_TEXT  0xffffffff81000000ull /* without KASLR */

/* The symbols that are used. */
enum guest_known {
	GUEST_SYM_TEXT,
	GUEST_SYM_BANNER,
	GUEST_SYM_NOTES,
	GUEST_SYM_NOTES_END,
	GUEST_SYM_BTF,
	GUEST_SYM_BTF_END,
	GUEST_SYM_INIT_TASK,
	GUEST_SYM_MODULES,
	GUEST_SYM_CURRENT,
	GUEST_SYM_PCPU_HOT,
	GUEST_SYM_UTS,
	GUEST_SYM_CPU,
	GUEST_SYM_SME,
	GUEST_SYM_PGT,
	GUEST_SYM_SIMPLE_DNAME,
	GUEST_SYM_SPECIAL_VMOPS,
	GUEST_SYM_BOOT_ID,
	GUEST_SYM_VMEMMAP,
	GUEST_SYM_VDSO_64, /* up to 6.18 */
	GUEST_SYM_VDSO_32,
	GUEST_SYM_VDSO64,
	GUEST_SYM_VDSO32,
	GUEST_SYM_ORC_IP, /* offsets of 32 bits */
	GUEST_SYM_ORC_IP_END,
	GUEST_SYM_ORC, /* as many entries */
	NR_GUEST_KNOWN,
};

struct guest_kernel {
	struct guest_space space;     /* the kernel's half */
	__u64 known[NR_GUEST_KNOWN];  /* addresses; 0: there is none */
	struct guest_symbols symbols; /* of the kernel itself, without modules */
	struct btf btf;
	struct guest_members members;
	__u64 text, text_end; /* what is executable of the image */
	__s64 slide;	      /* KASLR: bytes from where it was linked */
	__u32 stack_size;     /* of a task; 0: not known */
	bool kept;	      /* its symbols and types were not read */
	bool pti;
	__u64 phys_mask; /* a CR3 & phys_mask is the key of an address space */
	__u64 init_key;	 /* of the kernel's own page table; 0: not known */
	__u8 build_id[GUEST_BUILD_ID_MAX];
	__u8 build_id_size; /* 0: none */
	__u8 boot_id[16];   /* zeros: not made yet, or not found */
	char banner[512], nodename[65], release[65];
};

/*
 * Find the kernel with the CR3 and the RIP of a moment at CPL 0; the kernel's
 * symbols and the members of its structures are then known.  @mem stays the
 * caller's and must outlive @ret.  0 or -errno with words in @e: -ENOENT:
 * no kernel there, -EOPNOTSUPP: one without kallsyms or BTF, or of a form
 * that is not known; -ENODATA: the memory cannot be read, -EDQUOT, -ENOMEM.
 */
int guest_kernel_open(struct guest_memory *mem, __u64 cr3, __u64 rip,
		      struct guest_kernel *ret, struct error *e);
void guest_kernel_close(struct guest_kernel *k);

/* What of @k the next reading of that guest can use: no symbols, types or pointers. */
void guest_kernel_keep(const struct guest_kernel *k, struct guest_kernel *ret);

/*
 * Open the kernel that was kept, if @mem has it still: its banner, build-id and boot's
 * id are where they were, and the same.  0; or -ESTALE: find it anew, nothing is to be
 * released.
 */
int guest_kernel_again(struct guest_memory *mem,
		       const struct guest_kernel *kept,
		       struct guest_kernel *ret);

/* Read the symbols of one that was kept.  0 or -errno, as guest_kernel_open(). */
int guest_kernel_symbols(struct guest_kernel *k);

/*
 * Where the pointer to the running task is, relative to a CPU's base of GS (of
 * 64 bits, wraps).  0, or -EOPNOTSUPP: it is not known.
 */
int guest_kernel_current(const struct guest_kernel *k, __u64 *ret);

/* The address of member @m in a structure at @addr. */
static inline __u64 guest_at(const struct guest_kernel *k, __u64 addr,
			     enum guest_member m)
{
	return addr + k->members.offset[m];
}

/* Read that member: a pointer or a number of eight or four bytes.  0, -errno. */
static inline int guest_get(const struct guest_kernel *k, __u64 addr,
			    enum guest_member m, __u64 *ret)
{
	return guest_space_u64(&k->space, guest_at(k, addr, m), ret);
}

static inline int guest_get32(const struct guest_kernel *k, __u64 addr,
			      enum guest_member m, __u32 *ret)
{
	return guest_space_u32(&k->space, guest_at(k, addr, m), ret);
}

#endif /* INTROSPECT_KERNEL_H */
