/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How the running kernel's code is unwound: its ORC tables, and those of its
 * modules, out of its memory into UNWIND items.
 */
#ifndef VMMPROF_UNWIND_H
#define VMMPROF_UNWIND_H

#include "emit.h"
#include "kcore.h"

/* Where the kernel has its tables; from /proc/kallsyms. */
struct unwind_kernel_at {
	__u64 ips, ips_end;
	__u64 entries, entries_end;
};

/*
 * Where struct module has its own, and the list that it is in, where its code begins
 * and how many bytes (32 bits) that are; from BTF.
 */
struct unwind_module_at {
	__u64 head; /* address of the list */
	unsigned int list, nr, ips, entries, text, text_size;
};

/*
 * Writes the items.  What cannot be read is emitted as a limitation.  0 or
 * -errno of the writer, -ENOMEM.
 */
int unwind_write(struct emit *e);

/*
 * The same of memory @k: of the kernel's tables.  Returns their layout (enum
 * orc_layout), ORC_UNKNOWN: there is nothing; or -errno as above.
 */
int unwind_write_kernel(struct emit *e, const struct kcore *k,
			const struct unwind_kernel_at *at);

/* And of its modules': how many have tables, or -errno. */
int unwind_write_modules(struct emit *e, const struct kcore *k,
			 const struct unwind_module_at *at, int layout);

#endif /* VMMPROF_UNWIND_H */
