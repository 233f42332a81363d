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

/*
 * The texts that rows are sorted by where they have as much: many rows have the
 * same function or process, so each text is made once, when it is first asked
 * for.
 */
struct row_texts {
	struct names *names;
	const struct selection *sel;
	const struct bucket *rows;
	size_t nr_keys;
	__u32 *number; /* of each key of each row, in .texts */
	struct hash numbers;
	struct row_text {
		char *text; /* NULL: not made yet */
		__u32 row;  /* one that has it */
		__u32 key;  /* of the selection's */
	} * texts;
	size_t nr, cap;
};

#define TEXT_BYTES 256	      /* that are compared */
#define PROCS_MAX  0x1000000u /* processes that source() has room for */

static enum sort sort_of(const struct selection *sel, size_t key)
{
	return sel->keys ? sel->keys[key] : (enum sort)key;
}

/*
 * What name_sort() makes the text of a row's key from; false: of more than has
 * room here, so the text is the row's own.
 */
static bool source(const struct bucket_key *row, enum sort sort, __u64 *ret)
{
	__u32 proc = row->proc == VMMPROF_NONE ? 0 : row->proc + 1;

	*ret = 0;
	switch (sort) {
	case SORT_FUNCTION:
		*ret = row->func;
		/* else it is a cause, or a whole guest */
		if (row->func == VMMPROF_NONE)
			return false;
		break;
	case SORT_MODULE:
		if (row->func == VMMPROF_NONE || proc >= PROCS_MAX)
			return false;
		*ret = (__u64)proc << 34 | (__u64)(row->mode & 3) << 32 |
		       row->module;
		break;
	case SORT_PROCESS:
	case SORT_PID:
		*ret = row->proc;
		break;
	case SORT_VCPU:
		*ret = row->vcpu;
		break;
	case SORT_CPU:
		*ret = row->cpu;
		break;
	case SORT_CONTAINER:
		*ret = row->file;
		break;
	case SORT_VM:
		*ret = row->guest;
		break;
	default:
		return false;
	}
	*ret |= (__u64)sort << 60;
	return true;
}

_Static_assert(NR_SORTS <= 16, "four bits");

/* The number of the text of a row's key. */
static int number(struct row_texts *t, size_t row, size_t key, __u32 *ret)
{
	__u64 what;
	bool shared = source(&t->rows[row].key, sort_of(t->sel, key), &what);
	int err;

	*ret = shared ? hash_get(&t->numbers, what) : VMMPROF_NONE;
	if (*ret != VMMPROF_NONE)
		return 0;
	err = vec_grow(&t->texts, &t->cap, t->nr, sizeof(*t->texts));
	if (!err && shared)
		err = hash_set(&t->numbers, what, t->nr);
	if (err)
		return err;
	t->texts[t->nr] = (struct row_text){ .row = row, .key = key };
	*ret = t->nr++;
	return 0;
}

/* Rows and selection are lent.  0 or -ENOMEM; deinit is due in either case. */
static int row_texts_init(struct row_texts *t, const struct table *table,
			  struct names *n, const struct selection *sel)
{
	size_t i, key;
	int err = 0;

	memset(t, 0, sizeof(*t));
	t->names = n;
	t->sel = sel;
	t->rows = table->rows.buckets;
	t->nr_keys = sel->keys ? sel->nr_keys : 2;
	t->number = calloc(table->rows.nr + 1,
			   (t->nr_keys + 1) * sizeof(*t->number));
	if (!t->number)
		return -ENOMEM;
	for (i = 0; i < table->rows.nr; i++)
		for (key = 0; key < t->nr_keys && !err; key++)
			err = number(t, i, key,
				     &t->number[i * t->nr_keys + key]);
	return err;
}

static void row_texts_deinit(struct row_texts *t)
{
	size_t i;

	for (i = 0; i < t->nr; i++)
		free(t->texts[i].text);
	free(t->texts);
	free(t->number);
	hash_deinit(&t->numbers);
}

/* Without memory it is made each time. */
static const char *text_of(struct row_texts *t, __u32 number,
			   char buf[TEXT_BYTES])
{
	struct row_text *x = &t->texts[number];

	if (x->text)
		return x->text;
	name_sort(t->names, &t->rows[x->row].key, sort_of(t->sel, x->key), buf,
		  TEXT_BYTES);
	x->text = strdup(buf);
	return x->text ? x->text : buf;
}

/* As strcmp(): two rows by the texts of their keys, the first key first. */
static int row_texts_compare(struct row_texts *t, size_t a, size_t b)
{
	const __u32 *x = &t->number[a * t->nr_keys];
	const __u32 *y = &t->number[b * t->nr_keys];
	char s[TEXT_BYTES], u[TEXT_BYTES];
	size_t i;
	int d = 0;

	for (i = 0; i < t->nr_keys && !d; i++)
		if (x[i] != y[i])
			d = strcmp(text_of(t, x[i], s), text_of(t, y[i], u));
	return d;
}

struct sort_row {
	struct bucket bucket;
	size_t index; /* before rows are sorted */
	struct row_texts *texts;
};

/* Most first; rows with as much in an order that does not change. */
static int cmp_row(const void *a, const void *b)
{
	const struct sort_row *x = a, *y = b;
	int d;

	if (x->texts->sel->timed && x->bucket.ticks != y->bucket.ticks)
		return x->bucket.ticks < y->bucket.ticks ? 1 : -1;
	if (x->bucket.samples != y->bucket.samples)
		return x->bucket.samples < y->bucket.samples ? 1 : -1;
	d = row_texts_compare(x->texts, x->index, y->index);
	if (d)
		return d;
	return memcmp(&x->bucket.key, &y->bucket.key, sizeof(x->bucket.key));
}

int table_sort(struct table *t, struct names *n, const struct selection *sel)
{
	struct sort_row *rows = malloc((t->rows.nr + 1) * sizeof(*rows));
	struct row_texts texts;
	size_t i;
	int err = row_texts_init(&texts, t, n, sel);

	if (!rows)
		err = -ENOMEM;
	for (i = 0; !err && i < t->rows.nr; i++) {
		rows[i].bucket = t->rows.buckets[i];
		rows[i].index = i;
		rows[i].texts = &texts;
	}
	if (!err)
		sort_array(rows, t->rows.nr, sizeof(*rows), cmp_row);
	for (i = 0; !err && i < t->rows.nr; i++)
		t->rows.buckets[i] = rows[i].bucket;
	row_texts_deinit(&texts);
	free(rows);
	return err;
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
