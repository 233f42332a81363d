// SPDX-License-Identifier: GPL-2.0-only
/* Groups the cells of a profile into the rows of a table. */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "view/table.h"
#include "base/saturate.h"

static const struct {
	const char *name, *heading;
} sorts[VMMPROF_NR_SORTS] = {
	[VMMPROF_SORT_FUNCTION] = { "function", "Function" },
	[VMMPROF_SORT_MODULE] = { "module", "Module" },
	[VMMPROF_SORT_PROCESS] = { "process", "Process" },
	[VMMPROF_SORT_PID] = { "pid", "PID" },
	[VMMPROF_SORT_VCPU] = { "vcpu", "vCPU" },
	[VMMPROF_SORT_CPU] = { "cpu", "CPU" },
	[VMMPROF_SORT_EVENT] = { "event", "Event" },
	[VMMPROF_SORT_EXIT] = { "exit-reason", "Exit reason" },
	[VMMPROF_SORT_MODE] = { "mode", "Mode" },
	[VMMPROF_SORT_SRCLINE] = { "srcline", "Source line" },
	[VMMPROF_SORT_CONTAINER] = { "container", "Container" },
};

int vmmprof_sort_by_name(const char *name, size_t len)
{
	int i;

	for (i = 0; i < VMMPROF_NR_SORTS; i++)
		if (strlen(sorts[i].name) == len &&
		    !memcmp(sorts[i].name, name, len))
			return i;
	return -1;
}

const char *vmmprof_sort_name(enum vmmprof_sort sort)
{
	return sorts[sort].name;
}

const char *vmmprof_sort_heading(enum vmmprof_sort sort)
{
	return sorts[sort].heading;
}

bool vmmprof_selected(const struct vmmprof_names *n,
		      const struct vmmprof_selection *sel,
		      const struct vmmprof_cell_key *key)
{
	const struct vmmprof_process *p;

	if (sel->machine && key->guest != sel->machine)
		return false;
	if (sel->event != VMMPROF_ANY && key->event != sel->event)
		return false;
	if (sel->vcpu != VMMPROF_ANY && key->vcpu != sel->vcpu)
		return false;
	if (sel->of &&
	    (key->guest != sel->of->guest || key->func != sel->of->func ||
	     key->module != sel->of->module || key->cause != sel->of->cause))
		return false;
	if (sel->proc && key->proc != sel->proc - 1)
		return false;
	if (sel->pid == VMMPROF_ANY)
		return true;
	/* A process of the host is no process of a guest. */
	if (key->proc == VMMPROF_NONE || key->guest != sel->machine)
		return false;
	p = &n->a->resolver.processes[key->proc];
	return p->pid == sel->pid;
}

/* Everything a row does not tell apart. */
static struct vmmprof_cell_key blank_key(void)
{
	struct vmmprof_cell_key k = {
		.vcpu = VMMPROF_NONE,
		.proc = VMMPROF_NONE,
		.func = VMMPROF_NONE,
		.module = VMMPROF_NONE,
		.file = VMMPROF_NONE,
		.exit = VMMPROF_EXIT_NONE,
	};

	return k;
}

static void row_function(struct vmmprof_cell_key *row,
			 const struct vmmprof_cell_key *key)
{
	row->func = key->func;
	row->cause = key->cause;
}

static void row_module(struct vmmprof_cell_key *row,
		       const struct vmmprof_cell_key *key)
{
	row->module = key->module;
	/* Without a module there is at least kernel or user. */
	if (key->module == VMMPROF_NONE)
		row->mode = 1 + key->mode;
}

static void row_sort(struct vmmprof_names *n, struct vmmprof_cell_key *row,
		     const struct vmmprof_cell_key *key, enum vmmprof_sort sort)
{
	switch (sort) {
	case VMMPROF_SORT_FUNCTION:
		row_function(row, key);
		break;
	case VMMPROF_SORT_MODULE:
		row_module(row, key);
		break;
	case VMMPROF_SORT_PROCESS:
	case VMMPROF_SORT_PID:
		row->proc = key->proc;
		break;
	case VMMPROF_SORT_VCPU:
		row->vcpu = key->vcpu;
		break;
	case VMMPROF_SORT_CPU:
		row->cpu = key->cpu;
		break;
	case VMMPROF_SORT_EVENT:
		row->event = key->event;
		break;
	case VMMPROF_SORT_EXIT:
		row->exit = key->exit;
		break;
	case VMMPROF_SORT_MODE:
		row->mode = 1 + key->mode;
		break;
	case VMMPROF_SORT_SRCLINE:
		row->addr = vmmprof_name_line(n, key);
		break;
	case VMMPROF_SORT_CONTAINER:
		row->file = vmmprof_name_container(n, key->proc);
		break;
	default:
		break;
	}
}

