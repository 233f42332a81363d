// SPDX-License-Identifier: GPL-2.0-only
/* Splits the parts of entries by the chains of their samples. */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/saturate.h"
#include "base/search.h"
#include "base/sort.h"
#include "base/vec.h"
#include "sym/exits.h"
#include "view/chain_names.h"
#include "view/chain_stacks.h"
#include "view/time_chains.h"

/*
 * Samples of an entry that have a chain, in a bin; of time, ticks, but for [vmm],
 * of which it is the samples of VM exits.
 */
struct count {
	__u32 entry, bin, node;
	__u64 n;
};

/* The VM exits of a vCPU, or its halts in which the host polls. */
struct exits {
	__u32 entry;		       /* the first one of that time */
	__u64 chained, samples;	       /* of its samples, and all of them */
	__u32 nearest[VMMPROF_SLICES]; /* by bin, the one that has such time */
};

/* Of a node: whose tree it is in, and is it of a halt that polls? */
struct where {
	__u32 machine;
	bool polls;
};

struct counts {
	struct count *at;
	size_t nr;
	/* of what they are made */
	const struct time_series *o;
	const struct entries *es;
	const struct chain_pass *p;
	const struct slices *s;
	struct hash time;    /* track, state and thief -> entry */
	struct where *where; /* by node */
	struct exits *exits;
	size_t nr_exits, cap_exits;
	struct hash by_vcpu; /* vcpu_key() -> .exits */
};

/* Nodes come after their parents. */
static int find_where(struct counts *c)
{
	const struct chain_tree *t = &c->p->tree;
	const struct chain_frame *f;
	size_t i;

	c->where = calloc(t->nr_nodes + 1, sizeof(*c->where));
	if (!c->where)
		return -ENOMEM;
	for (i = 1; i < t->nr_nodes; i++) {
		f = &t->frames[t->nodes[i].frame];
		c->where[i] = c->where[t->nodes[i].parent];
		if (f->kind == FRAME_MACHINE)
			c->where[i].machine = f->machine;
		else if (f->kind == FRAME_EXIT)
			c->where[i].polls = c->es->timed &&
					    exit_is_hlt(f->what);
	}
	return 0;
}

/* Is a chain of the host's that of a VM exit: in the tree of a guest? */
static bool is_exit(const struct counts *c, __u32 entry, __u32 node)
{
	return !c->es->entries[entry].machine && c->where[node].machine;
}

static __u64 vcpu_key(__u32 machine, __u32 vcpu, bool polls)
{
	return (__u64)machine << 33 | (__u64)polls << 32 | vcpu;
}

/* NULL: the vCPU has no such time. */
static struct exits *exits_of(const struct counts *c, __u32 machine, __u32 vcpu,
			      bool polls)
{
	__u32 at = hash_get(&c->by_vcpu, vcpu_key(machine, vcpu, polls));

	return at == VMMPROF_NONE ? NULL : &c->exits[at];
}

/* Unless the vCPU of that entry has one already. */
static int add_exits_of(struct counts *c, __u32 entry)
{
	const struct entry *e = &c->es->entries[entry];
	struct exits *x;
	int err;

	if (exits_of(c, e->machine, e->vcpu, e->polls))
		return 0;
	err = vec_grow(&c->exits, &c->cap_exits, c->nr_exits, sizeof(*x));
	if (!err)
		err = hash_set(&c->by_vcpu,
			       vcpu_key(e->machine, e->vcpu, e->polls),
			       c->nr_exits);
	if (err)
		return err;
	x = &c->exits[c->nr_exits++];
	*x = (struct exits){ .entry = entry };
	memset(x->nearest, 0xff, sizeof(x->nearest));
	return 0;
}

/* Without time there is no [vmm]: an entry without samples of its own. */
static int add_vmm(struct counts *c, struct entries *es, struct names *n,
		   __u32 machine, __u32 vcpu)
{
	char name[NAME_MAX_BYTES];
	struct entry e = {
		.machine = machine,
		.vcpu = vcpu,
		.pid = VMMPROF_NONE,
		.process = VMMPROF_NONE,
		.program = VMMPROF_NONE,
		.container = VMMPROF_NONE,
		.thief = VMMPROF_NONE,
		.stolen = VMMPROF_NONE,
		.state = ENTRY_PART + PART_VMM,
	};
	int err = vec_grow(&es->entries, &es->cap, es->nr, sizeof(e));

	name_machine(n, machine, name, sizeof(name));
	if (!err)
		err = strings_add(&es->names, name, strlen(name), &e.guest);
	if (!err)
		err = strings_add(&es->names, "[vmm]", 5, &e.function);
	if (!err)
		err = strings_add(&es->names, "(host)", 6, &e.module);
	if (err)
		return err;
	es->entries[es->nr++] = e;
	return add_exits_of(c, es->nr - 1);
}

