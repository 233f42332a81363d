// SPDX-License-Identifier: GPL-2.0-only
/*
 * The samples in the page of `vmmprof report --html`: the entries of an export
 * as the paths of a tree, in order, and how many samples each has in which
 * slice.  With call chains an entry is there once for each chain.
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/search.h"
#include "base/sort.h"
#include "view/html.h"
#include "view/packed.h"

/* What a slice has of an item: its samples, by rank of the item and slice. */
#define PART_SHIFT	      11 /* digits of sort_keyed() */
#define PART_KEY(rank, slice) ((__u64)(rank) << PART_SHIFT | (slice))
#define PART_RANK(key)	      ((key) >> PART_SHIFT)
#define PART_SLICE(key)	      ((__u32)((key) & ((1 << PART_SHIFT) - 1)))

_Static_assert(VMMPROF_SLICES <= 1 << PART_SHIFT, "a slice has its bits");

/* The parts of a path; a path begins as the one before until one differs. */
static int differs(const struct entry *a, const struct entry *b)
{
	if (a->machine != b->machine)
		return 0;
	if (a->vcpu != b->vcpu)
		return 1;
	if (a->process != b->process || a->pid != b->pid)
		return 2;
	return a->module != b->module ? 3 : 4;
}

static int cmp_entry(const struct entry *a, const struct entry *b)
{
	COMPARE(machine);
	COMPARE(vcpu);
	COMPARE(process);
	COMPARE(pid);
	COMPARE(module);
	COMPARE(function);
	COMPARE(mode);
	COMPARE(cause);
	return 0;
}

static int cmp_same(const struct html_item *a, const struct html_item *b)
{
	COMPARE(entry);
	COMPARE(node);
	COMPARE(vcpu);
	return 0;
}

static int cmp_item(const void *pa, const void *pb, void *arg)
{
	const struct html_item *a = pa, *b = pb;
	const struct entry *entries = arg;
	int d = cmp_entry(&entries[a->entry], &entries[b->entry]);

	return d ? d : cmp_same(a, b);
}

/* What the page has, in order: of which item each thing counted is. */
struct list {
	struct html_item *items;
	size_t nr;
	__u32 *of; /* by leaf of the tree, or by entry; VMMPROF_NONE */
	struct keyed *parts;
	size_t nr_parts;
};

static void list_deinit(struct list *l)
{
	free(l->items);
	free(l->of);
	free(l->parts);
}

static __u32 none_or(const struct entries *es, __u32 entry)
{
	return entry < es->nr && es->entries[entry].state < ENTRY_PART ?
		       entry :
		       VMMPROF_NONE;
}

/* Of thing i: an entry, or a leaf of the tree; .entry NONE: it is not shown. */
static struct html_item item_of(const struct html_data *d, size_t i)
{
	const struct entries *es = d->x->entries;
	struct html_item ret = { i, 0, VMMPROF_NONE };
	const struct chain_leaf *l;

	if (d->chains) {
		l = &d->chains->tree->leaves[i];
		ret.entry = es->of_bucket[l->bucket];
		ret.node = l->node;
		ret.vcpu = d->x->r->a->profile.buckets[l->bucket].key.vcpu;
	}
	ret.entry = none_or(es, ret.entry);
	return ret;
}

/* The items, each once, and .of: by thing, which item it is. */
static int list_items(struct list *l, const struct html_data *d)
{
	size_t things = d->chains ? d->chains->tree->nr_leaves :
				    d->x->entries->nr;
	struct html_item it;
	size_t i, n = 0, lo, hi, mid;

	l->items = malloc((things + 1) * sizeof(*l->items));
	l->of = malloc((things + 1) * sizeof(*l->of));
	if (!l->items || !l->of)
		return -ENOMEM;
	for (i = 0; i < things; i++) {
		it = item_of(d, i);
		if (it.entry != VMMPROF_NONE)
			l->items[n++] = it;
	}
	sort_array_r(l->items, n, sizeof(*l->items), cmp_item,
		     d->x->entries->entries);
	for (i = 0; i < n; i++)
		if (!l->nr || cmp_same(&l->items[l->nr - 1], &l->items[i]))
			l->items[l->nr++] = l->items[i];
	memset(l->of, 0xff, things * sizeof(*l->of));
	/* entries alone are their own items */
	for (i = 0; !d->chains && i < n; i++)
		l->of[l->items[i].entry] = i;
	for (i = 0; d->chains && i < things; i++) {
		it = item_of(d, i);
		if (it.entry == VMMPROF_NONE)
			continue;
		lo = 0;
		hi = l->nr;
		BISECT(lo, hi, mid,
		       cmp_item(&l->items[mid], &it, d->x->entries->entries) <
			       0);
		l->of[i] = lo;
	}
	return 0;
}

