// SPDX-License-Identifier: GPL-2.0-only
/* Rectangles of addresses and times from JIT items, and the tree over them. */

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/number_set.h"
#include "base/search.h"
#include "base/sort.h"
#include "model/clock.h"
#include "model/jit.h"

#define MAX_FORKS 64
/* A perf map's line is up to this much older than its first reading. */
#define MAP_AGE	  1500000000ULL

static int cmp_edge(const void *a, const void *b, void *arg)
{
	const struct jit_edge *x = a, *y = b;

	(void)arg;
	if (x->image != y->image)
		return x->image < y->image ? -1 : 1;
	return x->addr < y->addr ? -1 : x->addr > y->addr;
}

static const struct vmmprof_maps_jit *item_of(const struct jit *j,
					      const struct jit_piece *p)
{
	return j->items[p->item];
}

/*
 * From when on @o may be overwritten by @p.  A perf map has no times: @p's code
 * appeared somewhere between two readings of the map, and between them either
 * may have run.
 */
static __u64 end_by(const struct vmmprof_maps_jit *o,
		    const struct vmmprof_maps_jit *p)
{
	__u64 ns = p->ns;

	if (p->source != VMMPROF_JIT_PERF_MAP || !strcmp(o->name, p->name))
		return ns;
	ns -= ns < MAP_AGE ? ns : MAP_AGE;
	return ns > o->ns ? ns : o->ns;
}

/* The edges of all pieces, and each piece's two. */
static int set_edges(struct jit *j)
{
	struct jit_piece *p;
	struct jit_edge e;
	size_t i, n = 0;

	j->edges = malloc(2 * j->nr * sizeof(*j->edges));
	if (!j->edges)
		return -ENOMEM;
	for (i = 0; i < 2 * j->nr; i++) {
		p = &j->pieces[i / 2];
		e.addr = item_of(j, p)->addr;
		if (i & 1)
			e.addr += item_of(j, p)->size;
		e.image = p->image;
		e.of = i;
		j->edges[i] = e;
	}
	sort_in_place(j->edges, 2 * j->nr, sizeof(*j->edges), cmp_edge, NULL);
	for (i = 0; i < 2 * j->nr; i++) {
		e = j->edges[i];
		if (!n || cmp_edge(&j->edges[n - 1], &e, NULL))
			j->edges[n++] = e;
		p = &j->pieces[e.of / 2];
		if (e.of & 1)
			p->high = n - 1;
		else
			p->low = n - 1;
	}
	j->nr_edges = n;
	return 0;
}

/* Each piece ends what it overlaps. */
static int set_ends(struct jit *j)
{
	struct jit_piece *p, *o;
	struct number_set lows;
	__u32 *live; /* the piece that begins at each edge */
	size_t i, low;

	live = malloc(j->nr_edges * sizeof(*live));
	if (!live || number_set_init(&lows, j->nr_edges)) {
		free(live);
		return -ENOMEM;
	}
	for (i = 0; i < j->nr; i++) {
		p = &j->pieces[i];
		for (;;) {
			low = number_set_last(&lows, p->high - 1);
			if (low == NUMBER_SET_NONE)
				break;
			o = &j->pieces[live[low]];
			if (o->high <= p->low)
				break;
			o->end = end_by(item_of(j, o), item_of(j, p));
			number_set_remove(&lows, low);
			p->first = false;
		}
		number_set_add(&lows, p->low);
		live[p->low] = i;
	}
	number_set_deinit(&lows);
	free(live);
	return 0;
}

/*
 * The first node from above in whose middle the piece is: the number with most
 * zeros at its end in [low, high).
 */
static size_t node_of(const struct jit_piece *p)
{
	__u32 last = p->high - 1, differ = p->low ^ last;

	return differ ? last & ~0u << (31 - __builtin_clz(differ)) : last;
}

static __u32 node_of_piece(const void *arg, size_t i)
{
	const struct jit *j = arg;

	return node_of(&j->pieces[i]);
}

struct range {
	__u32 low, high;
};

static struct range sum_up(struct jit *j, size_t a, size_t b)
{
	const struct jit_piece *p = &j->pieces[j->nodes.things[a]];
	struct range l = { p->low, p->high }, r;
	size_t mid = a + (b - a) / 2;

	if (mid == a)
		return l;
	l = sum_up(j, a, mid);
	r = sum_up(j, mid, b);
	l.low = l.low < r.low ? l.low : r.low;
	l.high = l.high > r.high ? l.high : r.high;
	j->lowest[mid] = l.low;
	j->highest[mid] = l.high;
	return l;
}

static int build_tree(struct jit *j)
{
	const __u32 *first;
	size_t i;
	int ret;

	ret = set_ends(j);
	if (!ret)
		ret = groups_init(&j->nodes, j->nr_edges, j->nr, node_of_piece,
				  j);
	if (ret)
		return ret;
	j->lowest = malloc(j->nr * sizeof(*j->lowest));
	j->highest = malloc(j->nr * sizeof(*j->highest));
	if (!j->lowest || !j->highest)
		return -ENOMEM;
	first = j->nodes.first;
	for (i = 0; i < j->nr_edges; i++)
		if (first[i] < first[i + 1])
			sum_up(j, first[i], first[i + 1]);
	return 0;
}

