// SPDX-License-Identifier: GPL-2.0-only
/* Puts chains into a tree, one way up or the other. */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/saturate.h"
#include "base/sort.h"
#include "base/vec.h"
#include "view/chain_view.h"

static int add_node(struct chain_view *v, __u32 frame)
{
	int err = vec_grow(&v->nodes, &v->cap, v->nr, sizeof(*v->nodes));

	if (!err)
		v->nodes[v->nr++] = (struct chain_view_node){
			.frame = frame,
			.first = VMMPROF_NONE,
			.next = VMMPROF_NONE,
		};
	return err;
}

int chain_view_init(struct chain_view *v)
{
	memset(v, 0, sizeof(*v));
	return add_node(v, VMMPROF_NONE);
}

void chain_view_deinit(struct chain_view *v)
{
	free(v->nodes);
	free(v->path);
	hash_deinit(&v->by_node);
	memset(v, 0, sizeof(*v));
}

/* Go on to the child with that frame, by *node, and count there. */
static int step(struct chain_view *v, __u32 *node, __u32 frame, __u64 samples)
{
	__u64 key = (__u64)*node << 32 | frame;
	__u32 child = hash_get(&v->by_node, key);
	int err;

	if (child == VMMPROF_NONE) {
		child = v->nr;
		err = add_node(v, frame);
		if (!err)
			err = hash_set(&v->by_node, key, child);
		if (err)
			return err;
		v->nodes[child].next = v->nodes[*node].first;
		v->nodes[*node].first = child;
	}
	sat_sum(&v->nodes[child].total, samples);
	*node = child;
	return 0;
}

static bool is_top(const struct chain_tree *t, __u32 node)
{
	return !node || chain_frame_top(&t->frames[t->nodes[node].frame]);
}

/* The other way round. */
static void turn(__u32 *at, size_t nr)
{
	size_t i;
	__u32 was;

	for (i = 0; i < nr / 2; i++) {
		was = at[i];
		at[i] = at[nr - 1 - i];
		at[nr - 1 - i] = was;
	}
}

int chain_view_path(struct chain_view *v, const struct chain_tree *t,
		    __u32 node, __u32 depth, bool callee, size_t *nr)
{
	int err = 0;

	*nr = 0;
	while (callee && t->nodes[node].depth > depth)
		node = t->nodes[node].parent;
	for (; !is_top(t, node) && !err; node = t->nodes[node].parent) {
		if (!callee && t->nodes[node].depth < depth)
			break;
		err = vec_grow(&v->path, &v->cap_path, *nr, sizeof(*v->path));
		if (!err)
			v->path[(*nr)++] = node;
	}
	if (!callee)
		turn(v->path, *nr);
	return err;
}

int chain_view_weigh(struct chain_view *v, const struct chain_tree *t,
		     __u32 node, __u64 weight, __u32 depth, bool callee)
{
	__u32 at = 0, frame;
	size_t i, nr;
	int err = chain_view_path(v, t, node, depth, callee, &nr);

	if (!err)
		sat_sum(&v->nodes[0].total, weight);
	for (i = 0; i < nr && !err; i++) {
		frame = t->nodes[v->path[i]].frame;
		err = step(v, &at, v->same ? v->same[frame] : frame, weight);
	}
	sat_sum(&v->nodes[at].self, weight);
	return err;
}

static int cmp_total(const void *pa, const void *pb, void *arg)
{
	const struct chain_view_node *nodes = arg;
	const struct chain_view_node *a = &nodes[*(const __u32 *)pa];
	const struct chain_view_node *b = &nodes[*(const __u32 *)pb];

	if (a->total != b->total)
		return a->total < b->total ? 1 : -1;
	return a->frame < b->frame ? -1 : a->frame > b->frame;
}

int chain_view_sort(struct chain_view *v)
{
	__u32 child, *at;
	size_t i, k, nr;
	int err;

	for (i = 0; i < v->nr; i++) {
		nr = 0;
		child = v->nodes[i].first;
		for (; child != VMMPROF_NONE; child = v->nodes[child].next) {
			err = vec_grow(&v->path, &v->cap_path, nr,
				       sizeof(*v->path));
			if (err)
				return err;
			v->path[nr++] = child;
		}
		if (nr < 2)
			continue;
		sort_array_r(v->path, nr, sizeof(*v->path), cmp_total,
			     v->nodes);
		at = &v->nodes[i].first;
		for (k = 0; k < nr; k++) {
			*at = v->path[k];
			at = &v->nodes[*at].next;
		}
		*at = VMMPROF_NONE;
	}
	return 0;
}

int chain_view_row(struct chain_view *v, const struct chain_rows *c, size_t row,
		   bool callee)
{
	const struct chain_use *u;
	const __u32 *uses;
	size_t i, nr;
	int err = 0;

	uses = groups_of(&c->by_row, row, &nr);
	for (i = 0; i < nr && !err; i++) {
		u = &c->uses[uses[i]];
		/* none in the time that is looked at */
		if (!chain_use_weight(c, u))
			continue;
		/* without callees a chain is shown from its outermost frame */
		err = chain_view_weigh(v, c->tree, chain_use_node(c, u),
				       chain_use_weight(c, u),
				       c->children || callee ? u->depth : 0,
				       callee);
	}
	return err ? err : chain_view_sort(v);
}

__u32 chain_view_only(const struct chain_view *v, __u32 node)
{
	const struct chain_view_node *n = &v->nodes[node];

	if (n->first == VMMPROF_NONE || n->self ||
	    v->nodes[n->first].next != VMMPROF_NONE)
		return VMMPROF_NONE;
	return n->first;
}
