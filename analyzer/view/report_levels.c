// SPDX-License-Identifier: GPL-2.0-only
/* Makes a tree of a table's rows. */

#include <stdlib.h>
#include <string.h>

#include "base/saturate.h"
#include "base/sort.h"
#include "base/vec.h"
#include "view/percent.h"
#include "view/report_levels.h"

static int add(struct report_levels *l, __u32 parent, __u32 name, __u32 row,
	       __u32 *ret)
{
	int err = vec_grow(&l->nodes, &l->cap, l->nr, sizeof(*l->nodes));

	if (err)
		return err;
	*ret = l->nr;
	l->nodes[l->nr++] = (struct report_level){
		.name = name,
		.parent = parent,
		.first = VMMPROF_NONE,
		.next = VMMPROF_NONE,
		.row = row,
		.depth = parent == VMMPROF_NONE ? VMMPROF_NONE :
						  l->nodes[parent].depth + 1,
	};
	if (parent != VMMPROF_NONE) {
		l->nodes[*ret].next = l->nodes[parent].first;
		l->nodes[parent].first = *ret;
	}
	return 0;
}

/* Go on to the child with that name. */
static int step(struct report_levels *l, __u32 *node, __u32 name)
{
	__u64 key = (__u64)*node << 32 | name;
	__u32 child = hash_get(&l->by_name, key);
	int err = 0;

	if (child == VMMPROF_NONE) {
		err = add(l, *node, name, VMMPROF_NONE, &child);
		if (!err)
			err = hash_set(&l->by_name, key, child);
	}
	*node = child;
	return err;
}

static void count(struct report_levels *l, __u32 node, const struct bucket *c)
{
	for (; node != VMMPROF_NONE; node = l->nodes[node].parent) {
		sat_sum(&l->nodes[node].total.samples, c->samples);
		sat_sum(&l->nodes[node].total.ticks, c->ticks);
	}
}

static int add_row(struct report_levels *l, struct report *r,
		   const struct report_table *m, size_t row)
{
	const struct bucket *c = &m->t.rows.buckets[row];
	enum sort keys[NR_SORTS];
	size_t nr = report_keys(r, keys), i;
	char name[NAME_MAX_BYTES];
	__u32 node = 0, id;
	int err = 0;

	/* a guest is one row */
	if (is_guest_row(&c->key, &m->sel))
		nr = 1;
	for (i = 0; i < nr && !err; i++) {
		report_cell(r, &m->sel, &c->key, i, keys[i], name,
			    sizeof(name));
		err = strings_add(&l->names, name, strlen(name), &id);
		if (!err)
			err = i + 1 < nr ? step(l, &node, id) :
					   add(l, node, id, row, &node);
	}
	if (!err)
		count(l, node, c);
	return err;
}

struct order {
	const struct report_levels *l;
	bool timed;
};

static int cmp_level(const void *pa, const void *pb, void *arg)
{
	const struct order *o = arg;
	const struct report_level *a = &o->l->nodes[*(const __u32 *)pa];
	const struct report_level *b = &o->l->nodes[*(const __u32 *)pb];

	if (o->timed && a->total.ticks != b->total.ticks)
		return a->total.ticks < b->total.ticks ? 1 : -1;
	if (a->total.samples != b->total.samples)
		return a->total.samples < b->total.samples ? 1 : -1;
	/* in the order of the table, by which they were made */
	return a < b ? -1 : a > b;
}

/* Children most first. */
static int sort_children(struct report_levels *l, __u32 node, bool timed)
{
	struct order o = { l, timed };
	__u32 *children = NULL, child, *at;
	size_t nr = 0, cap = 0, i;
	int err = 0;

	child = l->nodes[node].first;
	for (; child != VMMPROF_NONE && !err; child = l->nodes[child].next) {
		err = vec_grow(&children, &cap, nr, sizeof(*children));
		if (!err)
			children[nr++] = child;
	}
	if (!err && nr > 1) {
		sort_array_r(children, nr, sizeof(*children), cmp_level, &o);
		at = &l->nodes[node].first;
		for (i = 0; i < nr; i++) {
			*at = children[i];
			at = &l->nodes[*at].next;
		}
		*at = VMMPROF_NONE;
	}
	free(children);
	return err;
}

int report_levels_init(struct report_levels *l, struct report *r,
		       const struct report_table *m)
{
	__u32 root;
	size_t i;
	int err;

	memset(l, 0, sizeof(*l));
	err = add(l, VMMPROF_NONE, 0, VMMPROF_NONE, &root);
	for (i = 0; i < m->t.rows.nr && !err; i++)
		err = add_row(l, r, m, i);
	for (i = 0; i < l->nr && !err; i++)
		err = sort_children(l, i, m->t.timed);
	return err;
}

void report_levels_deinit(struct report_levels *l)
{
	strings_deinit(&l->names);
	hash_deinit(&l->by_name);
	free(l->nodes);
	memset(l, 0, sizeof(*l));
}

__u32 report_levels_end(const struct report_levels *l, const struct report *r,
			const struct report_table *m, __u32 node)
{
	__u32 child = l->nodes[node].first;
	size_t n;

	for (n = 0; child != VMMPROF_NONE; child = l->nodes[child].next)
		if ((r->limit && n++ == r->limit) ||
		    percent_of(table_weight(&m->t, &l->nodes[child].total),
			       m->whole) < r->percent_limit)
			break;
	return child;
}
