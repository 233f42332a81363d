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
#include "view/chain_stacks.h"
#include "view/time_chains.h"

/* Samples of an entry that have a chain, in a bin; of time, ticks. */
struct count {
	__u32 entry, bin, node;
	__u64 n;
};

struct counts {
	struct count *at;
	size_t nr;
	/* of what they are made */
	const struct time_series *o;
	const struct entries *es;
	const struct chain_pass *p;
	const struct slices *s;
	struct hash time; /* track, state and thief -> entry */
};

static int cmp_part(const struct count *a, __u32 entry, __u32 bin)
{
	const struct count *b = &(struct count){ .entry = entry, .bin = bin };

	COMPARE(entry);
	COMPARE(bin);
	return 0;
}

static int cmp_count(const void *pa, const void *pb)
{
	const struct count *a = pa, *b = pb;
	int d = cmp_part(a, b->entry, b->bin);

	if (d)
		return d;
	COMPARE(node);
	return 0;
}

/* Of @cs, of that entry (VMMPROF_NONE: not shown) and node. */
static void count(struct counts *c, const struct chain_slices *cs,
		  const struct chain_slice *of, __u32 entry, __u32 node)
{
	__u32 step = VMMPROF_SLICES / c->o->nr_bins;

	if (entry != VMMPROF_NONE)
		c->at[c->nr++] = (struct count){
			.entry = entry,
			.bin = chain_slices_at(cs, c->s, of) / step,
			.node = node,
			.n = of->n,
		};
}

static __u64 time_key(__u32 track, unsigned int state, __u32 thief)
{
	return (__u64)(track << 4 | state) << 32 | thief;
}

/* Which entries have the time of chains. */
static int find_time(struct counts *c)
{
	const struct thieves *cs = &c->p->waits.tl->thieves;
	const struct entry *e;
	__u32 i, track, thief;
	int err = 0;

	for (track = 0; track < c->p->waits.tl->nr; track++) {
		i = c->es->of_track[2 * track];
		for (; i < c->es->of_track[2 * track + 1] && !err; i++) {
			e = &c->es->entries[i];
			thief = e->stolen == VMMPROF_NONE ?
					VMMPROF_NONE :
					cs->stolen[e->stolen].thief;
			if (entry_sleeps(e))
				err = hash_set(&c->time,
					       time_key(track, e->state, thief),
					       i);
		}
	}
	return err;
}

static __u32 entry_of_wait(const struct counts *c, const struct chain_wait *w)
{
	return hash_get(&c->time,
			time_key(w->track, chain_wait_entry(w), w->thief));
}

/* The counts by entry and bin, each chain of them once. */
static int list(struct counts *c)
{
	const struct chain_slices *cs = c->p->slices, *ws = NULL;
	const struct chain_leaf *l;
	const struct chain_wait *w;
	size_t i, n = 0;
	int err = 0;

	if (chain_pass_timed(c->p))
		ws = c->p->waits.slices;
	c->at = malloc((cs->nr + (ws ? ws->nr : 0) + 1) * sizeof(*c->at));
	if (!c->at)
		return -ENOMEM;
	for (i = 0; i < cs->nr; i++) {
		l = &c->p->tree.leaves[cs->counts[i].leaf];
		count(c, cs, &cs->counts[i], c->es->of_bucket[l->bucket],
		      l->node);
	}
	if (ws)
		err = find_time(c);
	for (i = 0; ws && i < ws->nr && !err; i++) {
		w = &c->p->waits.waits[ws->counts[i].leaf];
		count(c, ws, &ws->counts[i], entry_of_wait(c, w), w->node);
	}
	if (c->nr)
		sort_array(c->at, c->nr, sizeof(*c->at), cmp_count);
	for (i = 0; i < c->nr; i++)
		if (n && !cmp_count(&c->at[n - 1], &c->at[i]))
			sat_sum(&c->at[n - 1].n, c->at[i].n);
		else
			c->at[n++] = c->at[i];
	c->nr = n;
	return err;
}

struct splitter {
	struct time_series_part *parts;
	size_t nr, cap;
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

/*
 * Each sample has as much of the part's time, and each tick of a part of time;
 * what is left, the last one.
 */
static int split(struct splitter *s, const struct counts *c,
		 const struct time_series_part *p)
{
	bool time = entry_is_time(&c->es->entries[p->entry]);
	__u64 all = time ? 0 : p->samples, seen = 0, ticks = 0, n, due;
	size_t lo = 0, hi = c->nr, mid, end;
	__u32 node = 0;
	int err = 0;

	BISECT(lo, hi, mid, cmp_part(&c->at[mid], p->entry, p->bin) < 0);
	for (end = lo; end < c->nr && !cmp_part(&c->at[end], p->entry, p->bin);
	     end++)
		if (time)
			sat_sum(&all, c->at[end].n);
	for (; lo < end && !err; lo++) {
		n = c->at[lo].n;
		if (n > all - seen)
			n = all - seen;
		node = c->at[lo].node;
		due = n ? (__uint128_t)p->ticks * (seen + n) / all : ticks;
		err = add(s, p, node, time ? 0 : n, due - ticks);
		seen += n;
		ticks = due;
	}
	if (err)
		return err;
	return add(s, p, !time && seen < all ? 0 : node,
		   time ? p->samples : all - seen, p->ticks - ticks);
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
		/* as the entries have it */
		if (t->frames[i].kind == FRAME_PROCESS)
			names_process(n, t->frames[i].what, name, sizeof(name));
		else
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
		     const struct chain_pass *p, const struct slices *s)
{
	struct counts counts = { .o = o, .es = es, .p = p, .s = s };
	struct splitter sp = { 0 };
	size_t i;
	int err;

	c->tree = &p->tree;
	err = name_frames(c, es, n);
	if (!err)
		err = list(&counts);
	for (i = 0; i < o->nr && !err; i++)
		err = split(&sp, &counts, &o->parts[i]);
	free(counts.at);
	hash_deinit(&counts.time);
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

__u64 time_chains_width(const struct chain_pass *p)
{
	__u64 width = p->slices->width;

	return chain_pass_timed(p) && p->waits.slices->width > width ?
		       p->waits.slices->width :
		       width;
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
		if (!chain_frame_top(f) || f->machine != e->machine ||
		    (entry_is_time(e) && f->kind == FRAME_PROCESS))
			nodes[nr++] = node;
	}
	return nr;
}
