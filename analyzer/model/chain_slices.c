// SPDX-License-Identifier: GPL-2.0-only
/* Counts of chains by time. */

#include <stdlib.h>
#include <string.h>

#include "base/saturate.h"
#include "base/vec.h"
#include "model/chain_slices.h"

void chain_slices_init(struct chain_slices *c, const struct slices *s,
		       size_t max)
{
	memset(c, 0, sizeof(*c));
	c->from = s->from;
	c->width = s->width ? s->width : ~0ull;
	c->max = max;
}

static int add(struct chain_slices *c, __u32 leaf, __u32 slice, __u64 n)
{
	__u64 key = (__u64)leaf << 32 | slice;
	__u32 i = hash_get(&c->by_key, key);
	int err;

	if (i != VMMPROF_NONE) {
		sat_sum(&c->counts[i].n, n);
		return 0;
	}
	err = vec_grow(&c->counts, &c->cap, c->nr, sizeof(*c->counts));
	if (!err)
		err = hash_set(&c->by_key, key, c->nr);
	if (!err)
		c->counts[c->nr++] = (struct chain_slice){ leaf, slice, n };
	return err;
}

/* Each two slices become one of twice the width. */
static int widen(struct chain_slices *c)
{
	struct chain_slice *was = c->counts;
	size_t i, nr = c->nr;
	int err = 0;

	hash_deinit(&c->by_key);
	memset(&c->by_key, 0, sizeof(c->by_key));
	c->counts = NULL;
	c->nr = 0;
	c->cap = 0;
	c->width *= 2;
	for (i = 0; i < nr && !err; i++)
		err = add(c, was[i].leaf, was[i].slice / 2, was[i].n);
	free(was);
	return err;
}

static __u64 slice_of(const struct chain_slices *c, __u64 tsc)
{
	__u64 slice = tsc > c->from ? (tsc - c->from) / c->width : 0;

	return slice < VMMPROF_SLICES ? slice : VMMPROF_SLICES - 1;
}

static int make_room(struct chain_slices *c)
{
	return c->nr >= c->max && c->width <= ~0ull / 2 ? widen(c) : 0;
}

int chain_slices_add(struct chain_slices *c, __u32 leaf, __u64 tsc)
{
	int err = make_room(c);

	return err ? err : add(c, leaf, slice_of(c, tsc), 1);
}

int chain_slices_spend(struct chain_slices *c, __u32 leaf, __u64 from, __u64 to)
{
	__u64 slice, end;
	int err = 0;

	for (; from < to && !err; from = end) {
		err = make_room(c);
		slice = slice_of(c, from);
		end = sat_add(c->from, sat_mul(slice + 1, c->width));
		if (end > to || slice == VMMPROF_SLICES - 1)
			end = to;
		if (!err)
			err = add(c, leaf, slice, end - from);
	}
	return err;
}

__u32 chain_slices_at(const struct chain_slices *c, const struct slices *s,
		      const struct chain_slice *count)
{
	__u64 tsc = sat_add(c->from, sat_mul(count->slice, c->width));

	/* the last slice of one width may begin behind the end of all */
	return slices_at(s, tsc);
}

void chain_slices_apply(const struct chain_slices *c, const struct slices *s,
			size_t first, size_t last, struct chain_tree *t)
{
	__u32 at;
	size_t i;

	for (i = 0; i < t->nr_leaves; i++)
		t->leaves[i].samples = 0;
	for (i = 0; i < c->nr; i++) {
		at = chain_slices_at(c, s, &c->counts[i]);
		if (at >= first && at <= last)
			sat_sum(&t->leaves[c->counts[i].leaf].samples,
				c->counts[i].n);
	}
}

void chain_slices_deinit(struct chain_slices *c)
{
	free(c->counts);
	hash_deinit(&c->by_key);
	memset(c, 0, sizeof(*c));
}
