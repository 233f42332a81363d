/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The units of debugging information by address, and what each has inlined:
 * looked through once, however often they are asked.
 */
#ifndef VMMPROF_SYM_UNITS_H
#define VMMPROF_SYM_UNITS_H

#include "base/hash.h"
#include "sym/inlines.h"

struct vmmprof_unit_range;

struct vmmprof_units {
	struct vmmprof_unit_range *ranges; /* by address */
	size_t nr_ranges, cap_ranges;
	struct vmmprof_hash by_unit; /* offset of its DIE -> inlines */
	struct vmmprof_inlines *inlines;
	size_t nr, cap;
	bool listed;
	bool cut; /* something was beyond the bounds, and is not known */
};

/* The unit of a link address; false: none is known. */
bool vmmprof_units_find(struct vmmprof_units *us, Dwarf *dw, __u64 addr,
			Dwarf_Die *ret);

/* What a unit has inlined; until the next call.  NULL: no memory. */
const struct vmmprof_inlines *vmmprof_units_inlines(struct vmmprof_units *us,
						    Dwarf_Die *unit);

void vmmprof_units_deinit(struct vmmprof_units *us);

#endif /* VMMPROF_SYM_UNITS_H */
