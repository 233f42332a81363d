// SPDX-License-Identifier: GPL-2.0-only
/* Groups the buckets of a profile into the rows of a table. */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "view/table.h"
#include "base/hash.h"
#include "base/saturate.h"
#include "base/sort.h"
#include "base/vec.h"

static const struct {
	const char *name, *heading;
} sorts[NR_SORTS] = {
	[SORT_FUNCTION] = { "function", "Function" },
	[SORT_MODULE] = { "module", "Module" },
	[SORT_PROCESS] = { "process", "Process" },
	[SORT_PID] = { "pid", "PID" },
	[SORT_VCPU] = { "vcpu", "vCPU" },
	[SORT_CPU] = { "cpu", "CPU" },
	[SORT_EVENT] = { "event", "Event" },
	[SORT_EXIT] = { "exit-reason", "Exit reason" },
	[SORT_MODE] = { "mode", "Mode" },
	[SORT_SRCLINE] = { "srcline", "Source line" },
	[SORT_CONTAINER] = { "container", "Container" },
	[SORT_VM] = { "vm", "VM" },
	[SORT_TID] = { "tid", "TID" },
	[SORT_PARENT] = { "parent", "Parent" },
};

const char *sort_name(enum sort sort)
{
	return sorts[sort].name;
}

const char *sort_heading(enum sort sort)
{
	return sorts[sort].heading;
}

bool selected(const struct names *n, const struct selection *sel,
	      const struct bucket_key *key)
{
	const struct process *p;

	if (sel->machine && key->guest != sel->machine)
		return false;
	if (sel->event != VMMPROF_ANY && key->event != sel->event)
		return false;
	if (sel->vcpu != VMMPROF_ANY && key->vcpu != sel->vcpu)
		return false;
	if (sel->cpus && !cpus_has(sel->cpus, key->cpu))
		return false;
	if (sel->of &&
	    (key->guest != sel->of->guest || key->func != sel->of->func ||
	     key->module != sel->of->module || key->cause != sel->of->cause))
		return false;
	if (sel->proc && key->proc != sel->proc - 1)
		return false;
	if (sel->pid == VMMPROF_ANY)
		return true;
	/* A process of the host is never one of a guest. */
	if (key->proc == VMMPROF_NONE || key->guest != sel->machine)
		return false;
	p = &n->a->resolver.processes[key->proc];
	return p->pid == sel->pid;
}

/* A key in which nothing is told apart. */
static struct bucket_key empty_key(void)
{
	struct bucket_key k = {
		.vcpu = VMMPROF_NONE,
		.proc = VMMPROF_NONE,
		.func = VMMPROF_NONE,
		.module = VMMPROF_NONE,
		.file = VMMPROF_NONE,
		.exit = EXIT_NONE,
	};

	return k;
}

static void row_function(struct bucket_key *row, const struct bucket_key *key)
{
	row->func = key->func;
	row->cause = key->cause;
}

static void row_module(struct bucket_key *row, const struct bucket_key *key)
{
	row->module = key->module;
	/* Without a module there is at least kernel or user. */
	if (key->module == VMMPROF_NONE)
		row->mode = 1 + key->mode;
}

static void row_sort(struct names *n, struct bucket_key *row,
		     const struct bucket_key *key, enum sort sort)
{
	switch (sort) {
	case SORT_FUNCTION:
		row_function(row, key);
		break;
	case SORT_MODULE:
		row_module(row, key);
		break;
	case SORT_PROCESS:
	case SORT_PID:
		row->proc = key->proc;
		break;
	case SORT_VCPU:
		row->vcpu = key->vcpu;
		break;
	case SORT_CPU:
		row->cpu = key->cpu;
		break;
	case SORT_EVENT:
		row->event = key->event;
		break;
	case SORT_EXIT:
		/* the exit of a sample in guest code is the sample itself */
		row->exit = key->guest ? EXIT_SAMPLED : key->exit;
		break;
	case SORT_MODE:
		row->mode = 1 + key->mode;
		break;
	case SORT_SRCLINE:
		row->addr = name_line(n, key);
		break;
	case SORT_CONTAINER:
		row->file = name_container(n, key->proc);
		break;
	case SORT_TID:
		row->tid = key->tid;
		break;
	default:
		break;
	}
}

