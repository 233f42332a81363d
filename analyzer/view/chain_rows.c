// SPDX-License-Identifier: GPL-2.0-only
/* Which row of a table has which chains. */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/saturate.h"
#include "base/vec.h"
#include "view/chain_names.h"
#include "view/chain_rows.h"

/* Rows by their keys; .last is the number of the one that was looked for. */
struct finder {
	struct names *names;
	const struct selection *sel;
	const struct chain_tree *tree;
	const struct chain_waits *waits; /* NULL: none are counted */
	struct profile rows;
	/* by row: the leaf that it was counted for last, + 1 */
	__u32 *counted;
	size_t cap;
};

/* Leaves, and behind them waits. */
static size_t nr_ends(const struct finder *f)
{
	return f->tree->nr_leaves + (f->waits ? f->waits->nr : 0);
}

static const struct chain_wait *wait_of(const struct chain_tree *t,
					const struct chain_waits *w, size_t end)
{
	return end < t->nr_leaves ? NULL : &w->waits[end - t->nr_leaves];
}

static __u32 node_of(const struct finder *f, size_t end)
{
	const struct chain_wait *w = wait_of(f->tree, f->waits, end);

	return w ? w->node : f->tree->leaves[end].node;
}

/* What the buckets of the vCPU's guest code have there; false: not selected. */
static bool wait_key(const struct finder *f, const struct chain_wait *w,
		     struct bucket_key *key)
{
	const struct track *t = f->waits->tl->tracks[w->track];
	const struct chain_frame *fr;
	__u32 node = w->node;

	*key = (struct bucket_key){
		.guest = 1 + t->guest,
		.vcpu = t->vcpu_id,
		.proc = VMMPROF_NONE,
		.func = VMMPROF_NONE,
		.module = VMMPROF_NONE,
		.file = VMMPROF_NONE,
		.exit = EXIT_NONE,
		.event = f->waits->tl->event,
	};
	for (; node; node = f->tree->nodes[node].parent) {
		fr = &f->tree->frames[f->tree->nodes[node].frame];
		if (fr->kind == FRAME_PROCESS)
			key->proc = fr->what;
	}
	return w->ticks && selected(f->names, f->sel, key);
}

/* The bucket of a leaf or wait; false: it is not of the selection. */
static bool end_key(const struct finder *f, size_t end, struct bucket_key *key)
{
	const struct profile *p = &f->names->a->profile;
	const struct chain_wait *w = wait_of(f->tree, f->waits, end);
	const struct chain_leaf *l = &f->tree->leaves[end];

	if (w)
		return wait_key(f, w, key);
	*key = p->buckets[l->bucket].key;
	/* in the time that is looked at it may have none */
	return (l->samples || l->ticks) && selected(f->names, f->sel, key);
}

/* Find the row that a key has in the chain of that leaf. */
static int find(struct finder *f, const struct bucket_key *key, __u32 leaf)
{
	struct bucket_key row = table_row(f->names, f->sel, key);
	__u32 node = node_of(f, leaf);

	if (f->sel->parents && !is_guest_row(key, f->sel))
		row.addr |= (__u64)f->sel->parents[node] << 32;
	return profile_add(&f->rows, &row, 0);
}

/* Count samples in the row found last, but once for each leaf. */
static int count_once(struct finder *f, __u32 leaf)
{
	const struct chain_wait *w = wait_of(f->tree, f->waits, leaf);
	const struct chain_leaf *l = &f->tree->leaves[leaf];
	size_t was = f->cap, row = f->rows.last;
	int err = 0;

	while (row >= f->cap && !err)
		err = vec_grow(&f->counted, &f->cap, f->cap,
			       sizeof(*f->counted));
	if (err)
		return err;
	memset(f->counted + was, 0, (f->cap - was) * sizeof(*f->counted));
	if (w && f->counted[row] != leaf + 1) {
		sat_sum(&f->rows.buckets[row].ticks, w->ticks);
	} else if (f->counted[row] != leaf + 1) {
		sat_sum(&f->rows.buckets[row].samples, l->samples);
		sat_sum(&f->rows.buckets[row].ticks, l->ticks);
	}
	f->counted[row] = leaf + 1;
	return 0;
}

static void finder_deinit(struct finder *f)
{
	profile_deinit(&f->rows);
	free(f->counted);
}

/* The row of a node's function is .rows.last; *code: it is a function. */
static int find_node(struct finder *f, __u32 node, __u32 leaf,
		     const struct bucket_key *leaf_key, bool *code)
{
	const struct chain_node *nd = &f->tree->nodes[node];
	const struct chain_frame *fr;
	struct bucket_key key;

	*code = false;
	if (!node)
		return 0;
	fr = &f->tree->frames[nd->frame];
	if (fr->kind != FRAME_CODE)
		return 0;
	/* how the host came to sleep is no function of a VM */
	if (leaf >= f->tree->nr_leaves && fr->machine != f->sel->machine)
		return 0;
	*code = true;
	key = chain_frame_key(fr, leaf_key);
	return find(f, &key, leaf);
}

/* The innermost frame that the row of a leaf does not stand for. */
static __u32 first_other(const struct chain_tree *t, __u32 node)
{
	return node && t->frames[t->nodes[node].frame].inlined ?
		       node :
		       t->nodes[node].parent;
}

