// SPDX-License-Identifier: GPL-2.0-only
/* The report as JSON; the schema is in analyzer/man/vmmprof-report.md. */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "view/json.h"
#include "view/report.h"
#include "view/safe.h"

#define NAME_MAX_BYTES 4096

static void put_rows(struct vmmprof_report *r, struct vmmprof_json *j,
		     const struct vmmprof_selection *sel,
		     const struct vmmprof_table *t)
{
	enum vmmprof_sort keys[VMMPROF_NR_SORTS];
	size_t nr = vmmprof_report_keys(r, keys), i, k;
	char buf[NAME_MAX_BYTES];

	vmmprof_json_array(j, "rows");
	for (i = 0; i < t->rows.nr && (!r->limit || i < r->limit); i++) {
		const struct vmmprof_cell *c = &t->rows.cells[i];

		vmmprof_json_object(j, NULL);
		vmmprof_json_u64(j, "samples", c->samples);
		vmmprof_json_percent(j, "percent", c->samples, t->total);
		for (k = 0; k < nr; k++) {
			vmmprof_report_cell(r, sel, &c->key, k, keys[k], buf,
					    sizeof(buf));
			vmmprof_json_string(j, vmmprof_sort_name(keys[k]), buf);
		}
		if (!r->keys && c->key.proc != VMMPROF_NONE)
			vmmprof_json_u64(
				j, "pid",
				r->a->resolver.processes[c->key.proc].pid);
		if (c->key.cause)
			vmmprof_json_string(j, "unresolved",
					    vmmprof_cause_key(c->key.cause));
		vmmprof_json_object_end(j);
	}
	vmmprof_json_array_end(j);
}

static int put_processes(struct vmmprof_report *r, struct vmmprof_json *j,
			 const struct vmmprof_selection *sel, __u64 total)
{
	struct vmmprof_table_process *procs;
	const struct vmmprof_process *p;
	char name[NAME_MAX_BYTES];
	int nr, i;

	nr = vmmprof_table_processes(&r->names, sel, &procs);
	if (nr < 0)
		return nr;
	vmmprof_json_array(j, "processes");
	for (i = 0; i < nr; i++) {
		p = &r->a->resolver.processes[procs[i].proc];
		vmmprof_safe(name, sizeof(name),
			     vmmprof_strings_get(&r->a->resolver.strings,
						 p->name));
		vmmprof_json_object(j, NULL);
		vmmprof_json_string(j, "process", name);
		vmmprof_json_u64(j, "number", r->names.ordinal[procs[i].proc]);
		if (p->pid == VMMPROF_NONE)
			vmmprof_json_null(j, "pid");
		else
			vmmprof_json_u64(j, "pid", p->pid);
		vmmprof_json_u64(j, "samples", procs[i].samples);
		vmmprof_json_percent(j, "percent", procs[i].samples, total);
		vmmprof_json_u64(j, "user", procs[i].user);
		vmmprof_json_object_end(j);
	}
	vmmprof_json_array_end(j);
	free(procs);
	return 0;
}

/* What `samples` and `rows` lack of host time; percentages are without it. */
static void put_time(struct vmmprof_report *r, struct vmmprof_json *j,
		     const struct vmmprof_selection *sel)
{
	struct vmmprof_time_rows time;
	size_t i;

	vmmprof_report_time(r, sel, &time);
	if (!time.sum)
		return;
	vmmprof_json_array(j, "host_time");
	for (i = 0; i < time.nr; i++) {
		vmmprof_json_object(j, NULL);
		vmmprof_json_u64(j, "samples", time.row[i].samples);
		vmmprof_json_string(j, "function", time.row[i].function);
		vmmprof_json_string(j, "module", time.row[i].module);
		vmmprof_json_object_end(j);
	}
	vmmprof_json_array_end(j);
	if (!r->paper)
		return;
	vmmprof_json_array(j, "steal_exits");
	for (i = 0; i < VMMPROF_EXIT_REASONS; i++) {
		if (!time.exits[i])
			continue;
		vmmprof_json_object(j, NULL);
		vmmprof_json_u64(j, "reason", i);
		vmmprof_json_u64(j, "samples", time.exits[i]);
		vmmprof_json_object_end(j);
	}
	vmmprof_json_array_end(j);
}

