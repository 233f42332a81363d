/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * /proc/kcore: the kernel's memory as an ELF core file.  Its headers say how
 * kernel addresses map to physical ones, even with kptr_restrict=2.
 */
#ifndef VMMPROF_KCORE_H
#define VMMPROF_KCORE_H

#include <elf.h>
#include <linux/types.h>
#include <stddef.h>

struct kcore {
	int fd;
	unsigned int nr;
	Elf64_Phdr *segments;
	char *info; /* the VMCOREINFO note, "" if there is none */
};

/*
 * -EPERM: no CAP_SYS_RAWIO, or lockdown=confidentiality; -ENOENT: the
 * kernel has none; -EBADMSG: not understood.
 */
int kcore_open(struct kcore *ret);
void kcore_close(struct kcore *k);

/* Read @size bytes of kernel memory at @addr.  0 or -errno (-EFAULT). */
int kcore_read(const struct kcore *k, __u64 addr, void *buf, size_t size);

/* Physical address of kernel address @addr; -EFAULT if it has none. */
int kcore_phys(const struct kcore *k, __u64 addr, __u64 *ret);

/* Start of the direct map of physical memory; -ENOENT: not found. */
int kcore_page_offset(const struct kcore *k, __u64 *ret);

/*
 * A value of the VMCOREINFO note: "NUMBER(phys_base)=" is a decimal @key,
 * "SYMBOL(init_top_pgt)=" a hexadecimal one.  -ENOENT.
 */
int kcore_info(const struct kcore *k, const char *key, __u64 *ret);

#endif /* VMMPROF_KCORE_H */