struct bucket_key table_row(struct names *n, const struct selection *sel,
			    const struct bucket_key *key)
{
	struct bucket_key row = empty_key();
	size_t i;

	row.guest = key->guest;
	if (is_guest_row(key, sel))
		return row;
	for (i = 0; i < sel->nr_keys; i++)
		row_sort(n, &row, key, sel->keys[i]);
	if (sel->keys)
		return row;
	row_function(&row, key);
	row_module(&row, key);
	/*
	 * Two processes of one program get rows of their own, except in the
	 * kernel.
	 */
	if (key->mode == MODE_USER && key->proc != VMMPROF_NONE &&
	    n->ordinal[key->proc])
		row.proc = key->proc;
	return row;
}

/* @first: the text of the first key, once it was compared; NULL: not yet. */
struct sort_row {
	struct bucket bucket;
	char **first;
	struct names *names;
	const struct selection *sel;
};

#define SORT_TEXT 256 /* bytes that are compared */

static enum sort sort_key(const struct selection *sel, size_t i)
{
	return sel->keys ? sel->keys[i] : (enum sort)i;
}

/* Many rows have one sample: each is named once, not at each comparison. */
static const char *first_text(const struct sort_row *r, char buf[SORT_TEXT])
{
	if (*r->first)
		return *r->first;
	name_sort(r->names, &r->bucket.key, sort_key(r->sel, 0), buf,
		  SORT_TEXT);
	*r->first = strdup(buf);
	return *r->first ? *r->first : buf;
}

/* Most first; rows with as much in an order that does not change. */
static int cmp_row(const void *a, const void *b)
{
	const struct sort_row *x = a, *y = b;
	char s[SORT_TEXT], t[SORT_TEXT];
	size_t i, nr = x->sel->keys ? x->sel->nr_keys : 2;
	int d;

	if (x->sel->timed && x->bucket.ticks != y->bucket.ticks)
		return x->bucket.ticks < y->bucket.ticks ? 1 : -1;
	if (x->bucket.samples != y->bucket.samples)
		return x->bucket.samples < y->bucket.samples ? 1 : -1;
	d = nr ? strcmp(first_text(x, s), first_text(y, t)) : 0;
	for (i = 1; i < nr && !d; i++) {
		name_sort(x->names, &x->bucket.key, sort_key(x->sel, i), s,
			  sizeof(s));
		name_sort(y->names, &y->bucket.key, sort_key(y->sel, i), t,
			  sizeof(t));
		d = strcmp(s, t);
	}
	if (d)
		return d;
	return memcmp(&x->bucket.key, &y->bucket.key, sizeof(x->bucket.key));
}

int table_sort(struct table *t, struct names *n, const struct selection *sel)
{
	struct sort_row *rows;
	char **first;
	size_t i;

	rows = malloc((t->rows.nr + 1) * sizeof(*rows));
	first = calloc(t->rows.nr + 1, sizeof(*first));
	if (!rows || !first) {
		free(rows);
		free(first);
		return -ENOMEM;
	}
	for (i = 0; i < t->rows.nr; i++) {
		rows[i].bucket = t->rows.buckets[i];
		rows[i].first = &first[i];
		rows[i].names = n;
		rows[i].sel = sel;
	}
	sort_array(rows, t->rows.nr, sizeof(*rows), cmp_row);
	for (i = 0; i < t->rows.nr; i++) {
		t->rows.buckets[i] = rows[i].bucket;
		free(first[i]);
	}
	free(first);
	free(rows);
	return 0;
}