static void add_part(struct list *l, __u32 rank, __u32 slice, __u64 n)
{
	if (rank == VMMPROF_NONE)
		return;
	l->parts[l->nr_parts++] = (struct keyed){ PART_KEY(rank, slice), n };
}

/* What the slices have of the items, in order. */
static int list_parts(struct list *l, const struct html_data *d)
{
	const struct chain_slices *cs = d->chains ? d->chains->slices : NULL;
	size_t nr = cs ? cs->nr : d->slices->nr, i;

	l->parts = malloc((nr + 1) * sizeof(*l->parts));
	if (!l->parts)
		return -ENOMEM;
	for (i = 0; cs && i < nr; i++)
		add_part(l, l->of[cs->counts[i].leaf],
			 chain_slices_at(cs, d->slices, &cs->counts[i]) /
				 d->step,
			 cs->counts[i].n);
	for (i = 0; !cs && i < nr; i++) {
		struct slice_cell c = slices_cell(d->slices, i);
		__u32 entry = c.kind == SLICE_SAMPLES ?
				      d->x->entries->of_bucket[c.bucket] :
				      VMMPROF_NONE;

		if (entry != VMMPROF_NONE)
			add_part(l, l->of[entry], c.slice / d->step, c.n);
	}
	l->nr_parts = sort_keyed_sums(l->parts, l->nr_parts);
	return 0;
}

/* The first part that differs, and all from it on; then mode and state. */
static void add_path(struct packed *p, const struct entry *last,
		     const struct entry *e)
{
	int from = last ? differs(last, e) : 0;

	packed_add(p, from);
	if (from < 1)
		packed_add(p, e->machine);
	if (from < 2)
		packed_add(p, (__u32)(e->vcpu + 1));
	if (from < 3) {
		packed_add(p, (__u32)(e->process + 1));
		packed_add(p, (__u32)(e->pid + 1));
	}
	if (from < 4)
		packed_add(p, e->module);
	packed_add(p, e->function);
	packed_add(p, e->mode);
}

/*
 * How many slices, and of each of them twice how many behind the one before
 * it is, one more if it has more than one sample; then how many.
 */
static void add_parts(struct packed *p, const struct keyed *parts, size_t nr)
{
	__u32 at = 0, slice;
	size_t i;

	packed_add(p, nr);
	for (i = 0; i < nr; i++) {
		slice = PART_SLICE(parts[i].key);
		packed_add(p, 2 * (slice - at) + (parts[i].value > 1));
		if (parts[i].value > 1)
			packed_add(p, parts[i].value);
		at = slice;
	}
}

static int put_list(const struct list *l, const struct html_data *d,
		    struct json_out *j, const char *key)
{
	const struct entry *last = NULL, *e;
	struct packed p = { 0 };
	size_t i, first, end = 0;

	packed_add(&p, l->nr);
	packed_add(&p, l->nr_parts);
	for (i = 0; i < l->nr; i++) {
		e = &d->x->entries->entries[l->items[i].entry];
		add_path(&p, last, e);
		last = e;
		first = end;
		while (end < l->nr_parts && PART_RANK(l->parts[end].key) == i)
			end++;
		add_parts(&p, end > first ? l->parts + first : NULL,
			  end - first);
	}
	return packed_put(&p, j, key);
}

int html_samples(const struct html_data *d, struct json_out *j, const char *key)
{
	struct names names = d->x->r->names;
	struct list l = { 0 };
	int err;

	err = list_items(&l, d);
	if (!err)
		err = list_parts(&l, d);
	if (!err)
		err = put_list(&l, d, j, key);
	if (!err && d->chains)
		err = html_chains(d->chains, &names, l.items, l.nr, j,
				  "chains");
	list_deinit(&l);
	return err;
}
