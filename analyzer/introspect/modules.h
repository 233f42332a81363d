/* SPDX-License-Identifier: GPL-2.0-only */
/* The modules that a guest's kernel has loaded. */
#ifndef INTROSPECT_MODULES_H
#define INTROSPECT_MODULES_H

#include "introspect/kernel.h"

#define GUEST_MODULES_MAX 1024

struct guest_module {
	char name[57];
	__u64 base; /* of its code */
	__u64 size; /* bytes that the kernel counts for it */
	__u32 text; /* bytes of code, without that for its beginning */
	__u64 orc_ips, orc;
	__u32 nr_orc;	  /* of its unwind table; 0: none, or not read */
	size_t first, nr; /* its symbols: those from syms[first] on */
};

struct guest_modules {
	struct guest_module *module;
	size_t nr, cap;
	struct guest_symbols symbols; /* of all, in the order of the list */
	size_t damaged; /* that could not be read, or only in part */
};

/*
 * Read the list of modules, and their symbols and unwind tables' places if @symbols.  What cannot be read of one is left
 * out and counted.  0; -EOPNOTSUPP: this kernel's modules are not of a known
 * form, or it has none; -ESTALE: the list changed while it was read; -EDQUOT,
 * -ENOMEM.  Only after 0 there is something to release.
 */
int guest_modules_read(const struct guest_kernel *k, bool symbols,
		       struct guest_modules *ret);
void guest_modules_deinit(struct guest_modules *m);

#endif /* INTROSPECT_MODULES_H */
