// SPDX-License-Identifier: GPL-2.0-only
/* Rectangles of addresses and times from JIT items, and the tree over them. */

#include <errno.h>
#include <search.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "model/clock.h"
#include "model/jit.h"

#define MAX_FORKS 64
/* A perf map's line is up to this much older than its first reading. */
#define MAP_AGE	  1500000000ULL

static int cmp_edge(const void *a, const void *b)
{
	const struct jit_edge *x = a, *y = b;

	if (x->image != y->image)
		return x->image < y->image ? -1 : 1;
	return x->addr < y->addr ? -1 : x->addr > y->addr;
}

/* Order of the pieces there are at one time; those that overlap are equal. */
static int cmp_live(const void *a, const void *b)
{
	const struct jit_piece *x = a, *y = b;

	if (x->image != y->image)
		return x->image < y->image ? -1 : 1;
	if (x->item->addr + x->item->size <= y->item->addr)
		return -1;
	return y->item->addr + y->item->size <= x->item->addr;
}

static void keep_node(void *node)
{
	(void)node;
}

/*
 * Since when @o may be overwritten by @p.  A perf map does not say: @p's code is
 * there for as long as nobody looked, and in that time either may have run.
 */
static __u64 end_by(const struct jit_piece *o, const struct jit_piece *p)
{
	__u64 ns = p->item->ns;

	if (p->item->source != VMMPROF_JIT_PERF_MAP ||
	    !strcmp(o->item->name, p->item->name))
		return ns;
	ns -= ns < MAP_AGE ? ns : MAP_AGE;
	return ns > o->item->ns ? ns : o->item->ns;
}

/* Each piece ends what it overlaps. */
static int set_ends(struct jit *j)
{
	struct jit_piece *p, **old;
	void *live = NULL;
	size_t i;
	int ret = 0;

	for (i = 0; i < j->nr && !ret; i++) {
		p = &j->pieces[i];
		while ((old = tfind(p, &live, cmp_live))) {
			struct jit_piece *o = *old;

			o->end = end_by(o, p);
			tdelete(o, &live, cmp_live);
			p->first = false;
		}
		if (!tsearch(p, &live, cmp_live))
			ret = -ENOMEM;
	}
	tdestroy(live, keep_node);
	return ret;
}

