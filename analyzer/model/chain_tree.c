// SPDX-License-Identifier: GPL-2.0-only
/* Adds chains to a tree, each part of a path once. */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "model/chain_tree.h"

#define NO_NODE VMMPROF_NONE

int chain_tree_init(struct chain_tree *t)
{
	memset(t, 0, sizeof(*t));
	t->max = CHAIN_NODES_MAX;
	if (vec_grow(&t->nodes, &t->cap_nodes, 0, sizeof(*t->nodes)))
		return -ENOMEM;
	t->nodes[t->nr_nodes++] = (struct chain_node){
		.frame = VMMPROF_NONE,
		.parent = NO_NODE,
	};
	return 0;
}

void chain_tree_deinit(struct chain_tree *t)
{
	free(t->frames);
	free(t->nodes);
	free(t->leaves);
	hash_deinit(&t->by_frame);
	hash_deinit(&t->by_node);
	hash_deinit(&t->by_leaf);
	memset(t, 0, sizeof(*t));
}

/* The number of a frame, which is added if it is new. */
static int frame_number(struct chain_tree *t, const struct chain_frame *f,
			__u32 *ret)
{
	__u64 key = hash_bytes(f, sizeof(*f));
	int err;

	for (;; key++) {
		*ret = hash_get(&t->by_frame, key);
		if (*ret == VMMPROF_NONE)
			break;
		if (!memcmp(&t->frames[*ret], f, sizeof(*f)))
			return 0;
	}
	err = vec_grow(&t->frames, &t->cap_frames, t->nr_frames, sizeof(*f));
	if (!err)
		err = hash_set(&t->by_frame, key, t->nr_frames);
	if (err)
		return err;
	t->frames[t->nr_frames] = *f;
	*ret = t->nr_frames++;
	return 0;
}

/* Go on to the child of *node with that frame. */
static int step(struct chain_tree *t, const struct chain_frame *f, __u32 *node)
{
	struct chain_node *n;
	__u32 frame, parent = *node;
	__u64 key;
	int err;

	err = frame_number(t, f, &frame);
	if (err)
		return err;
	key = (__u64)parent << 32 | frame;
	*node = hash_get(&t->by_node, key);
	if (*node != NO_NODE)
		return 0;
	err = vec_grow(&t->nodes, &t->cap_nodes, t->nr_nodes, sizeof(*n));
	if (!err)
		err = hash_set(&t->by_node, key, t->nr_nodes);
	if (err)
		return err;
	n = &t->nodes[t->nr_nodes];
	n->frame = frame;
	n->parent = parent;
	n->depth = t->nodes[parent].depth + 1;
	*node = t->nr_nodes++;
	return 0;
}

/* The path of a node of another tree. */
static int copy_path(struct chain_tree *t, const struct chain_tree *from,
		     __u32 *node)
{
	__u32 path[CHAIN_FRAMES_MAX + 8], at = *node;
	size_t nr = 0;
	int err = 0;

	for (; at && nr < sizeof(path) / sizeof(*path);
	     at = from->nodes[at].parent)
		path[nr++] = from->nodes[at].frame;
	*node = 0;
	while (nr-- > 0 && !err)
		err = step(t, &from->frames[path[nr]], node);
	return err;
}

int chain_tree_clear(struct chain_tree *t, __u32 **keep, size_t nr)
{
	struct chain_tree was = *t;
	size_t i;
	int err;

	err = chain_tree_init(t);
	t->addresses = was.addresses;
	t->calls = was.calls;
	t->threads = was.threads;
	t->max = was.max;
	for (i = 0; i < nr && !err; i++)
		err = copy_path(t, &was, keep[i]);
	chain_tree_deinit(&was);
	return err;
}

static struct chain_frame made_up(unsigned int kind, __u32 machine, __u32 what)
{
	return (struct chain_frame){
		.kind = kind,
		.machine = machine,
		.func = VMMPROF_NONE,
		.module = VMMPROF_NONE,
		.file = VMMPROF_NONE,
		.what = what,
	};
}

/* @hit: it is the innermost one. */
static int step_code(struct chain_tree *t, const struct chain_frame *f,
		     bool hit, __u32 *node)
{
	struct chain_frame plain = *f;

	if (!t->addresses && (hit || !t->calls)) {
		plain.addr = 0;
		plain.link = 0;
		plain.file = VMMPROF_NONE;
	}
	return step(t, &plain, node);
}

/* The frame that was hit; those before it are inlined there. */
static size_t hit_of(const struct chain_frames *f)
{
	size_t i = 0;

	while (i + 1 < f->nr && f->frame[i].inlined)
		i++;
	return i;
}

static int count_leaf(struct chain_tree *t, __u32 node, __u32 bucket)
{
	__u64 key = (__u64)node << 32 | bucket;
	__u32 i = hash_get(&t->by_leaf, key);
	struct chain_leaf *l;
	int err;

	if (i != VMMPROF_NONE) {
		t->leaves[i].samples++;
		t->last = i;
		return 0;
	}
	err = vec_grow(&t->leaves, &t->cap_leaves, t->nr_leaves, sizeof(*l));
	if (!err)
		err = hash_set(&t->by_leaf, key, t->nr_leaves);
	if (err)
		return err;
	t->last = t->nr_leaves;
	l = &t->leaves[t->nr_leaves++];
	*l = (struct chain_leaf){ node, bucket, 1, 0 };
	return 0;
}

static void count(struct chain_counts *c, const struct chain_frames *f)
{
	enum chain_class class = chain_class_of(f->end);

	c->samples++;
	c->class[class]++;
	c->end[f->end]++;
	if (class == CHAIN_COMPLETE && f->unchecked)
		c->unchecked++;
}

bool chain_tree_full(const struct chain_tree *t, const struct chain_frames *f)
{
	return t->nr_nodes + f->nr + 3 > t->max || t->nr_leaves >= 2 * t->max;
}

int chain_tree_step(struct chain_tree *t, unsigned int kind, __u32 machine,
		    __u32 what, __u32 *node)
{
	struct chain_frame f = made_up(kind, machine, what);

	return step(t, &f, node);
}

int chain_tree_path(struct chain_tree *t, const struct chain_frames *f,
		    bool full, __u32 *node)
{
	size_t i, hit = hit_of(f);
	int err;

	*node = 0;
	err = chain_tree_step(t, FRAME_MACHINE, f->machine, 0, node);
	if (!err && f->proc != VMMPROF_NONE)
		err = chain_tree_step(t, FRAME_PROCESS, f->machine, f->proc,
				      node);
	if (!err && t->threads && f->tid)
		err = chain_tree_step(t, FRAME_THREAD, f->machine, f->tid - 1,
				      node);
	if (!err && full)
		return chain_tree_step(t, FRAME_BROKEN, f->machine,
				       CHAIN_TREE_FULL, node);
	for (i = f->nr; i-- > 0 && !err;)
		err = step_code(t, &f->frame[i], i <= hit, node);
	return err;
}

int chain_tree_add(struct chain_tree *t, const struct chain_frames *f,
		   __u32 bucket)
{
	bool full = chain_tree_full(t, f);
	__u32 node;
	int err;

	count(&t->counts, f);
	t->counts.full += full;
	err = chain_tree_path(t, f, full, &node);
	if (!err && full)
		err = step_code(t, &f->frame[hit_of(f)], true, &node);
	return err ? err : count_leaf(t, node, bucket);
}
