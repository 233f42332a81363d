/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which inlined function is at an address of a unit of debugging information.
 * The unit is walked once, without recursion, and what it may nest and list is
 * bounded: a file may be made to harm who looks at it.
 */
#ifndef VMMPROF_SYM_INLINES_H
#define VMMPROF_SYM_INLINES_H

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stddef.h>
#include <linux/types.h>

/* Scopes in one another; compilers' own have some dozens. */
#define VMMPROF_INLINES_DEPTH  96
/* Ranges of addresses of a unit's inlined functions. */
#define VMMPROF_INLINES_RANGES 1048576

struct vmmprof_inlined {
	Dwarf_Off die;
	__u32 parent; /* where it is inlined in, VMMPROF_NONE: the function */
	__u32 depth;
};

/* From here to the next one. */
struct vmmprof_inlined_at {
	__u64 addr;
	__u32 inlined; /* the innermost, VMMPROF_NONE: none */
};

struct vmmprof_inlines {
	struct vmmprof_inlined *inlined;
	struct vmmprof_inlined_at *at; /* by address */
	size_t nr, nr_at;
	bool cut; /* beyond the bounds: nothing of the unit is known */
};

/* 0 or -ENOMEM, with *in empty. */
int vmmprof_inlines_init(struct vmmprof_inlines *in, Dwarf_Die *unit);
void vmmprof_inlines_deinit(struct vmmprof_inlines *in);

/* The innermost one at a link address, NULL: none. */
const struct vmmprof_inlined *
vmmprof_inlines_find(const struct vmmprof_inlines *in, __u64 addr);

/* What it is inlined in, NULL: the function itself. */
static inline const struct vmmprof_inlined *
vmmprof_inlines_outer(const struct vmmprof_inlines *in,
		      const struct vmmprof_inlined *i)
{
	return i->parent < in->nr ? &in->inlined[i->parent] : NULL;
}

#endif /* VMMPROF_SYM_INLINES_H */
