// SPDX-License-Identifier: GPL-2.0-only
/* The rows of the panels, and their names. */

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tui/panels_internal.h"
#include "base/saturate.h"
#include "base/vec.h"
#include "base/sort.h"

static const struct {
	const char *name;
	size_t nr;
	enum sort keys[2];
} lower_sorts[LOWER_SORTS] = {
	{ "function", 0, { 0 } },
	{ "process", 2, { SORT_PROCESS, SORT_PID } },
	{ "module", 2, { SORT_MODULE, SORT_MODE } },
	{ "vcpu", 2, { SORT_VCPU, SORT_MODE } },
	{ "container", 2, { SORT_CONTAINER, SORT_PROCESS } },
};

/* The rows below a function: the processes that run it. */
static const enum sort in_function[] = { SORT_PROCESS, SORT_VCPU };
static const enum sort published[] = { SORT_FUNCTION, SORT_MODULE };

const char *panels_sort_name(const struct panels *p, int pane)
{
	if (pane)
		return p->level == LEVEL_FUNCTIONS ?
			       "process" :
			       lower_sorts[p->pane[1].sort].name;
	return p->pane[0].sort ? steal_heading(p->pane[0].sort - 1) : "name";
}

const enum sort *panels_keys(const struct panels *p, size_t *nr)
{
	*nr = 2;
	if (p->level == LEVEL_FUNCTIONS)
		return in_function;
	if (!p->pane[1].sort)
		return published;
	return lower_sorts[p->pane[1].sort].keys;
}

struct selection panels_selection(const struct panels *p,
				  const struct panel_row *row)
{
	struct selection sel = {
		.machine = row->machine,
		.vcpu = row->vcpu,
		.pid = row->pid,
		.event = p->event,
	};

	if (p->level == LEVEL_FUNCTIONS) {
		sel.keys = in_function;
		sel.nr_keys = 2;
	} else if (p->pane[1].sort) {
		sel.keys = lower_sorts[p->pane[1].sort].keys;
		sel.nr_keys = lower_sorts[p->pane[1].sort].nr;
	}
	if (row->proc != VMMPROF_NONE)
		sel.proc = 1 + row->proc;
	if (row->kind == ROW_FUNCTION)
		sel.of = &row->key;
	return sel;
}

struct panel_row *panels_add_row(struct panels *p, enum panel_kind kind,
				 __u32 machine)
{
	struct panel_row *r;

	if (vec_grow(&p->rows, &p->cap_rows, p->nr_rows, sizeof(*r))) {
		p->err = -ENOMEM;
		return NULL;
	}
	r = &p->rows[p->nr_rows++];
	memset(r, 0, sizeof(*r));
	r->kind = kind;
	r->machine = machine;
	r->track = VMMPROF_NONE;
	r->vcpu = VMMPROF_NONE;
	r->proc = VMMPROF_NONE;
	r->pid = VMMPROF_NONE;
	r->thief = VMMPROF_NONE;
	return r;
}

static void take(struct panel_row *r, __u64 ticks, __u32 thief)
{
	if (ticks <= r->stolen)
		return;
	r->stolen = ticks;
	r->thief = thief;
}

/* The thief who took most of each row's steal. */
static void find_thieves(struct panels *p)
{
	const struct thieves *cs = &p->tl->thieves;
	struct hash rows = { 0 };
	const struct steal_stolen *s;
	struct panel_row *r;
	size_t i;
	__u32 at;

	for (i = 0; i < p->nr_rows && !p->err; i++) {
		r = &p->rows[i];
		p->err = hash_set(&rows,
				  r->kind == ROW_VCPU ? r->track :
							(__u64)r->machine << 32,
				  i);
	}
	for (i = 0; i < cs->nr_stolen && !p->err; i++) {
		at = hash_get(&rows, cs->stolen[i].track);
		if (at != VMMPROF_NONE && p->rows[at].kind == ROW_VCPU)
			take(&p->rows[at], stolen_ticks(&cs->stolen[i]),
			     cs->stolen[i].thief);
	}
	for (i = 0; i < p->steal.nr_stolen && !p->err; i++) {
		s = &p->steal.stolen[i];
		at = hash_get(&rows, (__u64)(s->guest + 1) << 32);
		if (at != VMMPROF_NONE)
			take(&p->rows[at], steal_took(s), s->thief);
	}
	hash_deinit(&rows);
}

static void put_states(struct panels *p, struct panel_row *r,
		       const struct steal_row *s)
{
	steal_columns(s, r->column);
	r->total = s->total;
	if (s->track != VMMPROF_NONE) {
		r->track = s->track;
		r->vcpu = p->tl->tracks[s->track]->vcpu_id;
	}
}

/* A guest and its vCPUs.  from: index of its first row in struct steal. */
static void guest_rows(struct panels *p, __u32 machine, bool all, size_t *from)
{
	const struct steal *s = &p->steal;
	struct panel_row *r = panels_add_row(p, ROW_GUEST, machine);

	if (!r)
		return;
	r->all = all;
	while (*from < s->nr_rows && s->rows[*from].guest < machine - 1)
		++*from;
	while (r && *from < s->nr_rows && s->rows[*from].guest == machine - 1) {
		if (s->rows[*from].track != VMMPROF_NONE)
			r = panels_add_row(p, ROW_VCPU, machine);
		if (r)
			put_states(p, r, &s->rows[*from]);
		++*from;
	}
}

