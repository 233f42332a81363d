/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Kernel address -> function and module, from the text of /proc/kallsyms and
 * /proc/modules of a machine.  Both may be written by an attacker.
 */
#ifndef SYM_KALLSYMS_H
#define SYM_KALLSYMS_H

#include <stdbool.h>

#include "format/bundle.h"

/* Real kernels have up to 400,000 symbols. */
#define KALLSYMS_MAX 2000000u

struct ksym {
	__u64 addr;
	__u64 end;	    /* exclusive */
	const char *name;   /* name_len bytes, no NUL */
	const char *module; /* module_len bytes; NULL: vmlinux */
	__u16 name_len;	    /* 0: it had too many bytes */
	__u16 module_len;
	__u8 rank; /* of several at one address the lowest wins */
};

struct kallsyms {
	struct ksym *syms; /* sorted by addr, one an address */
	size_t nr, cap;
	size_t left; /* functions behind the first KALLSYMS_MAX */
	bool hidden; /* all addresses are 0: kptr_restrict */
};

/*
 * Parse; the texts must live as long.  Without usable lines nr is 0.
 * Returns 0 or -ENOMEM.
 */
int kallsyms_init(struct kallsyms *k, const struct blob *kallsyms,
		  const struct blob *modules);
void kallsyms_deinit(struct kallsyms *k);

/* The texts of a kernel's symbols. */
struct kallsyms_text {
	const struct blob *kallsyms, *modules;
};

/*
 * If the texts are equal to those of *old: takes over its symbols, so that they
 * need not be parsed again; *old is empty then.  False: the texts differ, and
 * nothing was done.
 */
bool kallsyms_take(struct kallsyms *k, const struct kallsyms_text *text,
		   struct kallsyms *old, const struct kallsyms_text *old_text);

/* The function at addr, NULL if it is in none. */
const struct ksym *kallsyms_find(const struct kallsyms *k, __u64 addr);

/* Is this where a kernel idles (hlt, mwait and what waits around them)? */
bool idle_function(const char *name);

#endif /* SYM_KALLSYMS_H */
