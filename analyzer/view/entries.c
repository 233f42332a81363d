// SPDX-License-Identifier: GPL-2.0-only
/* Makes entries of a report's tables and of its tracks' time. */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "view/entries.h"
#include "base/saturate.h"
#include "base/vec.h"

#define NAME_MAX_BYTES 4096

/* On the host no vCPU is told apart: its number alone says not whose. */
static const enum vmmprof_sort keys[] = {
	VMMPROF_SORT_VCPU,   VMMPROF_SORT_PROCESS,  VMMPROF_SORT_PID,
	VMMPROF_SORT_MODULE, VMMPROF_SORT_FUNCTION, VMMPROF_SORT_MODE
};

static int add(struct vmmprof_entries *es, const struct vmmprof_entry *e)
{
	int err = vmmprof_vec_grow(&es->entries, &es->cap, es->nr, sizeof(*e));

	if (err || !e->samples)
		return err;
	es->entries[es->nr++] = *e;
	vmmprof_sum(&es->samples, e->samples);
	return 0;
}

/*
 * Names that are in the entries already, by what has them; VMMPROF_NONE: not
 * yet.  Cells are many, processes and functions few.
 */
struct seen {
	__u32 *functions, *modules;  /* by string of the resolver */
	__u32 *processes, *programs; /* by process of it */
};

static __u32 *none(size_t nr)
{
	__u32 *ids = malloc((nr + 1) * sizeof(*ids));

	if (ids)
		memset(ids, 0xff, (nr + 1) * sizeof(*ids));
	return ids;
}

static void seen_deinit(struct seen *s)
{
	free(s->functions);
	free(s->modules);
	free(s->processes);
	free(s->programs);
}

static int seen_init(struct seen *s, const struct vmmprof_names *n)
{
	s->functions = none(n->nr_text);
	s->modules = none(n->nr_text);
	s->processes = none(n->a->resolver.nr_processes);
	s->programs = none(n->a->resolver.nr_processes);
	return s->functions && s->modules && s->processes && s->programs ?
		       0 :
		       -ENOMEM;
}

static int name_of(struct vmmprof_entries *es, const char *name, __u32 *ret)
{
	return vmmprof_strings_add(&es->names, name, strlen(name), ret);
}

static int name_process(struct vmmprof_entries *es, struct vmmprof_names *n,
			struct seen *s, __u32 proc, struct vmmprof_entry *e)
{
	char buf[NAME_MAX_BYTES];
	int err = 0;

	e->pid = n->a->resolver.processes[proc].pid;
	if (s->programs[proc] == VMMPROF_NONE) {
		vmmprof_name_process(n, proc, buf, sizeof(buf));
		err = name_of(es, buf, &s->processes[proc]);
		vmmprof_name_program(n, proc, buf, sizeof(buf));
		if (!err)
			err = name_of(es, buf, &s->programs[proc]);
	}
	e->process = s->processes[proc];
	e->program = s->programs[proc];
	return err;
}

/* Module and function of a key without a process, as all cells have them. */
static int name_code(struct vmmprof_entries *es, struct vmmprof_names *n,
		     struct seen *s, const struct vmmprof_cell_key *key,
		     struct vmmprof_entry *e)
{
	__u32 *module = key->module < n->nr_text ? &s->modules[key->module] :
						   &e->module;
	__u32 *func = key->func < n->nr_text ? &s->functions[key->func] :
					       &e->function;
	char buf[NAME_MAX_BYTES];
	int err = 0;

	if (*module == VMMPROF_NONE) {
		vmmprof_name_module(n, key, buf, sizeof(buf));
		err = name_of(es, buf, module);
	}
	if (!err && *func == VMMPROF_NONE) {
		vmmprof_name_function(n, key, buf, sizeof(buf));
		err = name_of(es, buf, func);
	}
	e->module = *module;
	e->function = *func;
	return err;
}

