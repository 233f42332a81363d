/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The mappings of a process of a guest: the list of struct vm_area_struct up to
 * 6.0, the maple tree from 6.1 on (lib/maple_tree.c).
 */
#ifndef INTROSPECT_VMAS_H
#define INTROSPECT_VMAS_H

#include "introspect/kernel.h"

#define GUEST_VMAS_MAX 0x40000 /* of a process; vm.max_map_count is 65530 */
#define GUEST_VM_EXEC  0x4     /* VM_EXEC */
#define GUEST_VMA_TEXT 64

struct guest_vma {
	__u64 start, end; /* exclusive */
	__u64 pgoff;	  /* bytes */
	__u64 flags;	  /* VM_* */
	__u64 file;	  /* address of its struct file; 0: none */
	__u64 ops, private_data;
};

struct guest_vmas {
	struct guest_vma *vma; /* by address, none overlap */
	size_t nr, cap;
	bool torn; /* they changed while they were read: some may lack */
	bool many; /* more than may be read: some lack */
};

/*
 * Read the mappings of the mm_struct at @mm.  0; -EOPNOTSUPP: this kernel's are
 * not of a known form; -ENOMEM.  What does not fit together ends the reading, and
 * they are torn; so does the end of the budget, or more than GUEST_VMAS_MAX.  Only
 * after 0 there is something to release.
 */
int guest_vmas_read(const struct guest_kernel *k, __u64 mm,
		    struct guest_vmas *ret);
void guest_vmas_deinit(struct guest_vmas *v);

/*
 * The name that a mapping without a file has from its kernel, "[vdso]" for
 * example.  Its length, 0: it has none.
 */
int guest_vma_name(const struct guest_kernel *k, const struct guest_vma *vma,
		   char *buf, size_t size);

#endif /* INTROSPECT_VMAS_H */
