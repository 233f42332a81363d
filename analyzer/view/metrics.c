// SPDX-License-Identifier: GPL-2.0-only
/* Sums of windows, by VM, as metrics. */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/saturate.h"
#include "base/sort.h"
#include "base/vec.h"
#include "model/steal_matrix.h"
#include "view/foreign_names.h"
#include "view/metrics.h"
#include "view/owner_name.h"

/* How fast what was long ago is forgotten: by this part a window. */
#define RECENT_WINDOWS 16

/* A time, and whose it is. */
struct part {
	__u64 ticks;
	__u8 kind;
	bool bounded;
	char name[256];
};

static void parts_deinit(struct metrics_parts *p)
{
	size_t i;

	for (i = 0; i < p->nr; i++)
		free(p->parts[i].name);
	free(p->parts);
}

static void vm_deinit(struct metrics_vm *vm)
{
	parts_deinit(&vm->thieves);
	parts_deinit(&vm->reasons);
}

void metrics_deinit(struct metrics *m)
{
	size_t i;

	for (i = 0; i < m->nr; i++)
		vm_deinit(&m->vms[i]);
	free(m->vms);
	memset(m, 0, sizeof(*m));
}

static struct metrics_part *parts_find(struct metrics_parts *p, __u8 kind,
				       const char *name)
{
	size_t i;

	for (i = 0; i < p->nr; i++)
		if (p->parts[i].kind == kind && !strcmp(p->parts[i].name, name))
			return &p->parts[i];
	return NULL;
}

/* What it had a window, in the last ones. */
static __u64 part_rate(const struct metrics_part *p, __u64 window)
{
	__u64 age = window - p->born;

	return p->recent / (age < RECENT_WINDOWS ? age + 1 : RECENT_WINDOWS);
}

/*
 * Where one more of those whose number is bounded has its place: behind the
 * others, or in place of the least if that is far less; NULL: in none.
 */
static struct metrics_part *parts_place(struct metrics_parts *p, size_t max,
					__u64 window, __u64 ns)
{
	struct metrics_part *least = NULL;
	size_t i, nr = 0;

	for (i = 0; i < p->nr; i++) {
		nr += p->parts[i].bounded;
		if (p->parts[i].bounded && p->parts[i].born != window &&
		    (!least || part_rate(&p->parts[i], window) <
				       part_rate(least, window)))
			least = &p->parts[i];
	}
	if (nr < max)
		return &p->parts[p->nr];
	return least && ns / 4 > part_rate(least, window) ? least : NULL;
}

/* The series of a part, made if there is room; else that of all others. */
static int parts_get(struct metrics_parts *p, const struct part *of, size_t max,
		     __u64 window, __u64 ns, struct metrics_part **ret)
{
	const char *name = of->name;
	struct metrics_part *at;
	bool bounded = of->bounded;
	__u8 kind = of->kind;
	char *copy;

	*ret = parts_find(p, kind, name);
	if (*ret)
		return 0;
	if (vec_grow(&p->parts, &p->cap, p->nr, sizeof(*p->parts)))
		return -ENOMEM;
	at = bounded ? parts_place(p, max, window, ns) : &p->parts[p->nr];
	if (!at) {
		name = "other";
		bounded = false;
		kind = NR_OF;
		*ret = parts_find(p, kind, name);
		if (*ret)
			return 0;
		at = &p->parts[p->nr];
	}
	copy = strdup(name);
	if (!copy)
		return -ENOMEM;
	if (at == &p->parts[p->nr])
		p->nr++;
	else
		free(at->name);
	*at = (struct metrics_part){ copy, kind, bounded, 0, 0, window };
	*ret = at;
	return 0;
}

static void parts_forget(struct metrics_parts *p)
{
	size_t i;

	for (i = 0; i < p->nr; i++)
		p->parts[i].recent -= p->parts[i].recent / RECENT_WINDOWS;
}

/*
 * Adds a part's nanoseconds to its series.  @sum: of the state that they are
 * parts of, which has not been added yet.
 */
