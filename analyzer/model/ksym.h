/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Kernel code that came or went while watched (BPF programs, trampolines):
 * /proc/kallsyms, read at one moment, lacks some of it, and an address may be
 * used several times.
 */
#ifndef MODEL_KSYM_H
#define MODEL_KSYM_H

#include <stdbool.h>

#include "format/bundle.h"

/* Code that lay there from a time on, until other code lies there. */
struct ksym_range {
	const struct vmmprof_maps_ksym *item;
	__u64 from;    /* ns */
	__u64 max_end; /* largest end of this and those before it */
};

struct ksyms {
	struct ksym_range *ranges; /* sorted by addr */
	size_t nr;
};

/* From KSYM items; @b must live as long.  0 or -ENOMEM. */
int ksyms_init(struct ksyms *k, const struct bundle *b);
void ksyms_deinit(struct ksyms *k);

/* What lay at an address; holds for times in [from, end). */
struct ksym_hit {
	const char *name; /* NULL: not known what, then */
	__u64 from, end;
};

/*
 * Was there ever such code at @addr?  Then *ret says what lay there at @ns:
 * what came last until then.  Code counts as present after it went, until its
 * address is used again: a BPF program may run on for an RCU grace period.
 * With TIME_UNKNOWN: the only name there ever was.
 */
bool ksyms_find(const struct ksyms *k, __u64 addr, __u64 ns,
		struct ksym_hit *ret);

#endif /* MODEL_KSYM_H */
