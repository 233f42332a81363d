/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * /proc/kcore: the kernel's memory as an ELF core file.  Its headers alone
 * tell how kernel addresses map to physical ones, also with kptr_restrict=2.
 */
#ifndef VMMPROF_KCORE_H
#define VMMPROF_KCORE_H

#include <elf.h>
#include <linux/types.h>
#include <stddef.h>

struct vmmprof_kcore {
	int fd;
	unsigned int nr;
	Elf64_Phdr *segments;
	char *info; /* the VMCOREINFO note, "" if there is none */
};

/*
 * -EPERM: no CAP_SYS_RAWIO, or lockdown=confidentiality; -ENOENT: a kernel
 * without it; -EBADMSG: not understood.
 */
int vmmprof_kcore_open(struct vmmprof_kcore *ret);
void vmmprof_kcore_close(struct vmmprof_kcore *k);

/* Read @size bytes of kernel memory at @addr.  0 or -errno (-EFAULT). */
int vmmprof_kcore_read(const struct vmmprof_kcore *k, __u64 addr, void *buf,
		       size_t size);

/* Physical address of kernel address @addr; -EFAULT where that has none. */
int vmmprof_kcore_phys(const struct vmmprof_kcore *k, __u64 addr, __u64 *ret);

/* Address at which physical memory begins to be mapped; -ENOENT. */
int vmmprof_kcore_page_offset(const struct vmmprof_kcore *k, __u64 *ret);

/*
 * A value of the VMCOREINFO note: "NUMBER(phys_base)=" is a decimal @key,
 * "SYMBOL(init_top_pgt)=" a hexadecimal one.  -ENOENT.
 */
int vmmprof_kcore_info(const struct vmmprof_kcore *k, const char *key,
		       __u64 *ret);

#endif /* VMMPROF_KCORE_H */