static int parts_add(struct metrics_parts *p, const struct part *of, size_t max,
		     __u64 window, struct ns_sum *sum, __u64 khz)
{
	__u64 ns = ns_sum_add(sum, khz, of->ticks);
	struct metrics_part *part;
	int err = parts_get(p, of, max, window, ns, &part);

	if (err)
		return err;
	sat_sum(&part->ns, ns);
	sat_sum(&part->recent, ns);
	return 0;
}

static struct metrics_vm *vm_find(struct metrics *m, const char *name)
{
	size_t i;

	for (i = 0; i < m->nr; i++)
		if (!strcmp(m->vms[i].name, name))
			return &m->vms[i];
	return NULL;
}

/* The VM of a guest, or NULL; @name: what its own would have. */
static struct metrics_vm *vm_of(struct metrics *m, const struct timeline *tl,
				__u32 guest, char name[256])
{
	static const char *const words[] = { "host", "other VMs", NULL };
	struct metrics_vm *vm;

	foreign(name, 256, tl->a->resolver.guests.guests[guest].name, words);
	vm = vm_find(m, name);
	if (vm || m->nr < METRICS_VMS)
		return vm;
	strcpy(name, "other VMs");
	return vm_find(m, name);
}

/* The same; made if there is none.  NULL without memory. */
static struct metrics_vm *vm_get(struct metrics *m, const struct timeline *tl,
				 __u32 guest)
{
	char name[256];
	struct metrics_vm *vm = vm_of(m, tl, guest, name);

	if (vm)
		return vm;
	if (vec_grow(&m->vms, &m->cap, m->nr, sizeof(*m->vms)))
		return NULL;
	vm = &m->vms[m->nr++];
	memset(vm, 0, sizeof(*vm));
	strcpy(vm->name, name);
	vm->maps_age_ns = METRICS_NO_MAPS;
	return vm;
}

static int add_thieves(struct metrics *m, struct metrics_vm *vm,
		       const struct timeline *tl, const struct steal_matrix *x,
		       const struct matrix_victim *v)
{
	struct ns_sum sum = vm->state[COLUMN_STEAL];
	const struct matrix_cell *c;
	const struct owner *o;
	struct part of;
	size_t i;
	__u32 owner;
	int err = 0;

	for (i = 0; i < v->nr_cells && !err; i++) {
		c = &x->cells[v->cell + i];
		owner = x->thieves[c->thief].owner;
		o = &tl->thieves.owners.owners[owner];
		of.ticks = c->ticks;
		of.kind = o->kind;
		of.bounded = o->id != VMMPROF_NONE && o->kind != OF_UNKNOWN &&
			     o->kind < OF_KERNEL;
		owner_name(tl, owner, of.name, sizeof(of.name));
		err = parts_add(&vm->thieves, &of, METRICS_THIEVES, m->window,
				&sum, tl->khz);
	}
	return err;
}

static int cmp_part(const void *x, const void *y)
{
	const struct part *a = y, *b = x;

	COMPARE(ticks);
	return strcmp(b->name, a->name);
}

/* The name of a class of a vCPU's time in the VMM; false: it is none. */
static bool reason_name(const struct timeline *tl, unsigned int class,
			char *buf, size_t size)
{
	static const char *const names[ON_VMM_EXIT] = {
		[ON_VMM_USER] = "vmm_user",
		[ON_VMM_NONE] = "no_reason",
		[ON_VMM_HARDIRQ] = "hardirq",
		[ON_VMM_SOFTIRQ] = "softirq",
	};
	char number[EXIT_TEXT];
	const char *name;
	__u16 reason;

	if (class < ON_VMM_EXIT) {
		snprintf(buf, size, "%s", names[class] ? names[class] : "");
		return names[class];
	}
	reason = exit_at_place(tl->a->resolver.svm, class - ON_VMM_EXIT);
	name = exit_name(reason);
	snprintf(buf, size, "%s",
		 name ? name : exit_number_text(reason, number));
	return true;
}

