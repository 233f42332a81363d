// SPDX-License-Identifier: GPL-2.0-only
/* Adds the stacks and entries of two sessions to one tree. */

#include <stdlib.h>
#include <string.h>

#include "base/saturate.h"
#include "base/vec.h"
#include "view/chain_names.h"
#include "view/diff_chains.h"
#include "view/json.h"

const struct diff_tree *diff_chains_tree(const struct diff *d)
{
	return &d->trees[d->s[0].chained && d->s[1].chained];
}

/* A session that is added to a tree. */
struct adder {
	struct diff *d;
	struct diff_tree *t;
	unsigned int session;
	struct names *names;
};

static int begin(struct diff_tree *t)
{
	int err;

	if (t->nr)
		return 0;
	err = vec_grow(&t->nodes, &t->cap, 0, sizeof(*t->nodes));
	if (!err)
		t->nodes[t->nr++] = (struct diff_node){
			.parent = VMMPROF_NONE,
			.name = VMMPROF_NONE,
		};
	return err;
}

/* Go on to the child of that name; if there is no room, stay. */
static int step(struct adder *a, __u32 *node, const char *name)
{
	struct diff_tree *t = a->t;
	__u32 id, child;
	__u64 key;
	int err = strings_add(&a->d->names, name, strlen(name), &id);

	if (err)
		return err;
	key = (__u64)*node << 32 | id;
	child = hash_get(&t->by_name, key);
	if (child == VMMPROF_NONE && t->nr >= DIFF_NODES_MAX) {
		t->full = true;
		return 0;
	}
	if (child == VMMPROF_NONE) {
		child = t->nr;
		err = vec_grow(&t->nodes, &t->cap, t->nr, sizeof(*t->nodes));
		if (!err)
			err = hash_set(&t->by_name, key, child);
		if (err)
			return err;
		t->nodes[t->nr++] = (struct diff_node){
			.parent = *node,
			.name = id,
		};
	}
	*node = child;
	return 0;
}

static void count(struct adder *a, __u32 node, __u64 samples, __u64 ns)
{
	sat_sum(&a->t->nodes[node].samples[a->session], samples);
	sat_sum(&a->t->nodes[node].ns[a->session], ns);
}

static int add_stack(struct adder *a, const struct chain_stacks *s,
		     const struct chain_stack *st)
{
	const struct chain_tree *t = s->tree;
	__u32 nodes[CHAIN_FRAMES_MAX], node = 0;
	char name[NAME_MAX_BYTES];
	size_t i;
	int err;

	name_machine(a->names, st->machine, name, sizeof(name));
	err = step(a, &node, name);
	name_program(a->names, st->proc, name, sizeof(name));
	if (!err)
		err = step(a, &node, name);
	for (i = chain_stack_path(s, st, nodes); i-- > 0 && !err;) {
		chain_frame_name(a->names, &t->frames[t->nodes[nodes[i]].frame],
				 name, sizeof(name));
		err = step(a, &node, name);
	}
	count(a, node, st->samples, st->ns);
	return err;
}

/* VM, process, module, function; or VM, state, and what it was. */
static int add_entry(struct adder *a, const struct export_data *x,
		     const struct entry *e)
{
	const bool time = entry_is_time(e);
	const __u32 path[] = {
		e->guest,
		time ? e->function : e->program,
		time && e->thief != VMMPROF_NONE ? e->thief : e->module,
		time ? VMMPROF_NONE : e->function,
	};
	__u32 node = 0;
	size_t i;
	int err = 0;

	for (i = 0; i < (time ? 3u : 4u) && !err; i++)
		err = step(a, &node, export_name(x, path[i]));
	/* samples of the host's code are counted by its functions */
	count(a, node, time ? 0 : e->samples, e->ns);
	return err;
}

static int add_entries(struct adder *a, const struct export_data *x)
{
	size_t i;
	int err = begin(a->t);

	for (i = 0; i < x->entries->nr && !err; i++)
		if (export_beside_stacks(x, &x->entries->entries[i]))
			err = add_entry(a, x, &x->entries->entries[i]);
	return err;
}

static int add_chains(struct adder *a, struct export_data *x, struct report *r,
		      struct entries *es, const struct chain_pass *chains)
{
	struct chain_stacks stacks;
	size_t i;
	int err;

