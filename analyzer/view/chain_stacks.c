// SPDX-License-Identifier: GPL-2.0-only
/* Leaves of the tree of chains, of which those that are the same are summed. */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/saturate.h"
#include "base/sort.h"
#include "base/vec.h"
#include "sym/exits.h"
#include "view/chain_stacks.h"

/* What stands above the functions. */
static void find_top(const struct chain_tree *t, __u32 node,
		     struct chain_stack *st)
{
	const struct chain_frame *f;

	for (; node; node = t->nodes[node].parent) {
		f = &t->frames[t->nodes[node].frame];
		if (f->kind == FRAME_MACHINE)
			st->machine = f->machine;
		else if (f->kind == FRAME_PROCESS)
			st->proc = f->what;
		else if (f->kind == FRAME_THREAD)
			st->tid = f->what;
		else if (f->kind == FRAME_EXIT)
			st->polls = exit_is_hlt(f->what);
	}
}

static __u64 vcpu_key(__u32 machine, __u32 vcpu)
{
	return (__u64)machine << 32 | vcpu;
}

bool chain_stacks_exits(const struct chain_stacks *s, const struct entry *e)
{
	return entry_is_exit(e) &&
	       hash_get(&s->exits[e->polls], vcpu_key(e->machine, e->vcpu)) !=
		       VMMPROF_NONE;
}

static int add(struct chain_stacks *s, const struct chain_leaf *l,
	       const struct bucket_key *key)
{
	struct chain_stack *st;
	int err = vec_grow(&s->stacks, &s->cap, s->nr, sizeof(*st));

	if (err)
		return err;
	st = &s->stacks[s->nr++];
	*st = (struct chain_stack){
		.node = l->node,
		.vcpu = key->vcpu,
		.proc = VMMPROF_NONE,
		.tid = VMMPROF_NONE,
		.samples = l->samples,
		.ticks = l->ticks,
	};
	find_top(s->tree, l->node, st);
	/* what a halt is, is known with time */
	st->polls &= s->timed;
	/* a number without its VM says nothing */
	if (!st->machine)
		st->vcpu = VMMPROF_NONE;
	sat_sum(&s->samples, l->samples);
	return st->machine != key->guest ?
		       hash_set(&s->exits[st->polls],
				vcpu_key(st->machine, st->vcpu), 1) :
		       0;
}

bool chain_stacks_waits(const struct chain_stacks *s, const struct entry *e)
{
	return s->waits && entry_sleeps(e);
}

static int add_wait(struct chain_stacks *s, const struct chain_wait *w,
		    const struct track *t)
{
	struct chain_stack *st;
	int err = vec_grow(&s->stacks, &s->cap, s->nr, sizeof(*st));

	if (err)
		return err;
	st = &s->stacks[s->nr++];
	*st = (struct chain_stack){
		.node = w->node,
		.vcpu = t->vcpu_id,
		.proc = VMMPROF_NONE,
		.tid = VMMPROF_NONE,
		.wait = chain_wait_entry(w),
		.thief = w->thief,
		.ticks = w->ticks,
	};
	find_top(s->tree, w->node, st);
	return 0;
}

static int add_waits(struct chain_stacks *s, const struct report *r)
{
	const struct track *t;
	size_t i;
	int err = 0;

	for (i = 0; s->waits && i < s->waits->nr && !err; i++) {
		t = r->tl->tracks[s->waits->waits[i].track];
		if (report_has(r, 1 + t->guest))
			err = add_wait(s, &s->waits->waits[i], t);
	}
	return err;
}

static int cmp_stack(const void *pa, const void *pb)
{
	const struct chain_stack *a = pa, *b = pb;

	COMPARE(machine);
	COMPARE(vcpu);
	COMPARE(proc);
	COMPARE(node);
	return 0;
}

static void sum_same(struct chain_stacks *s)
{
	size_t i, n = 0;

	for (i = 0; i < s->nr; i++)
		if (n && !cmp_stack(&s->stacks[n - 1], &s->stacks[i])) {
			sat_sum(&s->stacks[n - 1].samples,
				s->stacks[i].samples);
			sat_sum(&s->stacks[n - 1].ticks, s->stacks[i].ticks);
		} else {
			s->stacks[n++] = s->stacks[i];
		}
	s->nr = n;
}