static int add_reasons(struct metrics *m, struct metrics_vm *vm,
		       const struct timeline *tl, const struct track_sum *s)
{
	struct ns_sum sum = vm->state[COLUMN_VMM];
	struct part *parts = calloc(NR_ON_CPU, sizeof(*parts));
	size_t i, nr = 0;
	int err = 0;

	if (!parts)
		return -ENOMEM;
	for (i = 0; i < NR_ON_CPU; i++) {
		struct part *p = &parts[nr];

		p->ticks = s->on[i];
		p->bounded = i >= ON_VMM_EXIT;
		if (p->ticks && reason_name(tl, i, p->name, sizeof(p->name)))
			nr++;
	}
	sort_array(parts, nr, sizeof(*parts), cmp_part);
	for (i = 0; i < nr && !err; i++)
		err = parts_add(&vm->reasons, &parts[i], METRICS_REASONS,
				m->window, &sum, tl->khz);
	free(parts);
	return err;
}

static int add_vm(struct metrics *m, const struct timeline *tl,
		  const struct steal_matrix *x, const struct matrix_victim *v,
		  const struct track_sum *sum)
{
	const struct steal_row row = { .sum = *sum };
	struct metrics_vm *vm = vm_get(m, tl, v->guest);
	__u64 columns[STEAL_COLUMNS];
	unsigned int i;
	int err;

	if (!vm)
		return -ENOMEM;
	vm->seen = m->window;
	err = add_thieves(m, vm, tl, x, v);
	if (!err)
		err = add_reasons(m, vm, tl, sum);
	steal_columns(&row, columns);
	for (i = 0; i < STEAL_COLUMNS && !err; i++)
		ns_sum_add(&vm->state[i], tl->khz, columns[i]);
	return err;
}

/* Ends the series of VMs that have been gone for long. */
static void drop_vms(struct metrics *m)
{
	size_t i, nr = 0;

	for (i = 0; i < m->nr; i++) {
		if (m->vms[i].seen + METRICS_KEEP < m->window)
			vm_deinit(&m->vms[i]);
		else
			m->vms[nr++] = m->vms[i];
	}
	m->nr = nr;
}

int metrics_add(struct metrics *m, const struct timeline *tl)
{
	size_t nr = tl->a->resolver.guests.nr, i;
	struct track_sum *sums, sum;
	struct steal_matrix x;
	int err;

	m->window++;
	drop_vms(m);
	for (i = 0; i < m->nr; i++) {
		parts_forget(&m->vms[i].thieves);
		parts_forget(&m->vms[i].reasons);
		m->vms[i].maps_age_ns = METRICS_NO_MAPS;
	}
	sums = calloc(nr + 1, sizeof(*sums));
	if (!sums)
		return -ENOMEM;
	for (i = 0; i < tl->nr; i++) {
		track_sum(tl->tracks[i], &sum);
		track_sum_add(&sums[tl->tracks[i]->guest], &sum);
	}
	err = steal_matrix_init(&x, tl, true, MATRIX_UNIT);
	for (i = 0; i < x.nr_victims && !err; i++)
		err = add_vm(m, tl, &x, &x.victims[i],
			     &sums[x.victims[i].guest]);
	steal_matrix_deinit(&x);
	free(sums);
	return err;
}

void metrics_maps(struct metrics *m, const struct timeline *tl, __u32 guest,
		  __u64 age_ns, const char *source)
{
	char name[256];
	struct metrics_vm *vm = vm_of(m, tl, guest, name);

	if (vm &&
	    (vm->maps_age_ns == METRICS_NO_MAPS || vm->maps_age_ns < age_ns)) {
		vm->maps_age_ns = age_ns;
		vm->maps_source = source;
	}
}

void metrics_head(FILE *out, const char *name, const char *type,
		  const char *help)
{
	fprintf(out, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, type);
}

