// SPDX-License-Identifier: GPL-2.0-only
/* Walks over a unit once and makes a list of address ranges. */

#include <dwarf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <vmmprof/record.h>

#include "base/search.h"
#include "base/vec.h"
#include "base/sort.h"
#include "sym/inlines.h"

struct range {
	__u64 from, to;
	__u32 inlined;
};

struct walk {
	struct inlines *in;
	size_t cap;
	struct range *ranges;
	size_t nr_ranges, cap_ranges, looked_at;
	Dwarf_Die die[INLINES_DEPTH]; /* from the unit down */
	__u32 inner[INLINES_DEPTH];   /* the innermost inlined function there */
	unsigned int depth;
};

static bool has_scopes(int tag)
{
	switch (tag) {
	case DW_TAG_lexical_block:
	case DW_TAG_try_block:
	case DW_TAG_catch_block:
	case DW_TAG_with_stmt:
	case DW_TAG_inlined_subroutine:
	case DW_TAG_subprogram:
	case DW_TAG_module:
	case DW_TAG_namespace:
	case DW_TAG_class_type:
	case DW_TAG_structure_type:
		return true;
	}
	return false;
}

/* -E2BIG: too many. */
static int add_ranges(struct walk *w, Dwarf_Die *die, __u32 inlined)
{
	Dwarf_Addr base, from, to;
	ptrdiff_t offset = 0;
	int ret;

	while ((offset = dwarf_ranges(die, offset, &base, &from, &to)) > 0) {
		/* Empty and shared ranges count, too. */
		if (++w->looked_at > INLINES_RANGES)
			return -E2BIG;
		if (from >= to)
			continue;
		ret = vec_grow(&w->ranges, &w->cap_ranges, w->nr_ranges,
			       sizeof(*w->ranges));
		if (ret)
			return ret;
		w->ranges[w->nr_ranges++] = (struct range){ from, to, inlined };
	}
	return 0;
}

static int add_inlined(struct walk *w, Dwarf_Die *die, __u32 parent, __u32 *ret)
{
	struct inlines *in = w->in;
	int err;

	if (in->nr == INLINES_RANGES)
		return -E2BIG;
	err = vec_grow(&in->inlined, &w->cap, in->nr, sizeof(*in->inlined));
	if (err)
		return err;
	*ret = in->nr++;
	in->inlined[*ret] = (struct inlined){
		.die = dwarf_dieoffset(die),
		.parent = parent,
		.depth = parent == VMMPROF_NONE ? 0 :
						  in->inlined[parent].depth + 1,
	};
	return add_ranges(w, die, *ret);
}

/* The next DIE that may have scopes, @die or a later sibling. */
static bool find_scope(Dwarf_Die *die)
{
	Dwarf_Die next;

	while (!has_scopes(dwarf_tag(die))) {
		if (dwarf_siblingof(die, &next))
			return false;
		*die = next;
	}
	return true;
}

/* Continue after the top of the stack; false: the unit is done. */
static bool go_on(struct walk *w)
{
	Dwarf_Die next;

	while (w->depth) {
		if (!dwarf_siblingof(&w->die[w->depth], &next) &&
		    find_scope(&next)) {
			w->die[w->depth] = next;
			return true;
		}
		w->depth--;
	}
	return false;
}

/* -E2BIG: beyond the bounds. */
static int walk_unit(struct walk *w)
{
	bool more = true;
	Dwarf_Die child;
	__u32 *inner;
	int ret, tag;

	w->inner[0] = VMMPROF_NONE;
	while (more) {
		inner = &w->inner[w->depth];
		tag = w->depth ? dwarf_tag(&w->die[w->depth]) : 0;
		if (w->depth)
			*inner = inner[-1];
		if (tag == DW_TAG_subprogram)
			*inner = VMMPROF_NONE;
		if (tag == DW_TAG_inlined_subroutine) {
			ret = add_inlined(w, &w->die[w->depth], *inner, inner);
			if (ret)
				return ret;
		}
		if (!dwarf_child(&w->die[w->depth], &child) &&
		    find_scope(&child)) {
			if (w->depth + 1 == INLINES_DEPTH)
				return -E2BIG;
			w->die[++w->depth] = child;
		} else {
			more = go_on(w);
		}
	}
	return 0;
}

