// SPDX-License-Identifier: GPL-2.0-only
/* The rows of the panels: which there are, and their names. */

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tui/panels.h"
#include "base/saturate.h"
#include "base/vec.h"

static const struct {
	const char *name;
	size_t nr;
	enum vmmprof_sort keys[2];
} lower_sorts[VMMPROF_LOWER_SORTS] = {
	{ "function", 0, { 0 } },
	{ "process", 2, { VMMPROF_SORT_PROCESS, VMMPROF_SORT_PID } },
	{ "module", 2, { VMMPROF_SORT_MODULE, VMMPROF_SORT_MODE } },
	{ "vcpu", 2, { VMMPROF_SORT_VCPU, VMMPROF_SORT_MODE } },
	{ "container", 2, { VMMPROF_SORT_CONTAINER, VMMPROF_SORT_PROCESS } },
};

/* Below a function: who runs it. */
static const enum vmmprof_sort in_function[] = { VMMPROF_SORT_PROCESS,
						 VMMPROF_SORT_VCPU };
static const enum vmmprof_sort published[] = { VMMPROF_SORT_FUNCTION,
					       VMMPROF_SORT_MODULE };

const char *vmmprof_panels_sort_name(const struct vmmprof_panels *p, int pane)
{
	if (pane)
		return p->level == VMMPROF_LEVEL_FUNCTIONS ?
			       "process" :
			       lower_sorts[p->pane[1].sort].name;
	return p->pane[0].sort ? vmmprof_steal_heading(p->pane[0].sort - 1) :
				 "name";
}

const enum vmmprof_sort *vmmprof_panels_keys(const struct vmmprof_panels *p,
					     size_t *nr)
{
	*nr = 2;
	if (p->level == VMMPROF_LEVEL_FUNCTIONS)
		return in_function;
	if (!p->pane[1].sort)
		return published;
	return lower_sorts[p->pane[1].sort].keys;
}

