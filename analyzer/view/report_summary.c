// SPDX-License-Identifier: GPL-2.0-only
/* The first screen of the report's text. */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/saturate.h"
#include "base/sort.h"
#include "view/color.h"
#include "view/owner_name.h"
#include "view/percent.h"
#include "view/report_text.h"
#include "view/safe.h"
#include "view/steal_matrix_text.h"
#include "view/verdict.h"

#define DEFAULT_COLUMNS 80
#define VERDICTS	2
#define VM_ROWS		6
#define FUNCTION_ROWS	5
#define VM_COLUMNS	15
#define LEAST_THIEF	12
#define STATE_COLUMNS	7 /* "  48.00" */

size_t report_columns(const struct report *r)
{
	return r->columns ? r->columns : DEFAULT_COLUMNS;
}

bool report_summarizes(const struct report *r)
{
	return r->guest == VMMPROF_ANY && r->vcpu == VMMPROF_ANY &&
	       r->pid == VMMPROF_ANY && !r->cpus && !r->keys && !r->paper;
}

/* Of names; a wide terminal has more for them. */
static size_t name_columns(const struct report *r)
{
	size_t columns = report_columns(r);

	return columns > DEFAULT_COLUMNS ?
		       VM_COLUMNS + (columns - DEFAULT_COLUMNS) / 3 :
		       VM_COLUMNS;
}

/* A text in exactly @width columns, cut with a mark. */
static void put_cut(FILE *out, const char *text, size_t width)
{
	char buf[NAME_TEXT_BYTES];

	snprintf(buf, sizeof(buf), "%s", text);
	text_cut(buf, width);
	fprintf(out, "%s%*s", buf, (int)(width - text_columns(buf)), "");
}

/* A VM's time. */
struct vm {
	__u32 guest;
	__u64 columns[STEAL_COLUMNS], total;
};

static void vm_time(const struct timeline *tl, __u32 guest, struct vm *vm)
{
	unsigned int k;

	memset(vm, 0, sizeof(*vm));
	vm->guest = guest;
	time_states(tl, guest, VMMPROF_NONE, vm->columns);
	for (k = 0; k < STEAL_COLUMNS; k++)
		sat_sum(&vm->total, vm->columns[k]);
}

/* Who lost most first. */
static int cmp_vm(const void *a, const void *b)
{
	const struct vm *x = a, *y = b;

	if (x->columns[COLUMN_STEAL] != y->columns[COLUMN_STEAL])
		return x->columns[COLUMN_STEAL] < y->columns[COLUMN_STEAL] ? 1 :
									     -1;
	return x->guest < y->guest ? -1 : x->guest > y->guest;
}

/* " 98.91 % noisy": who took most of a guest's steal. */
static void put_thief(const struct report *r, FILE *out,
		      const struct steal_matrix *m, __u32 guest, size_t width)
{
	const struct matrix_cell *cell;
	char name[256], text[300];
	size_t i;

	for (i = 0; i < m->nr_victims; i++)
		if (m->victims[i].guest == guest)
			break;
	if (i == m->nr_victims || !m->victims[i].nr_cells ||
	    !m->victims[i].lost)
		return;
	cell = &m->cells[m->victims[i].cell];
	owner_name(r->tl, m->thieves[cell->thief].owner, name, sizeof(name));
	snprintf(text, sizeof(text), "%6.2f %s",
		 percent_of(cell->ticks, m->victims[i].lost), name);
	text_cut(text, width);
	fprintf(out, " %s", text);
}

static void put_vm(struct report *r, FILE *out, const struct steal_matrix *m,
		   const struct vm *vm)
{
	size_t used = name_columns(r) + STEAL_COLUMNS * STATE_COLUMNS + 2;
	__u64 part[STEAL_COLUMNS];
	char name[NAME_TEXT_BYTES];
	unsigned int k;

	name_machine(&r->names, 1 + vm->guest, name, sizeof(name));
	put_cut(out, name, name_columns(r));
	steal_percent(vm->columns, part);
	for (k = 0; k < STEAL_COLUMNS; k++)
		fprintf(out, " %s%3llu.%02llu%s",
			part[k] ? color_of(COLOR_GUEST + k) : "", part[k] / 100,
			part[k] % 100, part[k] ? color_end() : "");
	if (report_columns(r) > used + LEAST_THIEF)
		put_thief(r, out, m, vm->guest, report_columns(r) - used);
	fputc('\n', out);
}

static void put_vms(struct report *r, FILE *out, const struct steal_matrix *m,
		    const struct vm *vms, size_t nr)
{
	size_t i;

	fprintf(out, "\n%-*s", (int)name_columns(r), "VM (% of time)");
	for (i = 0; i < STEAL_COLUMNS; i++)
		fprintf(out, " %*.*s", STATE_COLUMNS - 1,
			i + 1 < STEAL_COLUMNS ? 5 : 4, steal_heading(i));
	fputs("  % of steal by\n", out);
	for (i = 0; i < nr && i < VM_ROWS; i++)
		put_vm(r, out, m, &vms[i]);
	if (i < nr)
		fprintf(out,
			"... %zu more VMs, which lost less (`vmmprof steal`)\n",
			nr - i);
}

/* In words: the VMs that lost most. */
static void put_verdicts(const struct report *r, FILE *out,
			 const struct verdicts *v)
{
	struct verdicts first = *v;

	if (first.nr > VERDICTS)
		first.nr = VERDICTS;
	fputc('\n', out);
	verdicts_put(&first, report_columns(r), out);
}