static int add_cell(struct vmmprof_entries *es, struct vmmprof_names *n,
		    struct seen *s, const struct vmmprof_cell *c, __u32 guest)
{
	struct vmmprof_cell_key key = c->key;
	struct vmmprof_entry e = {
		.machine = key.guest,
		.vcpu = key.vcpu,
		.pid = VMMPROF_NONE,
		.guest = guest,
		.process = VMMPROF_NONE,
		.program = VMMPROF_NONE,
		.module = VMMPROF_NONE,
		.function = VMMPROF_NONE,
		.state = key.guest ? VMMPROF_ENTRY_GUEST : VMMPROF_ENTRY_HOST,
		.mode = key.mode - 1,
		.cause = key.cause,
		.samples = c->samples,
	};
	int err = 0;

	if (key.proc != VMMPROF_NONE)
		err = name_process(es, n, s, key.proc, &e);
	/* The module's own name, without the process's number. */
	key.proc = VMMPROF_NONE;
	if (!err)
		err = name_code(es, n, s, &key, &e);
	return err ? err : add(es, &e);
}

/* Entries from @first on are those of the rows, in their order. */
static int map_cells(struct vmmprof_entries *es, struct vmmprof_names *n,
		     const struct vmmprof_selection *sel,
		     const struct vmmprof_table *t, __u32 first)
{
	const struct vmmprof_profile *p = &n->a->profile;
	struct vmmprof_profile rows = { 0 };
	struct vmmprof_cell_key key;
	size_t i;
	int err = 0;

	for (i = 0; i < t->rows.nr && !err; i++)
		if (!vmmprof_is_guest_row(&t->rows.cells[i].key, sel))
			err = vmmprof_profile_add(&rows, &t->rows.cells[i].key,
						  1);
	for (i = 0; i < p->nr && !err; i++) {
		if (!p->cells[i].samples ||
		    vmmprof_is_guest_row(&p->cells[i].key, sel) ||
		    !vmmprof_selected(n, sel, &p->cells[i].key))
			continue;
		key = vmmprof_table_row(n, sel, &p->cells[i].key);
		err = vmmprof_profile_add(&rows, &key, 1);
		es->of_cell[i] = first + rows.last;
	}
	vmmprof_profile_deinit(&rows);
	return err;
}

static int add_samples(struct vmmprof_entries *es, struct vmmprof_report *r,
		       struct seen *seen, __u32 machine, __u32 guest)
{
	struct vmmprof_selection sel = vmmprof_report_selection(r, machine);
	struct vmmprof_table t;
	size_t i, first = es->nr;
	int err;

	err = vmmprof_table_init(&t, &r->names, &sel);
	for (i = 0; i < t.rows.nr && !err; i++)
		if (!vmmprof_is_guest_row(&t.rows.cells[i].key, &sel))
			err = add_cell(es, &r->names, seen, &t.rows.cells[i],
				       guest);
	if (es->of_cell && !err)
		err = map_cells(es, &r->names, &sel, &t, first);
	vmmprof_table_deinit(&t);
	return err;
}

static int add_track(struct vmmprof_entries *es,
		     const struct vmmprof_timeline *tl, __u32 track,
		     __u32 guest)
{
	struct vmmprof_entry e = {
		.machine = 1 + tl->tracks[track]->guest,
		.vcpu = tl->tracks[track]->vcpu_id,
		.pid = VMMPROF_NONE,
		.guest = guest,
		.process = VMMPROF_NONE,
		.program = VMMPROF_NONE,
	};
	struct vmmprof_time_rows rows;
	size_t i;
	int err = 0;

	vmmprof_time_rows_track(&rows, tl, track);
	for (i = 0; i < rows.nr && !err; i++) {
		e.state = VMMPROF_ENTRY_PART + rows.row[i].part;
		e.exact = vmmprof_time_row_exact(&rows.row[i]);
		e.samples = rows.row[i].samples;
		err = name_of(es, rows.row[i].function, &e.function);
		if (!err)
			err = name_of(es, rows.row[i].module, &e.module);
		if (!err)
			err = add(es, &e);
	}
	return err;
}