/* Of a vCPU's [vmm], or of its halts that poll. */
struct exits {
	__u64 ns, samples;
};

/* Of the entries that a vCPU has, less what is taken. */
static struct exits exits_of(struct entries *es, const struct chain_stack *st,
			     bool polls, struct exits take)
{
	struct exits all = { 0 };
	struct entry *e;
	size_t i, to;
	__u64 n;

	entries_of(es, st->machine, &i, &to);
	for (; i < to; i++) {
		e = &es->entries[i];
		if (e->vcpu != st->vcpu || !entry_is_exit(e) ||
		    e->polls != polls)
			continue;
		n = take.ns < e->ns ? take.ns : e->ns;
		e->ns -= n;
		take.ns -= n;
		n = take.samples < e->samples ? take.samples : e->samples;
		e->samples -= n;
		take.samples -= n;
		sat_sum(&all.ns, e->ns);
		sat_sum(&all.samples, e->samples);
	}
	return all;
}

/* A vCPU's time in a state, by one thief. */
struct share {
	__u64 ns, ticks;
	/* of the stacks so far */
	__u64 seen, given;
};

struct shares {
	struct share *at;
	size_t nr, cap;
	struct hash by_key;
};

static int share_of(struct shares *s, __u32 wait, __u32 thief, __u32 *ret)
{
	__u64 key = (__u64)wait << 32 | thief;
	int err;

	*ret = hash_get(&s->by_key, key);
	if (*ret != VMMPROF_NONE)
		return 0;
	err = vec_grow(&s->at, &s->cap, s->nr, sizeof(*s->at));
	if (!err)
		err = hash_set(&s->by_key, key, s->nr);
	if (err)
		return err;
	*ret = s->nr;
	s->at[s->nr++] = (struct share){ 0 };
	return 0;
}

/* What the entries of the vCPU have. */
static int add_entries(struct shares *shares, const struct chain_stacks *s,
		       const struct entries *es, const struct timeline *tl,
		       const struct chain_stack *of)
{
	const struct entry *e;
	size_t i, to;
	__u32 at;
	int err = 0;

	entries_of(es, of->machine, &i, &to);
	for (; i < to && !err; i++) {
		e = &es->entries[i];
		if (e->vcpu != of->vcpu || !chain_stacks_waits(s, e))
			continue;
		err = share_of(shares, e->state,
			       e->stolen == VMMPROF_NONE ?
				       VMMPROF_NONE :
				       tl->thieves.stolen[e->stolen].thief,
			       &at);
		if (!err)
			sat_sum(&shares->at[at].ns, e->ns);
	}
	return err;
}

/* The time of the vCPU's waits: each as its ticks, all of them exactly. */
static int time_waits(struct chain_stacks *s, const struct entries *es,
		      const struct timeline *tl, size_t first, size_t end)
{
	struct shares shares = { 0 };
	struct chain_stack *st;
	struct share *of;
	size_t i;
	__u32 at;
	int err;

	err = add_entries(&shares, s, es, tl, &s->stacks[first]);
	for (i = first; i < end && !err; i++) {
		st = &s->stacks[i];
		if (!st->wait)
			continue;
		err = share_of(&shares, st->wait, st->thief, &at);
		if (!err)
			sat_sum(&shares.at[at].ticks, st->ticks);
	}
	for (i = first; i < end && !err; i++) {
		st = &s->stacks[i];
		if (!st->wait)
			continue;
		err = share_of(&shares, st->wait, st->thief, &at);
		of = &shares.at[at];
		sat_sum(&of->seen, st->ticks);
		st->ns = (__uint128_t)of->ns * of->seen / of->ticks - of->given;
		of->given += st->ns;
	}
	hash_deinit(&shares.by_key);
	free(shares.at);
	return err;
}