/* Count the row of a leaf, or (@all) those of all functions in its chain. */
static int count_end(struct finder *f, __u32 leaf, const struct bucket_key *key,
		     bool all)
{
	bool wait = leaf >= f->tree->nr_leaves, code;
	__u32 node = node_of(f, leaf);
	int err = 0;

	if (!wait)
		node = all ? first_other(f->tree, node) : 0;
	/* the function that was hit, as the table without callees has it */
	if (!wait)
		err = find(f, key, leaf);
	if (!wait && !err)
		err = count_once(f, leaf);
	for (; !err && node; node = f->tree->nodes[node].parent) {
		err = find_node(f, node, leaf, key, &code);
		if (!err && code)
			err = count_once(f, leaf);
	}
	return err;
}

int chain_table_init(struct table *t, struct names *n,
		     const struct selection *sel, const struct chain_tree *tree,
		     const struct chain_waits *waits, bool children)
{
	struct finder f = {
		.names = n, .sel = sel, .tree = tree, .waits = waits
	};
	struct bucket_key key;
	size_t i;
	int err;

	err = table_init(t, n, sel);
	for (i = 0; i < nr_ends(&f) && !err; i++)
		if (end_key(&f, i, &key))
			err = count_end(&f, i, &key, children);
	if (!err) {
		profile_deinit(&t->rows);
		t->rows = f.rows;
		memset(&f.rows, 0, sizeof(f.rows));
		err = table_sort(t, n, sel);
	}
	finder_deinit(&f);
	return err;
}

static int use(struct chain_rows *c, __u32 row, __u32 leaf, __u32 depth)
{
	int err = vec_grow(&c->uses, &c->cap, c->nr, sizeof(*c->uses));

	if (!err)
		c->uses[c->nr++] = (struct chain_use){ row, leaf, depth };
	return err;
}

/* The row of the function that was hit. */
static int use_leaf(struct chain_rows *c, struct finder *f, size_t shown,
		    __u32 leaf, const struct bucket_key *key)
{
	const struct chain_leaf *l = &c->tree->leaves[leaf];
	int err = find(f, key, leaf);
	__u32 row = f->rows.last;

	if (!err && c->self && row < f->rows.nr) {
		sat_sum(&c->self[row].samples, l->samples);
		sat_sum(&c->self[row].ticks, l->ticks);
	}
	if (!err && row < shown)
		err = use(c, row, leaf, c->tree->nodes[l->node].depth);
	return err;
}

/* Note what shown rows have of the chain of a leaf or wait. */
static int use_end(struct chain_rows *c, struct finder *f, size_t shown,
		   __u32 leaf, const struct bucket_key *key)
{
	__u32 node = node_of(f, leaf);
	size_t first = c->nr, i;
	bool code;
	int err = 0;

	if (leaf < c->tree->nr_leaves) {
		err = use_leaf(c, f, shown, leaf, key);
		node = first_other(c->tree, node);
	}
	for (; c->children && node && !err;
	     node = c->tree->nodes[node].parent) {
		err = find_node(f, node, leaf, key, &code);
		if (err || !code || f->rows.last >= shown)
			continue;
		for (i = first; i < c->nr; i++)
			if (c->uses[i].row == f->rows.last)
				break;
		/* further out: the chain begins there */
		if (i < c->nr)
			c->uses[i].depth = c->tree->nodes[node].depth;
		else
			err = use(c, f->rows.last, leaf,
				  c->tree->nodes[node].depth);
	}
	return err;
}

static __u32 row_of(const void *arg, size_t i)
{
	return ((const struct chain_use *)arg)[i].row;
}

int chain_rows_init(struct chain_rows *c, struct names *n,
		    const struct selection *sel, const struct table *t,
		    size_t rows, const struct chain_tree *tree,
		    const struct chain_waits *waits, bool children)
{
	struct finder f = {
		.names = n, .sel = sel, .tree = tree, .waits = waits
	};
	struct bucket_key key;
	size_t i;
	int err = 0;

	memset(c, 0, sizeof(*c));
	c->tree = tree;
	c->waits = waits;
	c->children = children;
	if (children) {
		c->self = calloc(t->rows.nr + 1, sizeof(*c->self));
		err = c->self ? 0 : -ENOMEM;
	}
	/* in the order of the table: their numbers are the same */
	for (i = 0; i < t->rows.nr && !err; i++)
		err = profile_add(&f.rows, &t->rows.buckets[i].key, 0);
	for (i = 0; i < nr_ends(&f) && !err; i++)
		if (end_key(&f, i, &key))
			err = use_end(c, &f, rows, i, &key);
	finder_deinit(&f);
	if (!err)
		err = groups_init(&c->by_row, rows, c->nr, row_of, c->uses);
	return err;
}

__u32 chain_use_node(const struct chain_rows *c, const struct chain_use *u)
{
	const struct chain_wait *w = wait_of(c->tree, c->waits, u->leaf);

	return w ? w->node : c->tree->leaves[u->leaf].node;
}

__u64 chain_use_weight(const struct chain_rows *c, const struct chain_use *u)
{
	const struct chain_wait *w = wait_of(c->tree, c->waits, u->leaf);
	const struct chain_leaf *l = &c->tree->leaves[u->leaf];

	return w ? w->ticks : c->waits ? l->ticks : l->samples;
}

void chain_rows_deinit(struct chain_rows *c)
{
	free(c->uses);
	free(c->self);
	groups_deinit(&c->by_row);
	memset(c, 0, sizeof(*c));
}