/* To the row that was counted last. */
static void add_ticks(struct table *t, const struct bucket *c)
{
	sat_sum(&t->rows.buckets[t->rows.last].ticks, c->ticks);
	sat_sum(&t->ticks, c->ticks);
	sat_sum(&t->mode_ticks[c->key.mode], c->ticks);
}

int table_init(struct table *t, struct names *n, const struct selection *sel)
{
	struct profile *p = &n->a->profile;
	struct profile_buckets buckets;
	struct bucket_key row;
	size_t i;
	int ret;

	memset(t, 0, sizeof(*t));
	t->timed = sel->timed;
	ret = profile_buckets_of(p, sel->machine, &buckets);
	if (ret)
		return ret;
	for (i = 0; i < buckets.nr; i++) {
		const struct bucket *c = profile_bucket(p, &buckets, i);
		const struct bucket_key *key = &c->key;
		__u64 samples = c->samples;

		if (!samples || !selected(n, sel, key))
			continue;
		row = table_row(n, sel, key);
		ret = profile_add(&t->rows, &row, samples);
		if (ret)
			return ret;
		if (t->timed)
			add_ticks(t, c);
		sat_sum(&t->total, samples);
		if (key->guest != sel->machine)
			sat_sum(&t->vm, samples);
		else
			sat_sum(&t->mode[key->mode], samples);
		if (!key->cause)
			sat_sum(&t->resolved, samples);
	}
	return table_sort(t, n, sel);
}

void table_deinit(struct table *t)
{
	profile_deinit(&t->rows);
}

static int cmp_process(const void *a, const void *b)
{
	const struct table_process *x = a, *y = b;

	if (x->ticks != y->ticks)
		return x->ticks < y->ticks ? 1 : -1;
	if (x->samples != y->samples)
		return x->samples < y->samples ? 1 : -1;
	return x->proc < y->proc ? -1 : x->proc > y->proc;
}

/* The process's place in the list, made if it has none.  NULL without memory. */
static struct table_process *place(struct table_process **procs, size_t *nr,
				   size_t *cap, struct hash *have, __u32 proc)
{
	__u32 i = hash_get(have, proc);

	if (i != VMMPROF_NONE)
		return &(*procs)[i];
	if (vec_grow(procs, cap, *nr, sizeof(**procs)) ||
	    hash_set(have, proc, *nr))
		return NULL;
	(*procs)[*nr] = (struct table_process){ .proc = proc };
	return &(*procs)[(*nr)++];
}

int table_processes(struct names *n, const struct selection *sel,
		    struct table_process **ret)
{
	struct table_process *procs = NULL, *of;
	struct profile *p = &n->a->profile;
	struct profile_buckets buckets;
	struct hash have = { 0 };
	size_t i, nr = 0, cap = 0;
	const struct bucket *c;
	__u64 ticks;
	int err;

	err = profile_buckets_of(p, sel->machine, &buckets);
	for (i = 0; !err && i < buckets.nr; i++) {
		c = profile_bucket(p, &buckets, i);
		if (c->key.proc == VMMPROF_NONE || !c->samples ||
		    c->key.guest != sel->machine || !selected(n, sel, &c->key))
			continue;
		of = place(&procs, &nr, &cap, &have, c->key.proc);
		if (!of) {
			err = -ENOMEM;
			break;
		}
		ticks = sel->timed ? c->ticks : 0;
		sat_sum(&of->samples, c->samples);
		sat_sum(&of->ticks, ticks);
		if (c->key.mode == MODE_USER) {
			sat_sum(&of->user, c->samples);
			sat_sum(&of->user_ticks, ticks);
		}
	}
	hash_deinit(&have);
	if (err) {
		free(procs);
		return err;
	}
	sort_array(procs, nr, sizeof(*procs), cmp_process);
	*ret = procs;
	return nr;
}