/* Pieces of images that are known; of an image's two sources the better. */
static int take_items(struct jit *j, const struct bundle *b,
		      const struct procs *ps)
{
	bool *has_dump = calloc(ps->nr + 1, sizeof(*has_dump));
	const struct image *im;
	struct jit_piece *p;
	size_t i, n = 0;

	j->items = b->jits;
	j->pieces = malloc(b->nr_jits * sizeof(*j->pieces));
	if (!has_dump || !j->pieces) {
		free(has_dump);
		return -ENOMEM;
	}
	for (i = 0; i < b->nr_jits; i++) {
		im = procs_find(ps, b->jits[i]->pid, b->jits[i]->ns);
		if (!im)
			continue;
		p = &j->pieces[n++];
		memset(p, 0, sizeof(*p));
		p->item = i;
		p->end = TIME_UNKNOWN;
		p->first = true;
		p->image = im - ps->images;
		if (b->jits[i]->source == VMMPROF_JIT_DUMP)
			has_dump[p->image] = true;
	}
	for (i = 0; i < n; i++) {
		p = &j->pieces[i];
		if (item_of(j, p)->source == VMMPROF_JIT_DUMP ||
		    !has_dump[p->image])
			j->pieces[j->nr++] = *p;
	}
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
	groups_deinit(&j->nodes);
	free(j->lowest);
	free(j->highest);
	memset(j, 0, sizeof(*j));
}

/* The gap in which an address is, of those of its image; SIZE_MAX: in none. */
static size_t gap_of(const struct jit *j, __u32 image, __u64 addr)
{
	const struct jit_edge key = { addr, image, 0 };
	size_t lo = 0, hi = j->nr_edges, mid;

	/* the last edge that is not above the key, + 1 */
	BISECT(lo, hi, mid, cmp_edge(&j->edges[mid], &key, NULL) <= 0);
	return lo && j->edges[lo - 1].image == image ? lo - 1 : SIZE_MAX;
}

/* Does one of the entries [@a, @b) of a node lie over @gap? */
static bool any_over(const struct jit *j, size_t a, size_t b, size_t gap)
{
	const struct jit_piece *p = &j->pieces[j->nodes.things[a]];
	size_t mid = a + (b - a) / 2;

	if (mid == a)
		return p->low <= gap && gap < p->high;
	return j->lowest[mid] <= gap && gap < j->highest[mid];
}

/* Of the node's entries [@a, @b) the last one before @end over @gap, or NULL. */
static const struct jit_piece *last_over(const struct jit *j, size_t a,
					 size_t b, size_t end, size_t gap)
{
	const struct jit_piece *p;

	if (a >= end || !any_over(j, a, b, gap))
		return NULL;
	if (b - a == 1)
		return &j->pieces[j->nodes.things[a]];
	p = last_over(j, a + (b - a) / 2, b, end, gap);
	return p ?: last_over(j, a, a + (b - a) / 2, end, gap);
}

/* The first one from @from on. */
static const struct jit_piece *first_over(const struct jit *j, size_t a,
					  size_t b, size_t from, size_t gap)
{
	const struct jit_piece *p;

	if (b <= from || !any_over(j, a, b, gap))
		return NULL;
	if (b - a == 1)
		return &j->pieces[j->nodes.things[a]];
	p = first_over(j, a, a + (b - a) / 2, from, gap);
	return p ?: first_over(j, a + (b - a) / 2, b, from, gap);
}

/* What is at an address around a time. */
struct around {
	const struct jit_piece *at;    /* then */
	const struct jit_piece *after; /* the first one later */
	__u64 before; /* end of the last one earlier, 0: none */
};

static void search_node(const struct jit *j, size_t node, __u64 ns, size_t gap,
			struct around *a)
{
	size_t first = j->nodes.first[node], last = j->nodes.first[node + 1];
	size_t lo = first, hi = last, mid;
	const struct jit_piece *p;

	if (first == last)
		return;
	BISECT(lo, hi, mid,
	       item_of(j, &j->pieces[j->nodes.things[mid]])->ns <= ns);
	p = last_over(j, first, last, lo, gap);
	if (p && p->end > ns)
		a->at = p;
	else if (p && p->end >= a->before)
		a->before = p->end ? p->end : 1;
	p = first_over(j, first, last, lo, gap);
	if (p && (!a->after || item_of(j, p)->ns < item_of(j, a->after)->ns))
		a->after = p;
}

static struct around find_around(const struct jit *j, __u32 image, __u64 ns,
				 __u64 addr)
{
	struct around a = { NULL, NULL, 0 };
	size_t gap = gap_of(j, image, addr), bit, node;

	if (gap == SIZE_MAX)
		return a;
	if (!gap)
		search_node(j, 0, ns, gap, &a);
	for (bit = 1; bit < j->nr_edges; bit *= 2) {
		node = (gap | bit) & ~(bit - 1);
		if (node < j->nr_edges)
			search_node(j, node, ns, gap, &a);
	}
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
			*from = a.at ? item_of(j, a.at)->ns : a.before;
			*end = a.at    ? a.at->end :
			       a.after ? item_of(j, a.after)->ns :
					 TIME_UNKNOWN;
			if (a.after && a.after->first && !a.before &&
			    a.after->end > item_of(j, a.after)->ns &&
			    item_of(j, a.after)->source == VMMPROF_JIT_PERF_MAP)
				later = item_of(j, a.after);
		}
		if (a.at)
			return item_of(j, a.at);
		/*
		 * The process had code of its own there: the parent's is no
		 * longer valid.
		 */
		if (a.before || im->parent == VMMPROF_NONE)
			break;
		ns = im->from;
		im = &ps->images[im->parent];
	}
	return later;
}
