// SPDX-License-Identifier: GPL-2.0-only
/* Leaves of the tree of chains, of which those that are the same are summed. */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/saturate.h"
#include "base/sort.h"
#include "base/vec.h"
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
	}
}

static __u64 vcpu_key(__u32 machine, __u32 vcpu)
{
	return (__u64)machine << 32 | vcpu;
}

bool chain_stacks_exits(const struct chain_stacks *s, const struct entry *e)
{
	return hash_get(&s->exits, vcpu_key(e->machine, e->vcpu)) !=
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
	/* a number without its VM says nothing */
	if (!st->machine)
		st->vcpu = VMMPROF_NONE;
	sat_sum(&s->samples, l->samples);
	return st->machine != key->guest ?
		       hash_set(&s->exits, vcpu_key(st->machine, st->vcpu), 1) :
		       0;
}

#define CMP(member)                                            \
	do {                                                   \
		if (a->member != b->member)                    \
			return a->member < b->member ? -1 : 1; \
	} while (0)

static int cmp_stack(const void *pa, const void *pb)
{
	const struct chain_stack *a = pa, *b = pb;

	CMP(machine);
	CMP(vcpu);
	CMP(proc);
	CMP(node);
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

/* Nanoseconds of a vCPU's [vmm]. */
static __u64 vmm_ns(const struct entries *es, const struct chain_stack *st)
{
	size_t i, to;
	__u64 ns = 0;

	entries_of(es, st->machine, &i, &to);
	for (; i < to; i++)
		if (es->entries[i].vcpu == st->vcpu &&
		    es->entries[i].state == ENTRY_PART + PART_VMM)
			sat_sum(&ns, es->entries[i].ns);
	return ns;
}

/* The stacks from @first to @end are of one vCPU. */
static void time_vcpu(struct chain_stacks *s, const struct entries *es,
		      __u64 khz, size_t first, size_t end)
{
	__u64 vmm = vmm_ns(es, &s->stacks[first]), all = 0, seen = 0, given = 0;
	struct ns_sum guest = { 0 };
	struct chain_stack *st;
	size_t i;

	for (i = first; i < end; i++)
		if (chain_stack_state(s, &s->stacks[i]) != ENTRY_GUEST)
			sat_sum(&all, s->stacks[i].samples);
	for (i = first; i < end; i++) {
		st = &s->stacks[i];
		if (chain_stack_state(s, st) == ENTRY_GUEST) {
			st->ns = ns_sum_add(&guest, khz, st->ticks);
			continue;
		}
		sat_sum(&seen, st->samples);
		st->ns = (__uint128_t)vmm * seen / all - given;
		given += st->ns;
	}
}

static void time_stacks(struct chain_stacks *s, const struct entries *es,
			const struct timeline *tl)
{
	__u64 khz = tl->khz ? tl->khz : 1000000;
	__u64 period = sat_scale(tl->period, 1000000, khz);
	const struct chain_stack *st;
	size_t i, end;

	for (i = 0; i < s->nr; i = end) {
		st = &s->stacks[i];
		end = i + 1;
		if (!st->machine) {
			s->stacks[i].ns = sat_mul(st->samples, period);
			continue;
		}
		while (end < s->nr && s->stacks[end].machine == st->machine &&
		       s->stacks[end].vcpu == st->vcpu)
			end++;
		time_vcpu(s, es, khz, i, end);
	}
}

int chain_stacks_init(struct chain_stacks *s, struct report *r,
		      const struct chain_tree *tree, const struct entries *es)
{
	struct selection sel = report_selection(r, 0);
	const struct chain_leaf *l;
	const struct bucket_key *key;
	size_t i;
	int err = 0;

	memset(s, 0, sizeof(*s));
	s->tree = tree;
	s->names = &r->names;
	for (i = 0; i < tree->nr_leaves && !err; i++) {
		l = &tree->leaves[i];
		key = &r->a->profile.buckets[l->bucket].key;
		sel.machine = key->guest;
		if (report_has(r, key->guest) && selected(&r->names, &sel, key))
			err = add(s, l, key);
	}
	if (err)
		return err;
	sort_array(s->stacks, s->nr, sizeof(*s->stacks), cmp_stack);
	sum_same(s);
	if (es->timed)
		time_stacks(s, es, r->tl);
	return 0;
}

void chain_stacks_deinit(struct chain_stacks *s)
{
	free(s->stacks);
	hash_deinit(&s->exits);
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