static size_t edge_number(const struct jit *j, __u32 image, __u64 addr)
{
	const struct jit_edge key = { image, addr };
	size_t lo = 0, hi = j->nr_edges, mid;

	/* the last edge that is not above the key, + 1 */
	while (lo < hi) {
		mid = lo + (hi - lo) / 2;
		if (cmp_edge(&j->edges[mid], &key) <= 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

static int set_edges(struct jit *j)
{
	size_t i, n = 0;

	j->edges = malloc(2 * j->nr * sizeof(*j->edges));
	if (!j->edges)
		return -ENOMEM;
	for (i = 0; i < j->nr; i++) {
		const struct jit_piece *p = &j->pieces[i];

		j->edges[2 * i].image = p->image;
		j->edges[2 * i].addr = p->item->addr;
		j->edges[2 * i + 1].image = p->image;
		j->edges[2 * i + 1].addr = p->item->addr + p->item->size;
	}
	qsort(j->edges, 2 * j->nr, sizeof(*j->edges), cmp_edge);
	for (i = 0; i < 2 * j->nr; i++)
		if (!n || cmp_edge(&j->edges[n - 1], &j->edges[i]))
			j->edges[n++] = j->edges[i];
	j->nr_edges = n;
	return 0;
}

/*
 * Count (@entries false) or enter piece @i in the nodes that together are its
 * leaves.  The tree is in an array: node n has 2n and 2n + 1 below it, leaf e
 * is nr_edges + e.
 */
static void enter(struct jit *j, size_t i, bool entries)
{
	const struct jit_piece *p = &j->pieces[i];
	size_t l = edge_number(j, p->image, p->item->addr) - 1;
	size_t r = edge_number(j, p->image, p->item->addr + p->item->size) - 1;

	for (l += j->nr_edges, r += j->nr_edges; l < r; l /= 2, r /= 2) {
		size_t n[2], k, nr = 0;

		if (l & 1)
			n[nr++] = l++;
		if (r & 1)
			n[nr++] = --r;
		for (k = 0; k < nr; k++) {
			if (entries)
				j->entries[j->node[n[k]]] = i;
			j->node[n[k]]++;
		}
	}
}

static int build_tree(struct jit *j)
{
	size_t i, nodes = 2 * j->nr_edges;
	__u64 sum = 0;

	j->node = calloc(nodes + 1, sizeof(*j->node));
	if (!j->node)
		return -ENOMEM;
	for (i = 0; i < j->nr; i++)
		enter(j, i, false);
	for (i = 0; i <= nodes; i++) {
		__u32 count = j->node[i];

		j->node[i] = sum;
		sum += count;
		if (sum > UINT32_MAX)
			return -ENOMEM;
	}
	j->entries = malloc((sum + 1) * sizeof(*j->entries));
	if (!j->entries)
		return -ENOMEM;
	for (i = 0; i < j->nr; i++)
		enter(j, i, true);
	/* Each now is where the next node begins: move them back. */
	memmove(j->node + 1, j->node, nodes * sizeof(*j->node));
	j->node[0] = 0;
	return 0;
}

/* Pieces of images that are known; of an image's two sources the better. */
static int take_items(struct jit *j, const struct bundle *b,
		      const struct procs *ps)
{
	bool *has_dump = calloc(ps->nr + 1, sizeof(*has_dump));
	const struct image *im;
	size_t i, n = 0;

	j->pieces = malloc(b->nr_jits * sizeof(*j->pieces));
	if (!has_dump || !j->pieces) {
		free(has_dump);
		return -ENOMEM;
	}
	for (i = 0; i < b->nr_jits; i++) {
		im = procs_find(ps, b->jits[i]->pid, b->jits[i]->ns);
		if (!im)
			continue;
		j->pieces[n].item = b->jits[i];
		j->pieces[n].end = TIME_UNKNOWN;
		j->pieces[n].first = true;
		j->pieces[n++].image = im - ps->images;
		if (b->jits[i]->source == VMMPROF_JIT_DUMP)
			has_dump[im - ps->images] = true;
	}
	for (i = 0; i < n; i++)
		if (j->pieces[i].item->source == VMMPROF_JIT_DUMP ||
		    !has_dump[j->pieces[i].image])
			j->pieces[j->nr++] = j->pieces[i];
	free(has_dump);
	return 0;
}

int jit_init(struct jit *j, const struct bundle *b, const struct procs *ps)
{
	int ret;

	memset(j, 0, sizeof(*j));
	if (!b->nr_jits || b->nr_jits > UINT32_MAX / 4)
		return 0;
	ret = take_items(j, b, ps);
	if (!ret && j->nr)
		ret = set_ends(j);
	if (!ret && j->nr)
		ret = set_edges(j);
	if (!ret && j->nr)
		ret = build_tree(j);
	if (ret)
		jit_deinit(j);
	return ret;
}

void jit_deinit(struct jit *j)
{
	free(j->pieces);
	free(j->edges);
	free(j->node);
	free(j->entries);
	memset(j, 0, sizeof(*j));
}

/* What is at an address around a time. */
struct around {
	const struct jit_piece *at;    /* then */
	const struct jit_piece *after; /* the first one later */
	__u64 before; /* end of the last one earlier, 0: none */
};

static void search_node(const struct jit *j, size_t node, __u64 ns,
			struct around *a)
{
	size_t first = j->node[node], lo = first, hi = j->node[node + 1];
	const struct jit_piece *p;
	size_t last = hi, mid;

	while (lo < hi) {
		mid = lo + (hi - lo) / 2;
		if (j->pieces[j->entries[mid]].item->ns <= ns)
			lo = mid + 1;
		else
			hi = mid;
	}
	if (lo > first) {
		p = &j->pieces[j->entries[lo - 1]];
		if (p->end > ns)
			a->at = p;
		else if (p->end >= a->before)
			a->before = p->end ? p->end : 1;
	}
	if (lo < last) {
		p = &j->pieces[j->entries[lo]];
		if (!a->after || p->item->ns < a->after->item->ns)
			a->after = p;
	}
}

static struct around find_around(const struct jit *j, __u32 image, __u64 ns,
				 __u64 addr)
{
	struct around a = { NULL, NULL, 0 };
	size_t edge = edge_number(j, image, addr), node;

	if (!edge || j->edges[edge - 1].image != image)
		return a;
	for (node = j->nr_edges + edge - 1; node >= 1; node /= 2)
		search_node(j, node, ns, &a);
	return a;
}

const struct vmmprof_maps_jit *jit_find(const struct jit *j,
					const struct procs *ps,
					const struct image *image, __u64 ns,
					__u64 addr, __u64 *from, __u64 *end)
{
	const struct vmmprof_maps_jit *later = NULL;
	const struct image *im = image;
	struct around a;
	int i;

	*from = 0;
	*end = TIME_UNKNOWN;
	for (i = 0; j->nr && i < MAX_FORKS; i++) {
		a = find_around(j, im - ps->images, ns, addr);
		if (!i) {
			*from = a.at ? a.at->item->ns : a.before;
			*end = a.at    ? a.at->end :
			       a.after ? a.after->item->ns :
					 TIME_UNKNOWN;
			if (a.after && a.after->first && !a.before &&
			    a.after->end > a.after->item->ns &&
			    a.after->item->source == VMMPROF_JIT_PERF_MAP)
				later = a.after->item;
		}
		if (a.at)
			return a.at->item;
		/* Something of its own was there: not the parent's any more. */
		if (a.before || im->parent == VMMPROF_NONE)
			break;
		ns = im->from;
		im = &ps->images[im->parent];
	}
	return later;
}