static int put_machine(struct vmmprof_report *r, struct vmmprof_json *j,
		       const char *key, __u32 machine)
{
	struct vmmprof_selection sel = vmmprof_report_selection(r, machine);
	char name[NAME_MAX_BYTES];
	struct vmmprof_table t;
	int ret;

	ret = vmmprof_table_init(&t, &r->names, &sel);
	if (ret)
		goto out;
	vmmprof_name_machine(&r->names, machine, name, sizeof(name));
	vmmprof_json_object(j, key);
	vmmprof_json_string(j, "name", name);
	if (machine) {
		vmmprof_json_u64(j, "vm", machine);
		vmmprof_json_u64(j, "pid",
				 r->a->resolver.guests.guests[machine - 1].pid);
	}
	vmmprof_json_u64(j, "samples", t.total);
	vmmprof_json_u64(j, "os", t.mode[VMMPROF_MODE_KERNEL]);
	vmmprof_json_u64(j, "user", t.mode[VMMPROF_MODE_USER]);
	vmmprof_json_u64(j, "unknown", t.mode[VMMPROF_MODE_UNKNOWN]);
	if (!machine)
		vmmprof_json_u64(j, "in_guests", t.vm);
	vmmprof_json_u64(j, "resolved", t.resolved);
	put_rows(r, j, &sel, &t);
	put_time(r, j, &sel);
	ret = put_processes(r, j, &sel, t.total);
	vmmprof_json_object_end(j);
out:
	vmmprof_table_deinit(&t);
	return ret;
}

static void put_account(struct vmmprof_report *r, struct vmmprof_json *j)
{
	const struct vmmprof_account *acc = &r->account;
	const struct vmmprof_books *b = &r->a->books;
	char name[NAME_MAX_BYTES];
	size_t i;

	vmmprof_json_object(j, "account");
	vmmprof_json_array(j, "lines");
	for (i = 0; i < acc->nr_lines; i++) {
		const struct vmmprof_account_line *l = &acc->lines[i];

		vmmprof_name_machine(&r->names, l->machine, name, sizeof(name));
		vmmprof_json_object(j, NULL);
		vmmprof_json_string(j, "machine", name);
		vmmprof_json_u64(j, "vm", l->machine);
		vmmprof_json_string(j, "mode", vmmprof_mode_text(l->mode));
		if (l->cause)
			vmmprof_json_string(j, "unresolved",
					    vmmprof_cause_key(l->cause));
		vmmprof_json_u64(j, "samples", l->samples);
		vmmprof_json_object_end(j);
	}
	vmmprof_json_array_end(j);
	vmmprof_json_u64(j, "sum", acc->sum);
	vmmprof_json_u64(j, "read", b->samples);
	if (b->has_stat)
		vmmprof_json_u64(j, "written", b->written);
	vmmprof_json_u64(j, "lost", b->lost);
	vmmprof_json_u64(j, "taken", vmmprof_sat_add(acc->sum, b->lost));
	vmmprof_json_bool(j, "adds_up", acc->adds_up && acc->complete);
	vmmprof_json_u64(j, "lost_other", b->lost_other);
	vmmprof_json_u64(j, "lost_names", b->lost_names);
	vmmprof_json_u64(j, "throttled", b->throttled);
	vmmprof_json_u64(j, "vcpu_records", b->vcpu_records);
	vmmprof_json_u64(j, "unknown_records", b->unknown_records);
	if (vmmprof_saturated)
		vmmprof_json_bool(j, "sums_too_large", true);
	vmmprof_json_object_end(j);
}

/* What the writer of a guest's bundle could not have. */
static void put_notes(struct vmmprof_report *r, struct vmmprof_json *j,
		      __u32 machine)
{
	const struct vmmprof_resolver *res = &r->a->resolver;
	const struct vmmprof_bundle *b = NULL;
	size_t i;

	if (machine < res->nr_machines && res->machines[machine])
		b = &res->machines[machine]->bundle;
	vmmprof_json_array(j, "notes");
	for (i = 0; b && i < b->nr_notes; i++)
		vmmprof_json_string(j, NULL, b->notes[i]);
	vmmprof_json_array_end(j);
}

static void put_clock(struct vmmprof_json *j, const struct vmmprof_clock *c)
{
	if (!c || c->residual == VMMPROF_TIME_UNKNOWN)
		vmmprof_json_null(j, "clock_residual_ns");
	else
		vmmprof_json_u64(j, "clock_residual_ns", c->residual);
	vmmprof_json_u64(j, "clock_pairs", c ? c->pairs : 0);
}