/* From the bins that are their own nearest. */
static void find_nearest(struct exits *x, __u32 nr)
{
	__u32 last = VMMPROF_NONE, next = VMMPROF_NONE, b;

	for (b = 0; b < nr; b++) {
		if (x->nearest[b] == b)
			last = b;
		x->nearest[b] = last;
	}
	for (b = nr; b-- > 0;) {
		last = x->nearest[b];
		if (last == b)
			next = b;
		else if (next != VMMPROF_NONE &&
			 (last == VMMPROF_NONE || next - b < b - last))
			x->nearest[b] = next;
	}
}

/* With time: the entries and bins of [vmm], and of halts that poll. */
static int find_vmm(struct counts *c)
{
	const struct time_series_part *p = c->o->parts;
	const struct entry *e;
	struct exits *x;
	size_t i;
	int err = 0;

	for (i = 0; i < c->o->nr && !err; i++) {
		e = &c->es->entries[p[i].entry];
		if (!entry_is_exit(e))
			continue;
		err = add_exits_of(c, p[i].entry);
		if (!err)
			exits_of(c, e->machine, e->vcpu, e->polls)
				->nearest[p[i].bin] = p[i].bin;
	}
	for (i = 0; i < c->nr_exits; i++)
		find_nearest(&c->exits[i], c->o->nr_bins);
	for (i = 0; i < c->es->nr && !err; i++) {
		e = &c->es->entries[i];
		x = entry_is_exit(e) ?
			    exits_of(c, e->machine, e->vcpu, e->polls) :
			    NULL;
		if (x)
			sat_sum(&x->samples, e->samples);
	}
	return err;
}

/* Without: an entry for each vCPU that has VM exits, and each bin its own. */
static int make_vmm(struct counts *c, struct entries *es, struct names *n)
{
	const struct chain_tree *t = &c->p->tree;
	const struct chain_leaf *l;
	__u32 machine, vcpu, entry, b;
	size_t i;
	int err = 0;

	for (i = 0; i < t->nr_leaves && !err; i++) {
		l = &t->leaves[i];
		entry = es->of_bucket[l->bucket];
		if (entry == VMMPROF_NONE || !is_exit(c, entry, l->node))
			continue;
		machine = c->where[l->node].machine;
		vcpu = n->a->profile.buckets[l->bucket].key.vcpu;
		if (!exits_of(c, machine, vcpu, false))
			err = add_vmm(c, es, n, machine, vcpu);
	}
	for (i = 0; i < c->nr_exits; i++)
		for (b = 0; b < c->o->nr_bins; b++)
			c->exits[i].nearest[b] = b;
	return err;
}

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

/* The bin of a count of @cs. */
static __u32 bin_of(const struct counts *c, const struct chain_slices *cs,
		    const struct chain_slice *of)
{
	__u32 step = VMMPROF_SLICES / c->o->nr_bins;

	return chain_slices_at(cs, c->s, of) / step;
}

