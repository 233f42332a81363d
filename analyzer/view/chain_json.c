// SPDX-License-Identifier: GPL-2.0-only
/* Chains of a table's rows, and their account, as JSON. */

#include <errno.h>
#include <stdlib.h>

#include "base/saturate.h"
#include "base/vec.h"
#include "view/chain_json.h"
#include "view/chain_names.h"

struct out {
	struct json_out *j;
	struct names *names;
	const struct chain_tree *tree;
	const struct chain_view *v;
	__u32 *path; /* frames from the root's child on */
	size_t cap;
	/* of time: all of it, and what the chains so far have */
	bool time;
	__u64 ns, ticks, seen, given;
};

static void put_frame(struct out *o, const struct chain_frame *f)
{
	char name[NAME_MAX_BYTES];

	json_out_object(o->j, NULL);
	chain_frame_name(o->names, f, name, sizeof(name));
	json_out_string(o->j, "function", name);
	if (f->kind == FRAME_CODE) {
		chain_frame_module(o->names, f, name, sizeof(name));
		json_out_string(o->j, "module", name);
	}
	json_out_object_end(o->j);
}

/* What this chain is due of the row's time. */
static __u64 take_ns(struct out *o, __u64 ticks)
{
	__u64 due;

	sat_sum(&o->seen, ticks);
	due = (__uint128_t)o->ns * o->seen / o->ticks - o->given;
	o->given += due;
	return due;
}

static void put_chain(struct out *o, __u64 weight, size_t nr)
{
	size_t i;

	json_out_object(o->j, NULL);
	if (o->time)
		json_out_u64(o->j, "time_ns", take_ns(o, weight));
	else
		json_out_u64(o->j, "samples", weight);
	json_out_array(o->j, "frames");
	for (i = 0; i < nr; i++)
		put_frame(o, &o->tree->frames[o->path[i]]);
	json_out_array_end(o->j);
	json_out_object_end(o->j);
}

/* The chains that end at a node or below it. */
static int put_below(struct out *o, __u32 node, size_t nr)
{
	const struct chain_view_node *n = &o->v->nodes[node];
	__u32 child;
	int err = 0;

	if (node) {
		err = vec_grow(&o->path, &o->cap, nr, sizeof(*o->path));
		if (err)
			return err;
		o->path[nr++] = n->frame;
	}
	if (n->self)
		put_chain(o, n->self, nr);
	child = n->first;
	for (; child != VMMPROF_NONE && !err; child = o->v->nodes[child].next)
		err = put_below(o, child, nr);
	return err;
}

int chain_json_row(struct json_out *j, struct names *n,
		   const struct chain_rows *c, size_t row, __u64 ns,
		   bool callee)
{
	struct out o = {
		.j = j, .names = n, .tree = c->tree, .time = c->waits, .ns = ns
	};
	struct chain_view v;
	int err;

	o.v = &v;
	json_out_array(j, "chains");
	err = chain_view_init(&v);
	if (!err)
		err = chain_view_row(&v, c, row, callee);
	o.ticks = err ? 0 : v.nodes[0].total;
	if (!err)
		err = put_below(&o, 0, 0);
	json_out_array_end(j);
	chain_view_deinit(&v);
	free(o.path);
	return err;
}

int chain_json_time(struct json_out *j, struct names *n,
		    const struct chain_time *c, size_t row, __u64 ns,
		    bool callee)
{
	struct out o = { .j = j, .names = n, .time = true, .ns = ns };
	struct chain_view v;
	int err;

	if (!c->waits)
		return 0;
	err = chain_view_init(&v);
	if (!err)
		err = chain_time_row(&v, c, row, callee);
	if (!err && v.nodes[0].total) {
		o.v = &v;
		o.tree = c->waits->tree;
		o.ticks = v.nodes[0].total;
		json_out_array(j, "chains");
		err = put_below(&o, 0, 0);
		json_out_array_end(j);
	}
	chain_view_deinit(&v);
	free(o.path);
	return err;
}

/* Nanoseconds of ticks, as many as those before do not have. */
static void put_ticks(struct json_out *j, const char *key, struct ns_sum *sum,
		      __u64 khz, __u64 ticks)
{
	json_out_u64(j, key, ns_sum_add(sum, khz, ticks));
}

/* The same of the time in which vCPUs did not run. */
static void put_waits(struct json_out *j, const struct chain_waits *w)
{
	const struct chain_wait_counts *c = &w->counts;
	__u64 khz = w->tl->khz ? w->tl->khz : 1000000;
	struct ns_sum sum = { 0 }, all = { 0 };
	unsigned int i;

	json_out_object(j, "time");
	put_ticks(j, "total_ns", &all, khz, c->ticks);
	put_ticks(j, "complete_ns", &sum, khz, c->class[CHAIN_COMPLETE]);
	put_ticks(j, "truncated_ns", &sum, khz, c->class[CHAIN_TRUNCATED]);
	put_ticks(j, "no_guest_code_ns", &sum, khz, c->none);
	json_out_object(j, "broken_ns");
	for (i = 0; i < NR_CHAIN_ENDS; i++)
		if (c->end[i] && chain_class_of(i) == CHAIN_BROKEN)
			put_ticks(j, chain_end_key(i), &sum, khz, c->end[i]);
	json_out_object_end(j);
	json_out_object_end(j);
}

void chain_json_account(struct json_out *j, const struct chain_pass *p)
{
	const struct chain_counts *c = &p->tree.counts;
	unsigned int i;

	json_out_object(j, "chains");
	json_out_u64(j, "samples", c->samples);
	json_out_u64(j, "complete", c->class[CHAIN_COMPLETE]);
	json_out_u64(j, "truncated", c->class[CHAIN_TRUNCATED]);
	json_out_object(j, "broken");
	for (i = 0; i < NR_CHAIN_ENDS; i++)
		if (c->end[i] && chain_class_of(i) == CHAIN_BROKEN)
			json_out_u64(j, chain_end_key(i), c->end[i]);
	json_out_object_end(j);
	json_out_u64(j, "caller_not_checked", c->unchecked);
	json_out_u64(j, "function_alone", c->full);
	json_out_u64(j, "of_no_sample", p->join.stray);
	if (chain_pass_timed(p))
		put_waits(j, &p->waits);
	json_out_object_end(j);
}
