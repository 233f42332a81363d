// SPDX-License-Identifier: GPL-2.0-only
/* Where chains go through a frame of a tree, to show its instructions. */

#include <errno.h>
#include <stdlib.h>

#include "base/saturate.h"
#include "base/vec.h"
#include "tui/panels_internal.h"
#include "view/chain_names.h"

struct finder {
	struct panels *p;
	struct chain_view v; /* for its paths */
	__u32 *frames;	     /* of the tree's line and of those above it */
	__u32 depth;	     /* their number */
	struct hash by_addr;
	struct bucket *found;
	size_t nr, cap;
};

/* The frames from the outermost line of a tree to the chosen one. */
static int find_path(struct finder *f)
{
	const struct panels *p = f->p;
	size_t i = p->pane[1].cur;
	__u32 depth = p->lines[i].depth;

	f->depth = depth;
	f->frames = calloc(depth + 1, sizeof(*f->frames));
	if (!f->frames)
		return -ENOMEM;
	for (; depth && p->lines[i].kind != LINE_ROW; i--) {
		if (p->lines[i].depth != depth || p->lines[i].kind == LINE_FEW)
			continue;
		f->frames[--depth] = p->lines[i].frame;
	}
	return depth ? -EINVAL : 0;
}

/* Does the path go through the same frames? */
static bool same_path(const struct finder *f, size_t nr)
{
	const struct trees *t = &f->p->trees;
	__u32 i, frame;

	if (nr < f->depth)
		return false;
	for (i = 0; i < f->depth; i++) {
		frame = t->tree->nodes[f->v.path[i]].frame;
		if (t->same[frame] != f->frames[i])
			return false;
	}
	return true;
}

/* The node of the function that a frame is in, which is it unless inlined. */
static __u32 function_of(const struct chain_tree *t, __u32 node)
{
	while (node && t->frames[t->nodes[node].frame].inlined)
		node = t->nodes[node].parent;
	return node;
}

/* Count the chain of a leaf at the address in its node. */
static int count(struct finder *f, __u32 leaf, __u32 node)
{
	const struct chain_tree *t = f->p->trees.tree;
	const struct chain_leaf *l = &t->leaves[leaf];
	struct bucket_key key = f->p->tl->a->profile.buckets[l->bucket].key;
	__u32 i, hit = function_of(t, l->node);
	__u64 at;
	int err;

	node = function_of(t, node);
	if (node != hit)
		key = chain_frame_key(&t->frames[t->nodes[node].frame], &key);
	at = hash_bytes(&key, sizeof(key));
	i = hash_get(&f->by_addr, at);
	if (i != VMMPROF_NONE) {
		sat_sum(&f->found[i].samples, l->samples);
		return 0;
	}
	err = vec_grow(&f->found, &f->cap, f->nr, sizeof(*f->found));
	if (!err)
		err = hash_set(&f->by_addr, at, f->nr);
	if (!err)
		f->found[f->nr++] = (struct bucket){ .key = key,
						     .samples = l->samples };
	return err;
}

static int find(struct finder *f, __u32 row)
{
	const struct trees *t = &f->p->trees;
	const struct chain_use *u;
	const __u32 *uses;
	size_t i, nr, nr_path;
	int err = 0;

	uses = groups_of(&t->rows.by_row, row, &nr);
	for (i = 0; i < nr && !err; i++) {
		u = &t->rows.uses[uses[i]];
		/* time in which the vCPU did not run has no samples */
		if (u->leaf >= t->tree->nr_leaves ||
		    !t->tree->leaves[u->leaf].samples)
			continue;
		err = chain_view_path(&f->v, t->tree,
				      t->tree->leaves[u->leaf].node,
				      t->children || t->callee ? u->depth : 0,
				      t->callee, &nr_path);
		if (!err && same_path(f, nr_path))
			err = count(f, u->leaf, f->v.path[f->depth - 1]);
	}
	return err;
}

int trees_frame(struct panels *p, struct bucket **ret)
{
	const struct pane_line *l = &p->lines[p->pane[1].cur], *row = l;
	struct finder f = { .p = p };
	int err;

	*ret = NULL;
	/* rows of time have no samples */
	while (row->depth)
		row--;
	if (row->kind == LINE_TIME || l->kind == LINE_FEW ||
	    p->trees.tree->frames[l->frame].kind != FRAME_CODE)
		return 0;
	err = chain_view_init(&f.v);
	if (!err)
		err = find_path(&f);
	if (!err)
		err = find(&f, l->row);
	chain_view_deinit(&f.v);
	hash_deinit(&f.by_addr);
	free(f.frames);
	if (err) {
		free(f.found);
		return err;
	}
	*ret = f.found;
	return f.nr;
}