/* @entry: VMMPROF_NONE: not shown. */
static void count(struct counts *c, __u32 entry, __u32 bin, __u32 node, __u64 n)
{
	if (entry != VMMPROF_NONE)
		c->at[c->nr++] = (struct count){
			.entry = entry, .bin = bin, .node = node, .n = n
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

/* Samples: those of a VM exit are of its vCPU, too. */
static void count_samples(struct counts *c, const struct profile *p,
			  const struct chain_slice *of)
{
	const struct chain_leaf *l = &c->p->tree.leaves[of->leaf];
	__u32 entry = c->es->of_bucket[l->bucket];
	__u32 bin = bin_of(c, c->p->slices, of);
	struct exits *x;

	count(c, entry, bin, l->node, of->n);
	if (entry == VMMPROF_NONE || !is_exit(c, entry, l->node))
		return;
	x = exits_of(c, c->where[l->node].machine,
		     p->buckets[l->bucket].key.vcpu, c->where[l->node].polls);
	if (!x)
		return;
	sat_sum(&x->chained, of->n);
	count(c, x->entry, x->nearest[bin], l->node, of->n);
}

/* The counts by entry and bin, each chain of them once. */
static int list(struct counts *c, const struct profile *p)
{
	const struct chain_slices *cs = c->p->slices, *ws = NULL;
	const struct chain_wait *w;
	size_t i, n = 0;
	int err = 0;

	if (chain_pass_timed(c->p))
		ws = c->p->waits.slices;
	c->at = malloc((2 * cs->nr + (ws ? ws->nr : 0) + 1) * sizeof(*c->at));
	if (!c->at)
		return -ENOMEM;
	for (i = 0; i < cs->nr; i++)
		count_samples(c, p, &cs->counts[i]);
	if (ws)
		err = find_time(c);
	for (i = 0; ws && i < ws->nr && !err; i++) {
		w = &c->p->waits.waits[ws->counts[i].leaf];
		count(c, entry_of_wait(c, w), bin_of(c, ws, &ws->counts[i]),
		      w->node, ws->counts[i].n);
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
 * The bin of a vCPU's VM exits that is nearest to that of @at: of those before it
 * and from it on.
 */
static __u32 nearest(const struct counts *c, size_t at, __u32 entry, __u32 bin)
{
	bool next = at < c->nr && c->at[at].entry == entry;
	bool last = at && c->at[at - 1].entry == entry;

	if (last && next)
		next = c->at[at].bin - bin < bin - c->at[at - 1].bin;
	return next ? c->at[at].bin : last ? c->at[at - 1].bin : bin;
}

static size_t first_of(const struct counts *c, __u32 entry, __u32 bin)
{
	size_t lo = 0, hi = c->nr, mid;

	BISECT(lo, hi, mid, cmp_part(&c->at[mid], entry, bin) < 0);
	return lo;
}

/* The counts of a part. */
static void counts_of(const struct counts *c, const struct time_series_part *p,
		      size_t *from, size_t *end)
{
	const struct entry *e = &c->es->entries[p->entry];
	__u32 entry = p->entry, bin = p->bin;

	if (entry_is_exit(e))
		entry = exits_of(c, e->machine, e->vcpu, e->polls)->entry;
	*from = first_of(c, entry, bin);
	if (entry_is_exit(e)) {
		bin = nearest(c, *from, entry, bin);
		*from = first_of(c, entry, bin);
	}
	for (*end = *from; *end < c->nr && !cmp_part(&c->at[*end], entry, bin);
	     ++*end)
		;
}

/* Of the part's ticks those that chains have: of VM exits, by their samples. */
static __u64 chained_ticks(const struct counts *c,
			   const struct time_series_part *p)
{
	const struct entry *e = &c->es->entries[p->entry];
	const struct exits *x;

	if (!entry_is_exit(e))
		return p->ticks;
	x = exits_of(c, e->machine, e->vcpu, e->polls);
	if (x->chained >= x->samples)
		return p->ticks;
	return (__uint128_t)p->ticks * x->chained / x->samples;
}

/*
 * Each sample has as much of the part's time, and each tick of a part of time;
 * what is left has no chain.  Those of VM exits are in their vCPU's [vmm], or in
 * its halts that poll.
 */
static int split(struct splitter *s, const struct counts *c,
		 const struct time_series_part *p)
{
	bool time = entry_is_time(&c->es->entries[p->entry]);
	__u64 all = time ? 0 : p->samples, seen = 0, ticks = 0, n, due;
	__u64 chained = chained_ticks(c, p);
	__u32 node;
	size_t i, end;
	int err = 0;

	counts_of(c, p, &i, &end);
	for (n = i; time && n < end; n++)
		sat_sum(&all, c->at[n].n);
	for (; i < end && !err; i++) {
		n = c->at[i].n;
		if (n > all - seen)
			n = all - seen;
		node = c->at[i].node;
		due = n ? (__uint128_t)chained * (seen + n) / all : ticks;
		if (!is_exit(c, p->entry, node))
			err = add(s, p, node, time ? 0 : n, due - ticks);
		seen += n;
		ticks = due;
	}
	if (err)
		return err;
	return add(s, p, 0, time ? p->samples : all - seen, p->ticks - ticks);
}

/* Without time: VM exits by their samples. */
static int add_exits(struct splitter *s, const struct counts *c)
{
	struct time_series_part p = { 0 };
	size_t i;
	int err = 0;

	for (i = 0; i < c->nr && !err; i++) {
		p.entry = c->at[i].entry;
		p.bin = c->at[i].bin;
		if (entry_is_exit(&c->es->entries[p.entry]))
			err = add(s, &p, c->at[i].node, c->at[i].n, 0);
	}
	return err;
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
		err = find_where(&counts);
	if (!err)
		err = es->timed ? find_vmm(&counts) : make_vmm(&counts, es, n);
	if (!err)
		err = list(&counts, &n->a->profile);
	for (i = 0; i < o->nr && !err; i++)
		err = split(&sp, &counts, &o->parts[i]);
	if (!err && !es->timed)
		err = add_exits(&sp, &counts);
	free(counts.at);
	free(counts.where);
	hash_deinit(&counts.time);
	free(counts.exits);
	hash_deinit(&counts.by_vcpu);
	if (err) {
		free(sp.parts);
		return err;
	}
	free(o->parts);
	o->parts = sp.parts;
	o->nr = sp.nr;
	o->cap = sp.cap;
	time_series_sort(o, es);
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
