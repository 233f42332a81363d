/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which inlined function is at an address of a unit of debugging information.
 * The unit is walked once, without recursion, and depth and number of its
 * functions are bounded: the file may come from an attacker.
 */
#ifndef SYM_INLINES_H
#define SYM_INLINES_H

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stddef.h>
#include <linux/types.h>

/* Nested scopes; compilers make some dozens at most. */
#define INLINES_DEPTH  96
/* Ranges of addresses of a unit's inlined functions. */
#define INLINES_RANGES 1048576

struct inlined {
	Dwarf_Off die;
	__u32 parent; /* where it is inlined in, VMMPROF_NONE: the function */
	__u32 depth;
};

/* Holds from this address to that of the next element. */
struct inlined_at {
	__u64 addr;
	__u32 inlined; /* the innermost, VMMPROF_NONE: none */
};

struct inlines {
	struct inlined *inlined;
	struct inlined_at *at; /* by address */
	size_t nr, nr_at;
	bool cut; /* beyond the bounds: nothing of the unit is known */
};

/* 0 or -ENOMEM, with *in empty. */
int inlines_init(struct inlines *in, Dwarf_Die *unit);
void inlines_deinit(struct inlines *in);

/* The innermost one at a link address, NULL: none. */
const struct inlined *inlines_find(const struct inlines *in, __u64 addr);

/* The inlined function around it; NULL: it is in the function itself. */
static inline const struct inlined *inlines_outer(const struct inlines *in,
						  const struct inlined *i)
{
	return i->parent < in->nr ? &in->inlined[i->parent] : NULL;
}

#endif /* SYM_INLINES_H */