static void put_owners(struct vmmprof_report *r, struct vmmprof_json *j)
{
	static const char *const names[] = { "interval", "exec",   "snapshot",
					     "unique",	 "kernel", "unknown",
					     "not_then", "several" };
	static const char *const whos[VMMPROF_NR_WHOS] = { "",	    "idle",
							   "stack", "kthread",
							   "pti",   "unknown" };
	const struct vmmprof_resolver *res = &r->a->resolver;
	const struct vmmprof_account_guest *ag;
	char name[NAME_MAX_BYTES];
	unsigned int how, who;
	__u32 g;

	vmmprof_json_array(j, "trust");
	for (g = 0; g < res->guests.nr; g++) {
		ag = &r->account.guests[g];
		vmmprof_name_machine(&r->names, 1 + g, name, sizeof(name));
		vmmprof_json_object(j, NULL);
		vmmprof_json_string(j, "guest", name);
		vmmprof_json_bool(j, "bundle",
				  g + 1 < res->nr_machines &&
					  res->machines[g + 1]);
		vmmprof_json_bool(j, "wrong_bundle",
				  vmmprof_account_wrong_bundle(ag));
		vmmprof_json_u64(j, "samples", ag->samples);
		vmmprof_json_u64(j, "resolved", ag->resolved);
		vmmprof_json_u64(j, "outside_watch",
				 res->guests.guests[g].outside);
		for (how = 0; how <= VMMPROF_OWNER_SEVERAL; how++)
			vmmprof_json_u64(j, names[how], ag->how[how]);
		vmmprof_json_object(j, "in_kernel");
		for (who = 1; who < VMMPROF_NR_WHOS; who++)
			vmmprof_json_u64(j, whos[who], ag->who[who]);
		vmmprof_json_object_end(j);
		put_clock(j, vmmprof_report_clock(r, g));
		put_notes(r, j, 1 + g);
		vmmprof_json_object_end(j);
	}
	vmmprof_json_array_end(j);
}

static void put_check(struct vmmprof_report *r, struct vmmprof_json *j)
{
	const __u64 *c = r->a->books.contradictions;
	unsigned int i;

	vmmprof_json_object(j, "contradictions");
	for (i = 1; i < VMMPROF_NR_CONTRAS; i++)
		if (c[i])
			vmmprof_json_u64(j, vmmprof_contradiction_key(i), c[i]);
	vmmprof_json_object_end(j);
}

static void put_session(struct vmmprof_report *r, struct vmmprof_json *j)
{
	static const char *const keys[] = { "hostname", "release", "tool",
					    "module",	"vendor",  "trigger",
					    "command" };
	const struct vmmprof_session *s = &r->a->session;
	char text[NAME_MAX_BYTES];
	size_t i;

	vmmprof_json_object(j, "session");
	vmmprof_json_string(j, "dir", r->dir);
	for (i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		if (vmmprof_text_get(&s->text, keys[i], text, sizeof(text)) >=
		    0)
			vmmprof_json_string(j, keys[i], text);
	vmmprof_json_u64(j, "cpus", s->nr_cpus);
	vmmprof_json_bool(j, "complete", s->complete);
	vmmprof_json_array(j, "events");
	for (i = 0; i < VMMPROF_MAX_EVENTS; i++) {
		if (!s->events[i] && !r->a->books.per_event[i])
			continue;
		vmmprof_json_object(j, NULL);
		vmmprof_json_string(j, "name",
				    vmmprof_session_event_name(s, i));
		vmmprof_json_u64(j, "samples", r->a->books.per_event[i]);
		vmmprof_json_object_end(j);
	}
	vmmprof_json_array_end(j);
	vmmprof_json_array(j, "notes");
	for (i = 0; i < s->nr_notes; i++)
		vmmprof_json_string(j, NULL, s->notes[i]);
	vmmprof_json_array_end(j);
	vmmprof_json_array(j, "warnings");
	for (i = 0; i < s->problems.nr; i++)
		vmmprof_json_string(j, NULL, s->problems.line[i]);
	vmmprof_json_array_end(j);
	vmmprof_json_object_end(j);
}

int vmmprof_report_json(struct vmmprof_report *r, FILE *out)
{
	__u32 i, nr = r->a->resolver.guests.nr;
	struct vmmprof_json j;
	int ret = 0;

	vmmprof_json_init(&j, out);
	vmmprof_json_object(&j, NULL);
	vmmprof_json_u64(&j, "schema", 1);
	put_session(r, &j);
	if (vmmprof_report_has(r, 0))
		ret = put_machine(r, &j, "host", 0);
	vmmprof_json_array(&j, "guests");
	for (i = 1; i <= nr && !ret; i++)
		if (vmmprof_report_has(r, i))
			ret = put_machine(r, &j, NULL, i);
	vmmprof_json_array_end(&j);
	put_account(r, &j);
	put_owners(r, &j);
	if (r->checks)
		vmmprof_checks_json(r->checks, &j, "time_checks");
	put_check(r, &j);
	vmmprof_json_object_end(&j);
	return ret;
}