struct vmmprof_selection
vmmprof_panels_selection(const struct vmmprof_panels *p,
			 const struct vmmprof_panel_row *row)
{
	struct vmmprof_selection sel = {
		.machine = row->machine,
		.vcpu = row->vcpu,
		.pid = VMMPROF_ANY,
		.event = p->event,
	};

	if (p->level == VMMPROF_LEVEL_FUNCTIONS) {
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

static struct vmmprof_panel_row *
add_row(struct vmmprof_panels *p, enum vmmprof_panel_kind kind, __u32 machine)
{
	struct vmmprof_panel_row *r;

	if (vmmprof_vec_grow(&p->rows, &p->cap_rows, p->nr_rows, sizeof(*r))) {
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
	r->thief = VMMPROF_NONE;
	return r;
}

static void take(struct vmmprof_panel_row *r, __u64 ticks, __u32 culprit)
{
	if (ticks <= r->stolen)
		return;
	r->stolen = ticks;
	r->thief = culprit;
}

/* Who took most of each row's time. */
static void find_thieves(struct vmmprof_panels *p)
{
	const struct vmmprof_culprits *cs = &p->tl->culprits;
	struct vmmprof_hash rows = { 0 };
	const struct vmmprof_steal_theft *s;
	struct vmmprof_panel_row *r;
	size_t i;
	__u32 at;

	for (i = 0; i < p->nr_rows && !p->err; i++) {
		r = &p->rows[i];
		p->err = vmmprof_hash_set(&rows,
					  r->kind == ROW_VCPU ?
						  r->track :
						  (__u64)r->machine << 32,
					  i);
	}
	for (i = 0; i < cs->nr_thefts && !p->err; i++) {
		at = vmmprof_hash_get(&rows, cs->thefts[i].track);
		if (at != VMMPROF_NONE && p->rows[at].kind == ROW_VCPU)
			take(&p->rows[at], vmmprof_theft_ticks(&cs->thefts[i]),
			     cs->thefts[i].culprit);
	}
	for (i = 0; i < p->steal.nr_thefts && !p->err; i++) {
		s = &p->steal.thefts[i];
		at = vmmprof_hash_get(&rows, (__u64)(s->guest + 1) << 32);
		if (at != VMMPROF_NONE)
			take(&p->rows[at], vmmprof_steal_took(s), s->culprit);
	}
	vmmprof_hash_deinit(&rows);
}

static void put_states(struct vmmprof_panels *p, struct vmmprof_panel_row *r,
		       const struct vmmprof_steal_row *s)
{
	vmmprof_steal_columns(s, r->column);
	r->total = s->total;
	if (s->track != VMMPROF_NONE) {
		r->track = s->track;
		r->vcpu = p->tl->tracks[s->track]->vcpu_id;
	}
}

/* A guest and its vCPUs.  from: where its rows begin in the steal's. */
static void guest_rows(struct vmmprof_panels *p, __u32 machine, bool all,
		       size_t *from)
{
	const struct vmmprof_steal *s = &p->steal;
	struct vmmprof_panel_row *r = add_row(p, ROW_GUEST, machine);

	if (!r)
		return;
	r->all = all;
	while (*from < s->nr_rows && s->rows[*from].guest < machine - 1)
		++*from;
	while (r && *from < s->nr_rows && s->rows[*from].guest == machine - 1) {
		if (s->rows[*from].track != VMMPROF_NONE)
			r = add_row(p, ROW_VCPU, machine);
		if (r)
			put_states(p, r, &s->rows[*from]);
		++*from;
	}
}

/* Samples of all cells, by the rows they belong to. */
static void count_samples(struct vmmprof_panels *p)
{
	const struct vmmprof_profile *prof = &p->tl->a->profile;
	const struct vmmprof_cell *c;
	struct vmmprof_hash by_vcpu = { 0 };
	struct vmmprof_panel_row *r;
	size_t i, k;
	__u32 at[2];

	for (i = 0; i < p->nr_rows && !p->err; i++) {
		r = &p->rows[i];
		if (r->kind == ROW_VCPU && r->vcpu == VMMPROF_NONE)
			continue;
		p->err = vmmprof_hash_set(&by_vcpu,
					  (__u64)r->machine << 32 | r->vcpu, i);
	}
	for (i = 0; i < prof->nr && !p->err; i++) {
		c = &prof->cells[i];
		if (p->event != VMMPROF_ANY && c->key.event != p->event)
			continue;
		at[0] = vmmprof_hash_get(&by_vcpu, (__u64)c->key.guest << 32 |
							   VMMPROF_NONE);
		at[1] = c->key.vcpu == VMMPROF_NONE ?
				VMMPROF_NONE :
				vmmprof_hash_get(&by_vcpu,
						 (__u64)c->key.guest << 32 |
							 c->key.vcpu);
		for (k = 0; k < 2; k++) {
			if (at[k] == VMMPROF_NONE)
				continue;
			r = &p->rows[at[k]];
			vmmprof_sum(&r->samples, c->samples);
			if (c->key.mode == VMMPROF_MODE_USER)
				vmmprof_sum(&r->user, c->samples);
		}
	}
	vmmprof_hash_deinit(&by_vcpu);
}

static void vm_rows(struct vmmprof_panels *p)
{
	__u32 i, nr = p->tl->a->resolver.guests.nr;
	size_t from = 0;

	add_row(p, ROW_HOST, 0);
	for (i = 0; i < nr; i++)
		guest_rows(p, 1 + i, false, &from);
	count_samples(p);
}

static void vcpu_rows(struct vmmprof_panels *p)
{
	size_t from = 0;

	guest_rows(p, p->path[p->level].machine, true, &from);
	count_samples(p);
}

/* The row of the level above, for "all". */
static struct vmmprof_panel_row *path_row(struct vmmprof_panels *p)
{
	const struct vmmprof_panel_path *at = &p->path[p->level];
	struct vmmprof_panel_row *r;

	r = add_row(p, at->machine ? ROW_GUEST : ROW_HOST, at->machine);
	if (!r)
		return NULL;
	r->all = true;
	r->vcpu = at->vcpu;
	r->proc = at->proc;
	return r;
}

static void process_rows(struct vmmprof_panels *p)
{
	struct vmmprof_table_process *procs = NULL;
	struct vmmprof_panel_row *r = path_row(p);
	struct vmmprof_selection sel;
	int i, nr;

	if (!r)
		return;
	sel = vmmprof_panels_selection(p, r);
	nr = vmmprof_table_processes(p->names, &sel, &procs);
	if (nr < 0) {
		p->err = nr;
		return;
	}
	for (i = 0; i < nr; i++) {
		r = add_row(p, ROW_PROCESS, sel.machine);
		if (!r)
			break;
		r->vcpu = sel.vcpu;
		r->proc = procs[i].proc;
		r->samples = procs[i].samples;
		r->user = procs[i].user;
		vmmprof_sum(&p->rows[0].samples, r->samples);
		vmmprof_sum(&p->rows[0].user, r->user);
	}
	free(procs);
}

static void function_rows(struct vmmprof_panels *p)
{
	struct vmmprof_panel_row *r = path_row(p), all;
	struct vmmprof_selection sel;
	struct vmmprof_table t;
	size_t i;

	if (!r)
		return;
	all = *r;
	sel = vmmprof_panels_selection(p, &all);
	sel.keys = published;
	sel.nr_keys = 2;
	p->err = vmmprof_table_init(&t, p->names, &sel);
	for (i = 0; i < t.rows.nr && !p->err; i++) {
		r = add_row(p, ROW_FUNCTION, sel.machine);
		if (!r)
			break;
		r->vcpu = all.vcpu;
		r->proc = all.proc;
		r->key = t.rows.cells[i].key;
		r->samples = t.rows.cells[i].samples;
		vmmprof_sum(&p->rows[0].samples, r->samples);
	}
	vmmprof_table_deinit(&t);
}

void vmmprof_panels_name(struct vmmprof_panels *p,
			 const struct vmmprof_panel_row *row, char *buf,
			 size_t size)
{
	char name[256], module[128];
	__u32 pid;

	switch (row->kind) {
	case ROW_VCPU:
		vmmprof_steal_vcpu(&p->steal, row->track, name, sizeof(name));
		snprintf(buf, size, "%s%s",
			 p->level == VMMPROF_LEVEL_VMS ? "  " : "", name);
		return;
	case ROW_PROCESS:
		vmmprof_name_process(p->names, row->proc, name, sizeof(name));
		pid = p->tl->a->resolver.processes[row->proc].pid;
		if (pid == VMMPROF_NONE)
			snprintf(buf, size, "%7s %s", "?", name);
		else
			snprintf(buf, size, "%7u %s", pid, name);
		return;
	case ROW_FUNCTION:
		vmmprof_name_function(p->names, &row->key, name, sizeof(name));
		vmmprof_name_module(p->names, &row->key, module,
				    sizeof(module));
		snprintf(buf, size, "%s  [%s]", name, module);
		return;
	default:
		vmmprof_name_machine(p->names, row->machine, name,
				     sizeof(name));
		if (row->all)
			snprintf(buf, size, "all%s",
				 p->level == VMMPROF_LEVEL_VCPUS ?
					 " vCPUs" :
				 p->level == VMMPROF_LEVEL_PROCESSES ?
					 " processes" :
					 " functions");
		else
			snprintf(buf, size, "%s", name);
	}
}

bool vmmprof_panels_can_enter(const struct vmmprof_panels *p,
			      const struct vmmprof_panel_row *row)
{
	return p->level != VMMPROF_LEVEL_FUNCTIONS && row;
}

struct sort_row {
	struct vmmprof_panel_row row;
	__u64 group; /* share of its guest, in millionths */
	__u64 own;
	size_t at;
};

static __u64 share(const struct vmmprof_panel_row *r, unsigned int column)
{
	return r->total ? (__u64)((__uint128_t)r->column[column] * 1000000 /
				  r->total) :
			  0;
}

/* The host, then guests, their own row first; most first. */
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

static void sort_rows(struct vmmprof_panels *p)
{
	unsigned int column = p->pane[0].sort - 1;
	struct sort_row *rows;
	__u64 group = 0;
	size_t i;

	if (!p->pane[0].sort || p->level > VMMPROF_LEVEL_VCPUS || !p->nr_rows)
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
	qsort(rows, p->nr_rows, sizeof(*rows), cmp_rows);
	for (i = 0; i < p->nr_rows; i++)
		p->rows[i] = rows[i].row;
	free(rows);
}

static void filter_rows(struct vmmprof_panels *p)
{
	const char *filter = p->pane[0].filter;
	char name[512];
	size_t i, kept = 0;

	for (i = 0; i < p->nr_rows && *filter; i++) {
		vmmprof_panels_name(p, &p->rows[i], name, sizeof(name));
		if (strcasestr(name, filter))
			p->rows[kept++] = p->rows[i];
	}
	if (*filter)
		p->nr_rows = kept;
}

/* VMs of which nothing was seen in the interval. */
static void drop_gone(struct vmmprof_panels *p)
{
	size_t i, kept = 0;

	for (i = 0; i < p->nr_rows; i++)
		if (p->rows[i].kind != ROW_GUEST || p->rows[i].total ||
		    p->rows[i].samples)
			p->rows[kept++] = p->rows[i];
	p->nr_rows = kept;
}

int vmmprof_panels_rows(struct vmmprof_panels *p)
{
	p->nr_rows = 0;
	p->err = 0;
	if (p->has_steal)
		vmmprof_steal_deinit(&p->steal);
	p->has_steal = true;
	/* by switch records, or what vmmprof_slices_apply() made of samples */
	p->err = vmmprof_steal_init(&p->steal, p->tl, true, false);
	if (p->err)
		return p->err;
	switch (p->level) {
	case VMMPROF_LEVEL_VMS:
		vm_rows(p);
		break;
	case VMMPROF_LEVEL_VCPUS:
		vcpu_rows(p);
		break;
	case VMMPROF_LEVEL_PROCESSES:
		process_rows(p);
		break;
	case VMMPROF_LEVEL_FUNCTIONS:
		function_rows(p);
		break;
	}
	if (p->live && p->level == VMMPROF_LEVEL_VMS)
		drop_gone(p);
	if (p->level <= VMMPROF_LEVEL_VCPUS)
		find_thieves(p);
	sort_rows(p);
	filter_rows(p);
	return p->err;
}
