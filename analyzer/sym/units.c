// SPDX-License-Identifier: GPL-2.0-only
/* Tables over the units of debugging information, each filled at first use. */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <vmmprof/record.h>

#include "base/search.h"
#include "base/vec.h"
#include "base/sort.h"
#include "sym/units.h"

/* Of all units; the largest kernels have some hundred thousand. */
#define MAX_RANGES   4194304

/* Those of one address that are looked at. */
#define MAX_OVERLAPS 64

struct unit_range {
	__u64 from, to;
	__u64 max_to; /* of this and those before it */
	Dwarf_Off die;
};

static int cmp_range(const void *a, const void *b)
{
	const struct unit_range *x = a, *y = b;

	if (x->from != y->from)
		return x->from < y->from ? -1 : 1;
	return x->die < y->die ? -1 : x->die > y->die;
}

/* False: that was enough of them. */
static bool list_unit(struct units *us, Dwarf_Die *unit, size_t *looked_at)
{
	Dwarf_Addr base, from, to;
	ptrdiff_t offset = 0;

	while ((offset = dwarf_ranges(unit, offset, &base, &from, &to)) > 0) {
		if (++*looked_at > MAX_RANGES ||
		    vec_grow(&us->ranges, &us->cap_ranges, us->nr_ranges,
			     sizeof(*us->ranges)))
			return false;
		if (from < to)
			us->ranges[us->nr_ranges++] = (struct unit_range){
				from, to, 0, dwarf_dieoffset(unit)
			};
	}
	return true;
}

static void list_units(struct units *us, Dwarf *dw)
{
	Dwarf_Off off = 0, next;
	size_t hdr, i, looked_at = 0;
	Dwarf_Die unit;

	us->listed = true;
	while (!dwarf_nextcu(dw, off, &next, &hdr, NULL, NULL, NULL)) {
		if (dwarf_offdie(dw, off + hdr, &unit) &&
		    !list_unit(us, &unit, &looked_at)) {
			us->cut = true;
			break;
		}
		off = next;
	}
	if (us->nr_ranges)
		sort_array(us->ranges, us->nr_ranges, sizeof(*us->ranges),
			   cmp_range);
	for (i = 0; i < us->nr_ranges; i++) {
		us->ranges[i].max_to = us->ranges[i].to;
		if (i && us->ranges[i - 1].max_to > us->ranges[i].to)
			us->ranges[i].max_to = us->ranges[i - 1].max_to;
	}
}

bool units_find(struct units *us, Dwarf *dw, __u64 addr, Dwarf_Die *ret)
{
	size_t lo = 0, hi, mid;
	int steps = 0;

	/* By .debug_aranges; not all compilers write it. */
	if (dwarf_addrdie(dw, addr, ret))
		return true;
	if (!us->listed)
		list_units(us, dw);
	hi = us->nr_ranges;
	BISECT(lo, hi, mid, us->ranges[mid].from <= addr);
	for (; lo && us->ranges[lo - 1].max_to > addr; lo--) {
		if (addr < us->ranges[lo - 1].to)
			return dwarf_offdie(dw, us->ranges[lo - 1].die, ret);
		if (++steps > MAX_OVERLAPS) {
			us->cut = true;
			break;
		}
	}
	return false;
}

const struct inlines *units_inlines(struct units *us, Dwarf_Die *unit)
{
	Dwarf_Off off = dwarf_dieoffset(unit);
	__u32 i = hash_get(&us->by_unit, off);
	struct inlines *in;

	if (i != VMMPROF_NONE)
		return &us->inlines[i];
	if (vec_grow(&us->inlines, &us->cap, us->nr, sizeof(*us->inlines)))
		return NULL;
	in = &us->inlines[us->nr];
	if (inlines_init(in, unit))
		return NULL;
	if (hash_set(&us->by_unit, off, us->nr)) {
		inlines_deinit(in);
		return NULL;
	}
	us->nr++;
	us->cut |= in->cut;
	return in;
}

void units_deinit(struct units *us)
{
	size_t i;

	for (i = 0; i < us->nr; i++)
		inlines_deinit(&us->inlines[i]);
	free(us->inlines);
	free(us->ranges);
	hash_deinit(&us->by_unit);
	memset(us, 0, sizeof(*us));
}