struct vmmprof_cell_key vmmprof_table_row(struct vmmprof_names *n,
					  const struct vmmprof_selection *sel,
					  const struct vmmprof_cell_key *key)
{
	struct vmmprof_cell_key row = blank_key();
	size_t i;

	row.guest = key->guest;
	if (vmmprof_is_guest_row(key, sel))
		return row;
	for (i = 0; i < sel->nr_keys; i++)
		row_sort(n, &row, key, sel->keys[i]);
	if (sel->keys)
		return row;
	row_function(&row, key);
	row_module(&row, key);
	/* Two processes of one program are told apart, but not in the kernel. */
	if (key->mode == VMMPROF_MODE_USER && key->proc != VMMPROF_NONE &&
	    n->ordinal[key->proc])
		row.proc = key->proc;
	return row;
}

struct sort_row {
	struct vmmprof_cell cell;
	struct vmmprof_names *names;
	const struct vmmprof_selection *sel;
};

/* Most samples first; rows with as many in an order that does not change. */
static int cmp_row(const void *a, const void *b)
{
	const struct sort_row *x = a, *y = b;
	char s[256], t[256];
	size_t i;
	int d;

	if (x->cell.samples != y->cell.samples)
		return x->cell.samples < y->cell.samples ? 1 : -1;
	for (i = 0; i < (x->sel->keys ? x->sel->nr_keys : 2); i++) {
		enum vmmprof_sort key = x->sel->keys ? x->sel->keys[i] :
						       (enum vmmprof_sort)i;

		vmmprof_name_sort(x->names, &x->cell.key, key, s, sizeof(s));
		vmmprof_name_sort(y->names, &y->cell.key, key, t, sizeof(t));
		d = strcmp(s, t);
		if (d)
			return d;
	}
	return memcmp(&x->cell.key, &y->cell.key, sizeof(x->cell.key));
}

static int sort_rows(struct vmmprof_table *t, struct vmmprof_names *n,
		     const struct vmmprof_selection *sel)
{
	struct sort_row *rows;
	size_t i;

	rows = malloc((t->rows.nr + 1) * sizeof(*rows));
	if (!rows)
		return -ENOMEM;
	for (i = 0; i < t->rows.nr; i++) {
		rows[i].cell = t->rows.cells[i];
		rows[i].names = n;
		rows[i].sel = sel;
	}
	qsort(rows, t->rows.nr, sizeof(*rows), cmp_row);
	for (i = 0; i < t->rows.nr; i++)
		t->rows.cells[i] = rows[i].cell;
	free(rows);
	return 0;
}

int vmmprof_table_init(struct vmmprof_table *t, struct vmmprof_names *n,
		       const struct vmmprof_selection *sel)
{
	const struct vmmprof_profile *p = &n->a->profile;
	struct vmmprof_cell_key row;
	size_t i;
	int ret;

	memset(t, 0, sizeof(*t));
	for (i = 0; i < p->nr; i++) {
		const struct vmmprof_cell_key *key = &p->cells[i].key;
		__u64 samples = p->cells[i].samples;

		if (!samples || !vmmprof_selected(n, sel, key))
			continue;
		row = vmmprof_table_row(n, sel, key);
		ret = vmmprof_profile_add(&t->rows, &row, samples);
		if (ret)
			return ret;
		vmmprof_sum(&t->total, samples);
		if (key->guest != sel->machine)
			vmmprof_sum(&t->vm, samples);
		else
			vmmprof_sum(&t->mode[key->mode], samples);
		if (!key->cause)
			vmmprof_sum(&t->resolved, samples);
	}
	return sort_rows(t, n, sel);
}

void vmmprof_table_deinit(struct vmmprof_table *t)
{
	vmmprof_profile_deinit(&t->rows);
}

static int cmp_process(const void *a, const void *b)
{
	const struct vmmprof_table_process *x = a, *y = b;

	if (x->samples != y->samples)
		return x->samples < y->samples ? 1 : -1;
	return x->proc < y->proc ? -1 : x->proc > y->proc;
}

int vmmprof_table_processes(struct vmmprof_names *n,
			    const struct vmmprof_selection *sel,
			    struct vmmprof_table_process **ret)
{
	const struct vmmprof_profile *p = &n->a->profile;
	size_t i, nr = n->a->resolver.nr_processes, used = 0;
	struct vmmprof_table_process *procs;
	const struct vmmprof_cell_key *key;

	procs = calloc(nr + 1, sizeof(*procs));
	if (!procs)
		return -ENOMEM;
	for (i = 0; i < nr; i++)
		procs[i].proc = i;
	for (i = 0; i < p->nr; i++) {
		key = &p->cells[i].key;
		if (key->proc == VMMPROF_NONE || key->guest != sel->machine ||
		    !vmmprof_selected(n, sel, key))
			continue;
		vmmprof_sum(&procs[key->proc].samples, p->cells[i].samples);
		if (key->mode == VMMPROF_MODE_USER)
			vmmprof_sum(&procs[key->proc].user,
				    p->cells[i].samples);
	}
	for (i = 0; i < nr; i++)
		if (procs[i].samples)
			procs[used++] = procs[i];
	qsort(procs, used, sizeof(*procs), cmp_process);
	*ret = procs;
	return used;
}