static int cmp_from(const void *a, const void *b)
{
	const struct range *x = a, *y = b;

	if (x->from != y->from)
		return x->from < y->from ? -1 : 1;
	return x->inlined < y->inlined ? -1 : x->inlined > y->inlined;
}

/*
 * Does range a of the heap come before b?  The deeper one does; of equally deep
 * ones the first.
 */
static bool inner_of(const struct walk *w, __u32 a, __u32 b)
{
	const struct range *x = &w->ranges[a], *y = &w->ranges[b];
	__u32 i = w->in->inlined[x->inlined].depth;
	__u32 k = w->in->inlined[y->inlined].depth;

	return i != k ? i > k : x->inlined < y->inlined;
}

static void push(const struct walk *w, __u32 *heap, size_t nr, __u32 range)
{
	size_t i = nr;

	for (; i && inner_of(w, range, heap[(i - 1) / 2]); i = (i - 1) / 2)
		heap[i] = heap[(i - 1) / 2];
	heap[i] = range;
}

static void pop(const struct walk *w, __u32 *heap, size_t nr)
{
	__u32 last = heap[nr - 1];
	size_t i = 0, k;

	for (; (k = 2 * i + 1) < nr - 1; i = k) {
		if (k + 1 < nr - 1 && inner_of(w, heap[k + 1], heap[k]))
			k++;
		if (!inner_of(w, heap[k], last))
			break;
		heap[i] = heap[k];
	}
	heap[i] = last;
}

static void put_at(struct inlines *in, __u64 addr, __u32 inlined)
{
	struct inlined_at *last = in->at + in->nr_at - 1;

	if (in->nr_at && last->addr == addr)
		last->inlined = inlined;
	else if (in->nr_at ? last->inlined != inlined : inlined != VMMPROF_NONE)
		in->at[in->nr_at++] = (struct inlined_at){ addr, inlined };
}

/*
 * Find the innermost function from each address on at which a range begins or
 * the innermost one ends.  The heap holds the ranges that have begun; ranges
 * that have ended are removed when they come to the top.
 */
static void sweep(struct walk *w, __u32 *heap)
{
	size_t nr = 0, i = 0;
	__u64 addr;

	while (i < w->nr_ranges || nr) {
		addr = nr ? w->ranges[heap[0]].to : w->ranges[i].from;
		if (i < w->nr_ranges && w->ranges[i].from < addr)
			addr = w->ranges[i].from;
		for (; i < w->nr_ranges && w->ranges[i].from == addr; i++)
			push(w, heap, nr++, i);
		while (nr && w->ranges[heap[0]].to <= addr)
			pop(w, heap, nr--);
		put_at(w->in, addr,
		       nr ? w->ranges[heap[0]].inlined : VMMPROF_NONE);
	}
}

static int set_at(struct walk *w)
{
	__u32 *heap;

	if (!w->nr_ranges)
		return 0;
	sort_array(w->ranges, w->nr_ranges, sizeof(*w->ranges), cmp_from);
	heap = malloc(w->nr_ranges * sizeof(*heap));
	w->in->at = malloc(2 * w->nr_ranges * sizeof(*w->in->at));
	if (heap && w->in->at)
		sweep(w, heap);
	free(heap);
	return heap && w->in->at ? 0 : -ENOMEM;
}

int inlines_init(struct inlines *in, Dwarf_Die *unit)
{
	struct walk *w = calloc(1, sizeof(*w));
	int ret = -ENOMEM;

	memset(in, 0, sizeof(*in));
	if (w) {
		w->in = in;
		w->die[0] = *unit;
		ret = walk_unit(w);
		if (!ret)
			ret = set_at(w);
		free(w->ranges);
		free(w);
	}
	if (!ret)
		return 0;
	inlines_deinit(in);
	in->cut = ret == -E2BIG;
	return ret == -E2BIG ? 0 : ret;
}

void inlines_deinit(struct inlines *in)
{
	free(in->inlined);
	free(in->at);
	memset(in, 0, sizeof(*in));
}

const struct inlined *inlines_find(const struct inlines *in, __u64 addr)
{
	size_t lo = 0, hi = in->nr_at, mid;

	BISECT(lo, hi, mid, in->at[mid].addr <= addr);
	if (!lo || in->at[lo - 1].inlined == VMMPROF_NONE)
		return NULL;
	return &in->inlined[in->at[lo - 1].inlined];
}