static int put_states(struct report *r, FILE *out)
{
	__u32 i, nr_guests = r->a->resolver.guests.nr;
	struct verdicts v = { 0 };
	struct vm *vms;
	size_t nr = 0;
	int ret;

	vms = calloc(nr_guests + 1, sizeof(*vms));
	ret = vms ? verdicts_init(&v, r->tl, true) : -ENOMEM;
	for (i = 0; i < nr_guests && !ret; i++) {
		vm_time(r->tl, i, &vms[nr]);
		nr += vms[nr].total > 0;
	}
	if (!ret && nr) {
		sort_array(vms, nr, sizeof(*vms), cmp_vm);
		put_verdicts(r, out, &v);
		put_vms(r, out, &v.matrix, vms, nr);
	}
	verdicts_deinit(&v);
	free(vms);
	return ret;
}

/* Functions of the host or of a guest, with the samples of each. */
static int add_functions(struct report *r, __u32 machine, struct profile *rows)
{
	static const enum sort keys[] = { SORT_FUNCTION, SORT_MODULE };
	struct selection sel = report_selection(r, machine);
	struct profile *p = &r->a->profile;
	struct profile_buckets buckets;
	struct bucket_key row;
	const struct bucket *b;
	size_t i;
	int ret;

	sel.keys = keys;
	sel.nr_keys = 2;
	ret = profile_buckets_on(p, machine, &buckets);
	for (i = 0; !ret && i < buckets.nr; i++) {
		b = profile_bucket(p, &buckets, i);
		if (!b->samples || !selected(&r->names, &sel, &b->key))
			continue;
		row = table_row(&r->names, &sel, &b->key);
		ret = profile_add(rows, &row, b->samples);
	}
	return ret;
}

/* Is it before the other: more samples, or as many and an earlier name? */
static bool is_before(struct report *r, const struct bucket *a,
		      const struct bucket *b)
{
	char x[NAME_TEXT_BYTES], y[NAME_TEXT_BYTES];

	if (a->samples != b->samples)
		return a->samples > b->samples;
	if (a->key.guest != b->key.guest)
		return a->key.guest < b->key.guest;
	name_function(&r->names, &a->key, x, sizeof(x));
	name_function(&r->names, &b->key, y, sizeof(y));
	return strcmp(x, y) < 0;
}

/* Those of all machines together that come first. */
struct top_functions {
	struct bucket at[FUNCTION_ROWS];
	size_t nr;
	__u64 total; /* samples of all functions */
};

static void add_top(struct report *r, struct top_functions *top,
		    const struct bucket *b)
{
	size_t i = top->nr;

	while (i && is_before(r, b, &top->at[i - 1]))
		i--;
	if (i == FUNCTION_ROWS)
		return;
	if (top->nr < FUNCTION_ROWS)
		top->nr++;
	memmove(&top->at[i + 1], &top->at[i],
		(top->nr - 1 - i) * sizeof(top->at[0]));
	top->at[i] = *b;
}

/* One machine's rows at a time, which find room in the CPU's cache. */
static int find_top(struct report *r, struct top_functions *top)
{
	__u32 machine, nr_guests = r->a->resolver.guests.nr;
	struct profile rows;
	size_t i;
	int ret = 0;

	for (machine = 0; machine <= nr_guests && !ret; machine++) {
		memset(&rows, 0, sizeof(rows));
		ret = add_functions(r, machine, &rows);
		sat_sum(&top->total, rows.samples);
		for (i = 0; i < rows.nr && !ret; i++)
			add_top(r, top, &rows.buckets[i]);
		profile_deinit(&rows);
	}
	return ret;
}

static void put_function(struct report *r, FILE *out, const struct bucket *b,
			 __u64 total)
{
	size_t left = report_columns(r) - name_columns(r) - 9;
	char text[NAME_TEXT_BYTES], module[NAME_TEXT_BYTES];
	size_t wide;

	name_machine(&r->names, b->key.guest, text, sizeof(text));
	put_cut(out, text, name_columns(r));
	fputc(' ', out);
	put_percent_color(out, percent_of(b->samples, total));
	fputs("  ", out);
	name_module(&r->names, &b->key, module, sizeof(module));
	name_function(&r->names, &b->key, text, sizeof(text));
	wide = text_columns(module);
	if (wide > left / 3)
		wide = left / 3;
	text_cut(module, wide);
	text_cut(text, left - wide - 2);
	fprintf(out, "%s  %s\n", text, module);
}

static int put_functions(struct report *r, FILE *out)
{
	struct top_functions top = { 0 };
	size_t i;
	int ret = find_top(r, &top);

	if (ret)
		return ret;
	if (top.nr)
		fprintf(out, "\n%-*s %6s  Top functions, of all samples\n",
			(int)name_columns(r), "Where", "%");
	for (i = 0; i < top.nr; i++)
		put_function(r, out, &top.at[i], top.total);
	return 0;
}

int report_summary(struct report *r, FILE *out)
{
	int ret = 0;

	if (r->tl && timeline_exact(r->tl))
		ret = put_states(r, out);
	else
		fputs("\nNo switch records: `vmmprof steal` estimates steal by samples\n",
		      out);
	if (!ret)
		ret = put_functions(r, out);
	if (!ret)
		report_verdict(r, out);
	return ret;
}
