// SPDX-License-Identifier: GPL-2.0-only
/* Splits the parts of entries by the chains of their samples. */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/saturate.h"
#include "base/search.h"
#include "base/sort.h"
#include "base/vec.h"
#include "view/chain_names.h"
#include "view/time_chains.h"

/* Samples of an entry that have a chain, in a bin. */
struct count {
	__u32 entry, bin, node;
	__u64 n;
};

#define CMP(member)                                            \
	do {                                                   \
		if (a->member != b->member)                    \
			return a->member < b->member ? -1 : 1; \
	} while (0)

static int cmp_part(const struct count *a, __u32 entry, __u32 bin)
{
	const struct count *b = &(struct count){ .entry = entry, .bin = bin };

	CMP(entry);
	CMP(bin);
	return 0;
}

static int cmp_count(const void *pa, const void *pb)
{
	const struct count *a = pa, *b = pb;
	int d = cmp_part(a, b->entry, b->bin);

	if (d)
		return d;
	CMP(node);
	return 0;
}

/* The counts by entry and bin, each chain of them once. */
static int list(struct count **ret, size_t *nr, const struct time_series *o,
		const struct entries *es, const struct chain_tree *tree,
		const struct chain_slices *cs, const struct slices *s)
{
	__u32 step = VMMPROF_SLICES / o->nr_bins;
	const struct chain_leaf *l;
	struct count *c;
	size_t i, n = 0;

	*nr = 0;
	*ret = c = malloc((cs->nr + 1) * sizeof(*c));
	if (!c)
		return -ENOMEM;
	for (i = 0; i < cs->nr; i++) {
		l = &tree->leaves[cs->counts[i].leaf];
		c[n] = (struct count){
			.entry = es->of_bucket[l->bucket],
			.bin = chain_slices_at(cs, s, &cs->counts[i]) / step,
			.node = l->node,
			.n = cs->counts[i].n,
		};
		n += c[n].entry != VMMPROF_NONE;
	}
	if (n)
		sort_array(c, n, sizeof(*c), cmp_count);
	for (i = 0; i < n; i++)
		if (*nr && !cmp_count(&c[*nr - 1], &c[i]))
			sat_sum(&c[*nr - 1].n, c[i].n);
		else
			c[(*nr)++] = c[i];
	return 0;
}

struct splitter {
	struct time_series_part *parts;
	size_t nr, cap;
	const struct count *counts;
	size_t nr_counts;
};

static int add(struct splitter *s, const struct time_series_part *of,
	       __u32 node, __u64 samples, __u64 ticks)
{
	int err = 0;

	if (samples || ticks)
		err = vec_grow(&s->parts, &s->cap, s->nr, sizeof(*s->parts));
	if (err || (!samples && !ticks))
		return err;
	s->parts[s->nr] = *of;
	s->parts[s->nr].node = node;
	s->parts[s->nr].samples = samples;
	s->parts[s->nr++].ticks = ticks;
	return 0;
}

/* Each sample has as much of the part's time; what is left, the last one. */
static int split(struct splitter *s, const struct time_series_part *p)
{
	__u64 samples = 0, ticks = 0, n, due;
	size_t lo = 0, hi = s->nr_counts, mid;
	__u32 node = 0;
	int err = 0;

	BISECT(lo, hi, mid, cmp_part(&s->counts[mid], p->entry, p->bin) < 0);
	for (; lo < s->nr_counts && !err &&
	       !cmp_part(&s->counts[lo], p->entry, p->bin);
	     lo++) {
		n = s->counts[lo].n;
		if (n > p->samples - samples)
			n = p->samples - samples;
		node = s->counts[lo].node;
		due = n ? (__uint128_t)p->ticks * (samples + n) / p->samples :
			  ticks;
		err = add(s, p, node, n, due - ticks);
		samples += n;
		ticks = due;
	}
	if (err)
		return err;
	return add(s, p, samples < p->samples ? 0 : node, p->samples - samples,
		   p->ticks - ticks);
}

static int name_frames(struct time_chains *c, struct entries *es,
		       struct names *n)
{
	const struct chain_tree *t = c->tree;
	char name[NAME_MAX_BYTES];
	size_t i;
	int err = 0;

	c->name = malloc((t->nr_frames + 1) * sizeof(*c->name));
	c->module = malloc((t->nr_frames + 1) * sizeof(*c->module));
	if (!c->name || !c->module)
		return -ENOMEM;
	for (i = 0; i < t->nr_frames && !err; i++) {
		c->module[i] = VMMPROF_NONE;
		chain_frame_name(n, &t->frames[i], name, sizeof(name));
		err = strings_add(&es->names, name, strlen(name), &c->name[i]);
		if (err || t->frames[i].kind != FRAME_CODE)
			continue;
		chain_frame_module(n, &t->frames[i], name, sizeof(name));
		err = strings_add(&es->names, name, strlen(name),
				  &c->module[i]);
	}
	return err;
}

int time_chains_init(struct time_chains *c, struct time_series *o,
		     struct entries *es, struct names *n,
		     const struct chain_tree *tree,
		     const struct chain_slices *cs, const struct slices *s)
{
	struct splitter sp = { 0 };
	struct count *counts = NULL;
	size_t i;
	int err;

	c->tree = tree;
	err = name_frames(c, es, n);
	if (!err)
		err = list(&counts, &sp.nr_counts, o, es, tree, cs, s);
	sp.counts = counts;
	for (i = 0; i < o->nr && !err; i++)
		err = split(&sp, &o->parts[i]);
	free(counts);
	if (err) {
		free(sp.parts);
		return err;
	}
	free(o->parts);
	o->parts = sp.parts;
	o->nr = sp.nr;
	o->cap = sp.cap;
	return 0;
}

void time_chains_deinit(struct time_chains *c)
{
	free(c->name);
	free(c->module);
	memset(c, 0, sizeof(*c));
}

size_t time_chains_path(const struct time_chains *c, const struct entry *e,
			__u32 node, __u32 *nodes)
{
	const struct chain_tree *t = c->tree;
	const struct chain_frame *f;
	size_t nr = 0;

	for (; node && nr < CHAIN_FRAMES_MAX; node = t->nodes[node].parent) {
		f = &t->frames[t->nodes[node].frame];
		if (!chain_frame_top(f) || f->machine != e->machine)
			nodes[nr++] = node;
	}
	return nr;
}