/* Add the samples of all buckets to the rows they belong to. */
static void count_samples(struct panels *p)
{
	const struct profile *prof = &p->tl->a->profile;
	const struct bucket *c;
	struct hash by_vcpu = { 0 };
	struct panel_row *r;
	size_t i, k;
	__u32 at[2];

	for (i = 0; i < p->nr_rows && !p->err; i++) {
		r = &p->rows[i];
		if (r->kind == ROW_VCPU && r->vcpu == VMMPROF_NONE)
			continue;
		p->err = hash_set(&by_vcpu, (__u64)r->machine << 32 | r->vcpu,
				  i);
	}
	for (i = 0; i < prof->nr && !p->err; i++) {
		c = &prof->buckets[i];
		if (p->event != VMMPROF_ANY && c->key.event != p->event)
			continue;
		at[0] = hash_get(&by_vcpu,
				 (__u64)c->key.guest << 32 | VMMPROF_NONE);
		at[1] = c->key.vcpu == VMMPROF_NONE ?
				VMMPROF_NONE :
				hash_get(&by_vcpu, (__u64)c->key.guest << 32 |
							   c->key.vcpu);
		for (k = 0; k < 2; k++) {
			if (at[k] == VMMPROF_NONE)
				continue;
			r = &p->rows[at[k]];
			sat_sum(&r->samples, c->samples);
			if (c->key.mode == MODE_USER)
				sat_sum(&r->user, c->samples);
		}
	}
	hash_deinit(&by_vcpu);
}

static void vm_rows(struct panels *p)
{
	__u32 i, nr = p->tl->a->resolver.guests.nr;
	size_t from = 0;

	panels_add_row(p, ROW_HOST, 0);
	for (i = 0; i < nr; i++)
		guest_rows(p, 1 + i, false, &from);
	count_samples(p);
}

static void vcpu_rows(struct panels *p)
{
	size_t from = 0;

	guest_rows(p, p->path[p->level].machine, true, &from);
	count_samples(p);
}

/* The row "all", which stands for the row entered in the level above. */
struct panel_row *panels_path_row(struct panels *p)
{
	const struct panel_path *at = &p->path[p->level];
	struct panel_row *r;

	r = panels_add_row(p, at->machine ? ROW_GUEST : ROW_HOST, at->machine);
	if (!r)
		return NULL;
	r->all = true;
	r->vcpu = at->vcpu;
	r->proc = at->proc;
	return r;
}

static void process_rows(struct panels *p)
{
	struct table_process *procs = NULL;
	struct panel_row *r = panels_path_row(p);
	struct selection sel;
	int i, nr;

	if (!r)
		return;
	sel = panels_selection(p, r);
	nr = table_processes(p->names, &sel, &procs);
	if (nr < 0) {
		p->err = nr;
		return;
	}
	for (i = 0; i < nr; i++) {
		r = panels_add_row(p, ROW_PROCESS, sel.machine);
		if (!r)
			break;
		r->vcpu = sel.vcpu;
		r->proc = procs[i].proc;
		r->samples = procs[i].samples;
		r->user = procs[i].user;
		sat_sum(&p->rows[0].samples, r->samples);
		sat_sum(&p->rows[0].user, r->user);
	}
	free(procs);
}

static void function_rows(struct panels *p)
{
	struct panel_row *r = panels_path_row(p), all;
	struct selection sel;
	struct table t;
	size_t i;

	if (!r)
		return;
	all = *r;
	sel = panels_selection(p, &all);
	sel.keys = published;
	sel.nr_keys = 2;
	p->err = table_init(&t, p->names, &sel);
	for (i = 0; i < t.rows.nr && !p->err; i++) {
		r = panels_add_row(p, ROW_FUNCTION, sel.machine);
		if (!r)
			break;
		r->vcpu = all.vcpu;
		r->proc = all.proc;
		r->key = t.rows.buckets[i].key;
		r->samples = t.rows.buckets[i].samples;
		sat_sum(&p->rows[0].samples, r->samples);
	}
	table_deinit(&t);
}