/* A label's value: its bytes are UTF-8 without control characters. */
void metrics_label(FILE *out, const char *name, const char *value)
{
	fprintf(out, "%s=\"", name);
	for (; *value; value++) {
		if (*value == '\\' || *value == '"')
			fputc('\\', out);
		fputc(*value, out);
	}
	fputc('"', out);
}

/* Seconds as a decimal number, so that a sum never becomes less. */
static void put_seconds(FILE *out, __u64 ns)
{
	fprintf(out, "} %llu.%09llu\n", ns / 1000000000, ns % 1000000000);
}

static void put_states(const struct metrics *m, FILE *out)
{
	static const char name[] = "vmmprof_vcpu_time_seconds_total";
	unsigned int k;
	size_t i;

	metrics_head(out, name, "counter",
		     "Time of the vCPUs of a VM, by what they did with it.");
	for (i = 0; i < m->nr; i++) {
		for (k = 0; k < STEAL_COLUMNS; k++) {
			fprintf(out, "%s{", name);
			metrics_label(out, "vm", m->vms[i].name);
			metrics_label(out, ",state", steal_heading(k));
			put_seconds(out, m->vms[i].state[k].ns);
		}
	}
}

static void put_thieves(const struct metrics *m, FILE *out)
{
	static const char name[] = "vmmprof_steal_seconds_total";
	const struct metrics_part *p;
	size_t i, k;

	metrics_head(
		out, name, "counter",
		"Time that a VM's vCPUs were runnable without a CPU, by who had it.");
	for (i = 0; i < m->nr; i++) {
		for (k = 0; k < m->vms[i].thieves.nr; k++) {
			p = &m->vms[i].thieves.parts[k];
			fprintf(out, "%s{", name);
			metrics_label(out, "vm", m->vms[i].name);
			metrics_label(out, ",thief_kind",
				      p->kind == NR_OF ? "other" :
							 owner_key(p->kind));
			metrics_label(out, ",thief", p->name);
			put_seconds(out, p->ns);
		}
	}
}

static void put_reasons(const struct metrics *m, FILE *out)
{
	static const char name[] = "vmmprof_exit_time_seconds_total";
	const struct metrics_part *p;
	size_t i, k;

	metrics_head(
		out, name, "counter",
		"Time of a VM's vCPUs in the VMM and the host's kernel, by the VM exit that led there.");
	for (i = 0; i < m->nr; i++) {
		for (k = 0; k < m->vms[i].reasons.nr; k++) {
			p = &m->vms[i].reasons.parts[k];
			fprintf(out, "%s{", name);
			metrics_label(out, "vm", m->vms[i].name);
			metrics_label(out, ",reason", p->name);
			put_seconds(out, p->ns);
		}
	}
}

/* Only the agent knows them. */
static void put_maps(const struct metrics *m, FILE *out)
{
	static const char name[] = "vmmprof_guest_maps_age_seconds";
	bool head = false;
	size_t i;

	for (i = 0; i < m->nr; i++) {
		if (m->vms[i].maps_age_ns == METRICS_NO_MAPS)
			continue;
		if (!head)
			metrics_head(
				out, name, "gauge",
				"How old the maps are that name a guest's processes and functions.");
		head = true;
		fprintf(out, "%s{", name);
		metrics_label(out, "vm", m->vms[i].name);
		metrics_label(out, ",source", m->vms[i].maps_source);
		put_seconds(out, m->vms[i].maps_age_ns);
	}
}

void metrics_put(const struct metrics *m, FILE *out)
{
	put_states(m, out);
	put_thieves(m, out);
	put_reasons(m, out);
	put_maps(m, out);
	metrics_head(out, "vmmprof_samples_total", "counter",
		     "Samples of all CPUs and events.");
	fprintf(out, "vmmprof_samples_total %llu\n", m->samples);
	metrics_head(out, "vmmprof_lost_samples_total", "counter",
		     "Samples that were lost because a ring was full.");
	fprintf(out, "vmmprof_lost_samples_total %llu\n", m->lost);
}
