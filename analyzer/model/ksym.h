/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Kernel code that came or went while watched (BPF programs, trampolines),
 * for addresses that /proc/kallsyms, read at one moment, does not have.
 */
#ifndef VMMPROF_MODEL_KSYM_H
#define VMMPROF_MODEL_KSYM_H

#include "../data/bundle.h"

struct vmmprof_ksym_range {
	const struct vmmprof_maps_ksym *item;
	__u64 max_end; /* largest end of this and those before it */
};

struct vmmprof_ksyms {
	struct vmmprof_ksym_range *ranges; /* sorted by addr */
	size_t nr;
};

/* From KSYM items; @b must live as long.  0 or -ENOMEM. */
int vmmprof_ksyms_init(struct vmmprof_ksyms *k, const struct vmmprof_bundle *b);
void vmmprof_ksyms_deinit(struct vmmprof_ksyms *k);

/*
 * The name of the code that lay at addr at some time; NULL: none, or code of
 * different names did.
 */
const char *vmmprof_ksyms_find(const struct vmmprof_ksyms *k, __u64 addr);

#endif /* VMMPROF_MODEL_KSYM_H */