void panels_name(struct panels *p, const struct panel_row *row, char *buf,
		 size_t size)
{
	char name[256], module[128];
	__u32 pid;

	switch (row->kind) {
	case ROW_VCPU:
		steal_vcpu(&p->steal, row->track, name, sizeof(name));
		snprintf(buf, size, "%s%s", p->level == LEVEL_VMS ? "  " : "",
			 name);
		return;
	case ROW_PROCESS:
		names_process(p->names, row->proc, name, sizeof(name));
		pid = p->tl->a->resolver.processes[row->proc].pid;
		if (pid == VMMPROF_NONE)
			snprintf(buf, size, "%7s %s", "?", name);
		else
			snprintf(buf, size, "%7u %s", pid, name);
		return;
	case ROW_THIEF:
		steal_thief(&p->steal, row->thief,
			    p->path[p->level].machine ?
				    p->path[p->level].machine - 1 :
				    VMMPROF_NONE,
			    buf, size);
		return;
	case ROW_FUNCTION:
		name_function(p->names, &row->key, name, sizeof(name));
		name_module(p->names, &row->key, module, sizeof(module));
		snprintf(buf, size, "%s  [%s]", name, module);
		return;
	default:
		name_machine(p->names, row->machine, name, sizeof(name));
		if (row->all)
			snprintf(buf, size, "all%s",
				 p->level == LEVEL_VCPUS     ? " vCPUs" :
				 p->level == LEVEL_PROCESSES ? " processes" :
				 p->level == LEVEL_THIEVES   ? " thieves" :
							       " functions");
		else
			snprintf(buf, size, "%s", name);
	}
}

bool panels_can_enter(const struct panels *p, const struct panel_row *row)
{
	if (p->level == LEVEL_THIEVES)
		return row->kind == ROW_THIEF &&
		       (row->track != VMMPROF_NONE ||
			panels_thief_process(p, row) != VMMPROF_NONE);
	return p->level != LEVEL_FUNCTIONS && row;
}

struct sort_row {
	struct panel_row row;
	__u64 group; /* share of its guest, in millionths */
	__u64 own;
	size_t at;
};

static __u64 share(const struct panel_row *r, unsigned int column)
{
	return r->total ? (__u64)((__uint128_t)r->column[column] * 1000000 /
				  r->total) :
			  0;
}

/* Order: the host, then guests by their share; a guest before its vCPUs. */
static int cmp_rows(const void *a, const void *b)
{
	const struct sort_row *x = a, *y = b;
	bool xv = x->row.kind == ROW_VCPU, yv = y->row.kind == ROW_VCPU;

	if (!x->row.machine != !y->row.machine)
		return x->row.machine ? 1 : -1;
	if (x->group != y->group)
		return x->group > y->group ? -1 : 1;
	if (x->row.machine != y->row.machine)
		return x->row.machine < y->row.machine ? -1 : 1;
	if (xv != yv)
		return xv ? 1 : -1;
	if (x->own != y->own)
		return x->own > y->own ? -1 : 1;
	return x->at < y->at ? -1 : x->at > y->at;
}

static void sort_rows(struct panels *p)
{
	unsigned int column = p->pane[0].sort - 1;
	struct sort_row *rows;
	__u64 group = 0;
	size_t i;

	if (!p->pane[0].sort || p->level > LEVEL_VCPUS || !p->nr_rows)
		return;
	rows = calloc(p->nr_rows, sizeof(*rows));
	if (!rows) {
		p->err = -ENOMEM;
		return;
	}
	for (i = 0; i < p->nr_rows; i++) {
		rows[i].row = p->rows[i];
		rows[i].own = share(&p->rows[i], column);
		if (p->rows[i].kind != ROW_VCPU)
			group = rows[i].own;
		rows[i].group = group;
		rows[i].at = i;
	}
	sort_array(rows, p->nr_rows, sizeof(*rows), cmp_rows);
	for (i = 0; i < p->nr_rows; i++)
		p->rows[i] = rows[i].row;
	free(rows);
}

static void filter_rows(struct panels *p)
{
	const char *filter = p->pane[0].filter;
	char name[512];
	size_t i, kept = 0;

	for (i = 0; i < p->nr_rows && *filter; i++) {
		panels_name(p, &p->rows[i], name, sizeof(name));
		if (strcasestr(name, filter))
			p->rows[kept++] = p->rows[i];
	}
	if (*filter)
		p->nr_rows = kept;
}

/* Adds VMs that had no sample or record in the interval. */
static void drop_gone(struct panels *p)
{
	size_t i, kept = 0;

	for (i = 0; i < p->nr_rows; i++)
		if (p->rows[i].kind != ROW_GUEST || p->rows[i].total ||
		    p->rows[i].samples)
			p->rows[kept++] = p->rows[i];
	p->nr_rows = kept;
}

int panels_rows(struct panels *p)
{
	p->nr_rows = 0;
	p->err = 0;
	if (p->has_steal)
		steal_deinit(&p->steal);
	p->has_steal = true;
	/* from switch records, or made of samples by slices_apply() */
	p->err = steal_init(&p->steal, p->tl, true, false);
	if (p->err)
		return p->err;
	switch (p->level) {
	case LEVEL_VMS:
		vm_rows(p);
		break;
	case LEVEL_VCPUS:
		vcpu_rows(p);
		break;
	case LEVEL_PROCESSES:
		process_rows(p);
		break;
	case LEVEL_FUNCTIONS:
		function_rows(p);
		break;
	case LEVEL_THIEVES:
		panels_thief_rows(p);
		break;
	}
	if (p->live && p->level == LEVEL_VMS)
		drop_gone(p);
	if (p->level <= LEVEL_VCPUS)
		find_thieves(p);
	sort_rows(p);
	filter_rows(p);
	return p->err;
}
