/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Kernel address -> function and module, from the text of /proc/kallsyms and
 * /proc/modules of a machine.  Both may be written by an attacker.
 */
#ifndef VMMPROF_SYM_KALLSYMS_H
#define VMMPROF_SYM_KALLSYMS_H

#include <stdbool.h>

#include "format/bundle.h"

struct vmmprof_ksym {
	__u64 addr;
	__u64 end;	    /* exclusive */
	const char *name;   /* name_len bytes, no NUL */
	const char *module; /* module_len bytes; NULL: vmlinux */
	__u16 name_len;	    /* 0: it had too many bytes */
	__u16 module_len;
	__u8 rank; /* of several at one address the lowest wins */
};

struct vmmprof_kallsyms {
	struct vmmprof_ksym *syms; /* sorted by addr, one an address */
	size_t nr, cap;
	bool hidden; /* all addresses are 0: kptr_restrict */
};

/*
 * Parse; the texts must live as long.  Without usable lines nr is 0.
 * Returns 0 or -ENOMEM.
 */
int vmmprof_kallsyms_init(struct vmmprof_kallsyms *k,
			  const struct vmmprof_blob *kallsyms,
			  const struct vmmprof_blob *modules);
void vmmprof_kallsyms_deinit(struct vmmprof_kallsyms *k);

/* The texts of a kernel's symbols. */
struct vmmprof_kallsyms_text {
	const struct vmmprof_blob *kallsyms, *modules;
};

/*
 * Takes over what was parsed from texts that are equal: *old is empty then,
 * and *k as if the new texts had been parsed.  False: they are not, and
 * nothing was done.
 */
bool vmmprof_kallsyms_take(struct vmmprof_kallsyms *k,
			   const struct vmmprof_kallsyms_text *text,
			   struct vmmprof_kallsyms *old,
			   const struct vmmprof_kallsyms_text *old_text);

/* The function at addr, NULL if it is in none. */
const struct vmmprof_ksym *
vmmprof_kallsyms_find(const struct vmmprof_kallsyms *k, __u64 addr);

/* Is this where a kernel idles (hlt, mwait and what waits around them)? */
bool vmmprof_idle_function(const char *name);

#endif /* VMMPROF_SYM_KALLSYMS_H */