	a->t = &a->d->trees[1];
	err = chain_stacks_init(
		&stacks, r, &chains->tree,
		chain_pass_timed(chains) ? &chains->waits : NULL, es);
	x->stacks = &stacks;
	if (!err)
		err = add_entries(a, x);
	for (i = 0; i < stacks.nr && !err; i++)
		err = add_stack(a, &stacks, &stacks.stacks[i]);
	chain_stacks_deinit(&stacks);
	return err;
}

int diff_chains_take(struct diff *d, unsigned int i, struct report *r,
		     const struct timeline *tl, const struct chain_pass *chains)
{
	struct adder a = { d, &d->trees[0], i, &r->names };
	struct entries entries;
	struct export_data x;
	int err;

	d->s[i].chained = chains;
	err = entries_init_thieves(&entries, r, false);
	if (!err) {
		export_init(&x, r, &entries, tl);
		err = add_entries(&a, &x);
	}
	if (!err && chains)
		err = add_chains(&a, &x, r, &entries, chains);
	entries_deinit(&entries);
	return err;
}

/* The nodes from below the root to a node; the number of them, or -ENOMEM. */
static int path_of(const struct diff_tree *t, __u32 node, __u32 **path,
		   size_t *cap)
{
	size_t nr = 0, i;
	__u32 swap;

	for (; node; node = t->nodes[node].parent) {
		if (vec_grow(path, cap, nr, sizeof(**path)))
			return -ENOMEM;
		(*path)[nr++] = node;
	}
	for (i = 0; i < nr / 2; i++) {
		swap = (*path)[i];
		(*path)[i] = (*path)[nr - 1 - i];
		(*path)[nr - 1 - i] = swap;
	}
	return nr;
}

static bool has_weight(const struct diff *d, const struct diff_node *n)
{
	return diff_chains_weight(d, n, 0) || diff_chains_weight(d, n, 1);
}

int diff_chains_text(const struct diff *d, FILE *out)
{
	const struct diff_tree *t = diff_chains_tree(d);
	__u32 *path = NULL;
	size_t cap = 0, i;
	int k, nr = 0;

	for (i = 0; i < t->nr && nr >= 0; i++) {
		if (!has_weight(d, &t->nodes[i]))
			continue;
		nr = path_of(t, i, &path, &cap);
		for (k = 0; k < nr; k++) {
			if (k)
				fputc(';', out);
			export_frame(out, strings_get(&d->names,
						      t->nodes[path[k]].name));
		}
		if (nr >= 0)
			fprintf(out, " %llu %llu\n",
				diff_chains_weight(d, &t->nodes[i], 0),
				diff_chains_weight(d, &t->nodes[i], 1));
	}
	free(path);
	return nr < 0 ? nr : 0;
}

static void put_chain(const struct diff *d, struct json_out *j,
		      const struct diff_node *n, const __u32 *path, int nr)
{
	const struct diff_tree *t = diff_chains_tree(d);
	int k;

	json_out_object(j, NULL);
	json_out_array(j, "frames");
	for (k = 0; k < nr; k++)
		json_out_string(j, NULL,
				strings_get(&d->names, t->nodes[path[k]].name));
	json_out_array_end(j);
	json_out_u64(j, "samples_a", n->samples[0]);
	json_out_u64(j, "samples_b", n->samples[1]);
	if (d->timed) {
		json_out_u64(j, "time_a_ns", n->ns[0]);
		json_out_u64(j, "time_b_ns", n->ns[1]);
	}
	json_out_object_end(j);
}

int diff_chains_json(const struct diff *d, struct json_out *j)
{
	const struct diff_tree *t = diff_chains_tree(d);
	__u32 *path = NULL;
	size_t cap = 0, i;
	int nr = 0;

	json_out_array(j, "chains");
	for (i = 0; i < t->nr && nr >= 0; i++) {
		if (!has_weight(d, &t->nodes[i]))
			continue;
		nr = path_of(t, i, &path, &cap);
		if (nr >= 0)
			put_chain(d, j, &t->nodes[i], path, nr);
	}
	json_out_array_end(j);
	free(path);
	return nr < 0 ? nr : 0;
}
