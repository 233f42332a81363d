/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The units of debugging information by address, and the inlined functions of
 * each.  Each unit is read once, however many addresses are asked for.
 */
#ifndef SYM_UNITS_H
#define SYM_UNITS_H

#include "base/hash.h"
#include "sym/inlines.h"

struct unit_range;

struct units {
	struct unit_range *ranges; /* by address */
	size_t nr_ranges, cap_ranges;
	struct hash by_unit; /* offset of its DIE -> inlines */
	struct inlines *inlines;
	size_t nr, cap;
	bool listed;
	bool cut; /* something was beyond the bounds, and is not known */
};

/* The unit of a link address; false: none is known. */
bool units_find(struct units *us, Dwarf *dw, __u64 addr, Dwarf_Die *ret);

/* What a unit has inlined; until the next call.  NULL: no memory. */
const struct inlines *units_inlines(struct units *us, Dwarf_Die *unit);

void units_deinit(struct units *us);

#endif /* SYM_UNITS_H */