/* The stacks from @first to @end are of one vCPU: those of its guest. */
static void time_guest(struct chain_stacks *s, __u64 khz, size_t first,
		       size_t end)
{
	struct ns_sum guest = { 0 };
	size_t i;

	for (i = first; i < end; i++)
		if (chain_stack_state(s, &s->stacks[i]) == ENTRY_GUEST)
			s->stacks[i].ns = ns_sum_add(&guest, khz,
						     s->stacks[i].ticks);
}

/*
 * The same: those of its VM exits, or of halts that poll.  A sample has as much as
 * each other one of the time, of which the VMM's own code has some, too.
 */
static void time_exits(struct chain_stacks *s, struct entries *es, size_t first,
		       size_t end, bool polls)
{
	const unsigned int state = ENTRY_PART + (polls ? PART_HALT : PART_VMM);
	const struct exits none = { 0 };
	struct exits of = exits_of(es, &s->stacks[first], polls, none);
	struct exits given = { 0 };
	__u64 all = 0;
	struct chain_stack *st;
	size_t i;

	for (i = first; i < end; i++) {
		st = &s->stacks[i];
		if (!st->wait && chain_stack_state(s, st) == state)
			sat_sum(&all, st->samples);
	}
	if (all < of.samples)
		all = of.samples;
	for (i = first; i < end; i++) {
		st = &s->stacks[i];
		if (st->wait || chain_stack_state(s, st) != state)
			continue;
		sat_sum(&given.samples, st->samples);
		st->ns = (__uint128_t)of.ns * given.samples / all - given.ns;
		given.ns += st->ns;
	}
	exits_of(es, &s->stacks[first], polls, given);
}

static int time_stacks(struct chain_stacks *s, struct entries *es,
		       const struct timeline *tl)
{
	__u64 khz = tl->khz ? tl->khz : 1000000;
	__u64 period = sat_scale(tl->period, 1000000, khz);
	const struct chain_stack *st;
	size_t i, end;
	int err = 0;

	for (i = 0; i < s->nr && !err; i = end) {
		st = &s->stacks[i];
		end = i + 1;
		if (!st->machine) {
			s->stacks[i].ns = sat_mul(st->samples, period);
			continue;
		}
		while (end < s->nr && s->stacks[end].machine == st->machine &&
		       s->stacks[end].vcpu == st->vcpu)
			end++;
		time_guest(s, khz, i, end);
		time_exits(s, es, i, end, false);
		time_exits(s, es, i, end, true);
		err = time_waits(s, es, tl, i, end);
	}
	return err;
}

int chain_stacks_init(struct chain_stacks *s, struct report *r,
		      const struct chain_tree *tree,
		      const struct chain_waits *waits, struct entries *es)
{
	struct selection sel = report_selection(r, 0);
	const struct chain_leaf *l;
	const struct bucket_key *key;
	size_t i;
	int err = 0;

	memset(s, 0, sizeof(*s));
	s->tree = tree;
	s->names = &r->names;
	s->timed = es->timed;
	s->waits = es->timed ? waits : NULL;
	for (i = 0; i < tree->nr_leaves && !err; i++) {
		l = &tree->leaves[i];
		key = &r->a->profile.buckets[l->bucket].key;
		sel.machine = key->guest;
		if (report_has(r, key->guest) && selected(&r->names, &sel, key))
			err = add(s, l, key);
	}
	if (!err)
		err = add_waits(s, r);
	if (err)
		return err;
	sort_array(s->stacks, s->nr, sizeof(*s->stacks), cmp_stack);
	sum_same(s);
	return es->timed ? time_stacks(s, es, r->tl) : 0;
}

void chain_stacks_deinit(struct chain_stacks *s)
{
	free(s->stacks);
	hash_deinit(&s->exits[0]);
	hash_deinit(&s->exits[1]);
	memset(s, 0, sizeof(*s));
}

size_t chain_stack_path(const struct chain_stacks *s,
			const struct chain_stack *st, __u32 *nodes)
{
	const struct chain_tree *t = s->tree;
	size_t nr = 0;
	__u32 node;

	for (node = st->node; node && nr < CHAIN_FRAMES_MAX;
	     node = t->nodes[node].parent)
		if (!chain_frame_top(&t->frames[t->nodes[node].frame]))
			nodes[nr++] = node;
	return nr;
}