static int add_time(struct vmmprof_entries *es, struct vmmprof_report *r,
		    __u32 machine, __u32 guest)
{
	struct vmmprof_selection sel = vmmprof_report_selection(r, machine);
	const struct vmmprof_timeline *tl = r->tl;
	__u32 i, first;
	int err = 0;

	if (!vmmprof_report_timed(r, &sel))
		return 0;
	for (i = 0; i < tl->nr && !err; i++)
		if (1 + tl->tracks[i]->guest == machine &&
		    (sel.vcpu == VMMPROF_ANY ||
		     tl->tracks[i]->vcpu_id == sel.vcpu)) {
			first = es->nr;
			err = add_track(es, tl, i, guest);
			if (!es->of_track)
				continue;
			es->of_track[2 * i] = first;
			es->of_track[2 * i + 1] = es->nr;
		}
	return err;
}

static int make(struct vmmprof_entries *es, const struct vmmprof_report *report)
{
	struct vmmprof_report r = *report;
	char buf[NAME_MAX_BYTES];
	struct seen seen;
	__u32 i, guest;
	int err;

	err = seen_init(&seen, &r.names);
	for (i = 0; i <= r.a->resolver.guests.nr && !err; i++) {
		if (!vmmprof_report_has(&r, i))
			continue;
		r.keys = i ? keys : keys + 1;
		r.nr_keys = sizeof(keys) / sizeof(keys[0]) - !i;
		vmmprof_name_machine(&r.names, i, buf, sizeof(buf));
		err = name_of(es, buf, &guest);
		if (!err)
			err = add_samples(es, &r, &seen, i, guest);
		if (!err)
			err = add_time(es, &r, i, guest);
	}
	seen_deinit(&seen);
	return err;
}

int vmmprof_entries_init(struct vmmprof_entries *es,
			 const struct vmmprof_report *r)
{
	memset(es, 0, sizeof(*es));
	return make(es, r);
}

int vmmprof_entries_init_maps(struct vmmprof_entries *es,
			      const struct vmmprof_report *r)
{
	memset(es, 0, sizeof(*es));
	es->of_cell = none(r->a->profile.nr);
	es->of_track = calloc(r->tl ? 2 * r->tl->nr + 1 : 1,
			      sizeof(*es->of_track));
	return es->of_cell && es->of_track ? make(es, r) : -ENOMEM;
}

void vmmprof_entries_deinit(struct vmmprof_entries *es)
{
	vmmprof_strings_deinit(&es->names);
	free(es->entries);
	free(es->of_cell);
	free(es->of_track);
	memset(es, 0, sizeof(*es));
}

const char *vmmprof_entry_state_key(unsigned int state)
{
	static const char *const text[VMMPROF_NR_ENTRY_STATES] = {
		[VMMPROF_ENTRY_GUEST] = "guest",
		[VMMPROF_ENTRY_HOST] = "host",
		[VMMPROF_ENTRY_PART + VMMPROF_PART_VMM] = "vmm",
		[VMMPROF_ENTRY_PART + VMMPROF_PART_HALT] = "halt",
		[VMMPROF_ENTRY_PART + VMMPROF_PART_BLOCKED] = "blocked",
		[VMMPROF_ENTRY_PART + VMMPROF_PART_STEAL] = "steal",
		[VMMPROF_ENTRY_PART + VMMPROF_PART_UNKNOWN] = "unknown",
	};

	return state < VMMPROF_NR_ENTRY_STATES ? text[state] : "?";
}

const char *vmmprof_entry_mode_key(const struct vmmprof_entry *e)
{
	static const char *const text[VMMPROF_NR_MODES] = { "kernel", "user",
							    "unknown" };

	if (e->state >= VMMPROF_ENTRY_PART)
		return NULL;
	return e->mode < VMMPROF_NR_MODES ? text[e->mode] : "unknown";
}
