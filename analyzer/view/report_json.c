// SPDX-License-Identifier: GPL-2.0-only
/* The report as JSON, by report.schema.json. */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "sym/exits.h"
#include "view/json.h"
#include "view/chain_json.h"
#include "view/report_levels.h"
#include "view/safe.h"
#include "view/time_text.h"

static void put_pid(struct json_out *j, __u32 pid)
{
	if (pid == VMMPROF_NONE)
		json_out_null(j, "pid");
	else
		json_out_u64(j, "pid", pid);
}

/* Returns the nanoseconds. */
static __u64 put_ns(struct report *r, struct json_out *j, const char *key,
		    struct ns_sum *sum, __u64 ticks)
{
	__u64 ns = r->tl->khz ? ns_sum_add(sum, r->tl->khz, ticks) : 0;

	if (r->tl->khz)
		json_out_u64(j, key, ns);
	else
		json_out_null(j, key);
	return ns;
}

/*
 * With callees, rows have parts of the same time: no sums of their own.  Returns
 * the row's nanoseconds.
 */
static __u64 put_numbers(struct report *r, struct json_out *j,
			 const struct report_table *m, size_t row,
			 struct ns_sum *sum)
{
	const struct bucket *c = &m->t.rows.buckets[row];
	struct ns_sum alone = { 0 };
	__u64 ns = 0;

	json_out_u64(j, "samples", c->samples);
	if (m->t.timed)
		ns = put_ns(r, j, "time_ns", r->children ? &alone : sum,
			    c->ticks);
	json_out_percent(j, "percent", table_weight(&m->t, c), m->whole);
	if (!r->children)
		return ns;
	json_out_u64(j, "self", m->chains.self[row].samples);
	if (m->t.timed)
		put_ns(r, j, "self_ns", sum, m->chains.self[row].ticks);
	return ns;
}

static int put_rows(struct report *r, struct json_out *j,
		    const struct report_table *m)
{
	enum sort keys[NR_SORTS];
	size_t nr = report_keys(r, keys), i, k;
	struct ns_sum ns = { 0 };
	char buf[NAME_MAX_BYTES];
	__u64 all;
	int err = 0;

	json_out_array(j, "rows");
	for (i = 0; i < m->rows && !err; i++) {
		const struct bucket *c = &m->t.rows.buckets[i];

		json_out_object(j, NULL);
		all = put_numbers(r, j, m, i, &ns);
		for (k = 0; k < nr; k++) {
			report_cell(r, &m->sel, &c->key, k, keys[k], buf,
				    sizeof(buf));
			json_out_string(j, sort_name(keys[k]), buf);
		}
		if (!r->keys && c->key.proc != VMMPROF_NONE)
			put_pid(j, r->a->resolver.processes[c->key.proc].pid);
		if (c->key.cause)
			json_out_string(j, "unresolved",
					cause_key(c->key.cause));
		if (r->order != CHAIN_NONE && !is_guest_row(&c->key, &m->sel))
			err = chain_json_row(j, &r->names, &m->chains, i, all,
					     r->order == CHAIN_CALLEE);
		json_out_object_end(j);
	}
	json_out_array_end(j);
	return err;
}

/*
 * The rows of a level, each with those below it.  @ns: what was before them, so
 * that their nanoseconds sum to those of the row above.
 */
static int put_level(struct report *r, struct json_out *j,
		     const struct report_table *m,
		     const struct report_levels *l, __u32 node,
		     const enum sort *keys, struct ns_sum ns)
{
	__u32 end = report_levels_end(l, r, m, node), child;
	const struct report_level *c = &l->nodes[node];
	struct ns_sum before;
	int err = 0;

	json_out_array(j, "rows");
	for (child = c->first; child != end && !err; child = c->next) {
		c = &l->nodes[child];
		before = ns;
		json_out_object(j, NULL);
		json_out_u64(j, "samples", c->total.samples);
		if (m->t.timed)
			put_ns(r, j, "time_ns", &ns, c->total.ticks);
		json_out_percent(j, "percent", table_weight(&m->t, &c->total),
				 m->whole);
		json_out_string(j, sort_name(keys[c->depth]),
				strings_get(&l->names, c->name));
		if (c->row == VMMPROF_NONE)
			err = put_level(r, j, m, l, child, keys, before);
		else if (r->order != CHAIN_NONE &&
			 !is_guest_row(&m->t.rows.buckets[c->row].key, &m->sel))
			err = chain_json_row(j, &r->names, &m->chains, c->row,
					     0, r->order == CHAIN_CALLEE);
		json_out_object_end(j);
	}
	json_out_array_end(j);
	return err;
}

static int put_levels(struct report *r, struct json_out *j,
		      const struct report_table *m)
{
	struct report_levels l;
	enum sort keys[NR_SORTS];
	int err;

	report_keys(r, keys);
	err = report_levels_init(&l, r, m);
	if (!err)
		err = put_level(r, j, m, &l, 0, keys, (struct ns_sum){ 0 });
	report_levels_deinit(&l);
	return err;
}

static int put_processes(struct report *r, struct json_out *j,
			 const struct report_table *m)
{
	struct ns_sum ns = { 0 }, user_ns = { 0 };
	struct table_process *procs;
	const struct process *p;
	char name[NAME_MAX_BYTES];
	int nr, i;

	nr = table_processes(&r->names, &m->sel, &procs);
	if (nr < 0)
		return nr;
	json_out_array(j, "processes");
	for (i = 0; i < nr; i++) {
		p = &r->a->resolver.processes[procs[i].proc];
		safe_text(name, sizeof(name),
			  strings_get(&r->a->resolver.strings, p->name));
		json_out_object(j, NULL);
		json_out_string(j, "process", name);
		json_out_u64(j, "number", r->names.ordinal[procs[i].proc]);
		put_pid(j, p->pid);
		json_out_u64(j, "samples", procs[i].samples);
		json_out_u64(j, "user", procs[i].user);
		if (m->t.timed) {
			put_ns(r, j, "time_ns", &ns, procs[i].ticks);
			put_ns(r, j, "user_ns", &user_ns, procs[i].user_ticks);
		}
		json_out_percent(j, "percent",
				 m->t.timed ? procs[i].ticks : procs[i].samples,
				 m->whole);
		json_out_object_end(j);
	}
	json_out_array_end(j);
	free(procs);
	return 0;
}

/* The columns of `vmmprof steal`. */
static void put_states(struct report *r, struct json_out *j,
		       const struct selection *sel)
{
	__u64 columns[STEAL_COLUMNS], total = 0;
	struct ns_sum ns;
	unsigned int i;
	char key[32];

	time_states(r->tl, sel->machine - 1, sel->vcpu, columns);
	json_out_object(j, "time");
	for (i = 0; i < STEAL_COLUMNS; i++)
		sat_sum(&total, columns[i]);
	ns = (struct ns_sum){ 0 };
	put_ns(r, j, "total_ns", &ns, total);
	for (i = 0; i < STEAL_COLUMNS; i++) {
		snprintf(key, sizeof(key), "%s_ns", steal_heading(i));
		ns = (struct ns_sum){ 0 };
		put_ns(r, j, key, &ns, columns[i]);
	}
	json_out_object_end(j);
}

static void put_exits(struct json_out *j, const struct time_rows *time,
		      bool svm)
{
	__u16 reason;
	size_t i;

	json_out_array(j, "steal_exits");
	for (i = 0; i < EXIT_REASONS; i++) {
		if (!time->exits[i])
			continue;
		json_out_object(j, NULL);
		reason = exit_at_place(svm, i);
		json_out_u64(j, "reason", exit_number(reason));
		json_out_u64(j, "samples", time->exits[i]);
		json_out_object_end(j);
	}
	json_out_array_end(j);
}

/* What `rows` lack of host time. */
static int put_time(struct report *r, struct json_out *j,
		    const struct report_table *m)
{
	const struct time_rows *time = &m->time;
	struct ns_sum ns[NR_PARTS] = { { 0 } };
	const struct time_row *row;
	__u64 all = 0;
	int err = 0;
	size_t i;

	if (!report_timed(r, &m->sel))
		return 0;
	if (!r->paper)
		put_states(r, j, &m->sel);
	json_out_array(j, "host_time");
	for (i = 0; i < time->nr && !err; i++) {
		row = &time->row[i];
		json_out_object(j, NULL);
		json_out_u64(j, "samples", row->samples);
		if (!r->paper)
			all = put_ns(r, j, "time_ns", &ns[row->part],
				     row->ticks);
		json_out_percent(j, "percent", time_row_weight(time, row),
				 m->whole);
		json_out_string(j, "function", row->function);
		json_out_string(j, "module", row->module);
		if (r->order != CHAIN_NONE)
			err = chain_json_time(j, &r->names, &m->waits, i, all,
					      r->order == CHAIN_CALLEE);
		json_out_object_end(j);
	}
	json_out_array_end(j);
	if (r->paper)
		put_exits(j, time, r->a->resolver.svm);
	return err;
}

static int put_machine(struct report *r, struct json_out *j, const char *key,
		       __u32 machine)
{
	char name[NAME_MAX_BYTES];
	struct report_table m;
	int ret;

	ret = report_table_init(&m, r, machine);
	if (ret)
		goto out;
	name_machine(&r->names, machine, name, sizeof(name));
	json_out_object(j, key);
	json_out_string(j, "name", name);
	if (machine) {
		json_out_u64(j, "vm", machine);
		json_out_u64(j, "pid",
			     r->a->resolver.guests.guests[machine - 1].pid);
	}
	json_out_u64(j, "samples", m.t.total);
	json_out_u64(j, "os", m.t.mode[MODE_KERNEL]);
	json_out_u64(j, "user", m.t.mode[MODE_USER]);
	json_out_u64(j, "unknown", m.t.mode[MODE_UNKNOWN]);
	if (!machine)
		json_out_u64(j, "in_guests", m.t.vm);
	json_out_u64(j, "resolved", m.t.resolved);
	ret = r->hierarchy ? put_levels(r, j, &m) : put_rows(r, j, &m);
	if (!ret)
		ret = put_time(r, j, &m);
	if (!ret)
		ret = put_processes(r, j, &m);
	json_out_object_end(j);
out:
	report_table_deinit(&m);
	return ret;
}

static void put_account(struct report *r, struct json_out *j)
{
	const struct account *acc = &r->account;
	const struct sample_counts *b = &r->a->counts;
	char name[NAME_MAX_BYTES];
	size_t i;

	json_out_object(j, "account");
	json_out_array(j, "lines");
	for (i = 0; i < acc->nr_lines; i++) {
		const struct account_line *l = &acc->lines[i];

		name_machine(&r->names, l->machine, name, sizeof(name));
		json_out_object(j, NULL);
		json_out_string(j, "machine", name);
		json_out_u64(j, "vm", l->machine);
		json_out_string(j, "mode", cpu_mode_text(l->mode));
		if (l->cause)
			json_out_string(j, "unresolved", cause_key(l->cause));
		json_out_u64(j, "samples", l->samples);
		json_out_object_end(j);
	}
	json_out_array_end(j);
	json_out_u64(j, "sum", acc->sum);
	json_out_u64(j, "read", b->samples);
	if (r->a->time)
		json_out_u64(j, "outside_time", b->outside);
	if (b->has_stat)
		json_out_u64(j, "written", b->written);
	json_out_u64(j, "lost", b->lost);
	json_out_u64(j, "taken", sat_add(acc->sum, b->lost));
	json_out_bool(j, "adds_up", acc->adds_up && acc->complete);
	json_out_u64(j, "lost_other", b->lost_other);
	json_out_u64(j, "lost_names", b->lost_names);
	json_out_u64(j, "lost_chains", b->lost_chains);
	json_out_u64(j, "throttled", b->throttled);
	json_out_u64(j, "vcpu_records", b->vcpu_records);
	json_out_u64(j, "chain_records", b->chain_records);
	json_out_u64(j, "unknown_records", b->unknown_records);
	if (r->chains)
		chain_json_account(j, r->chains);
	if (saturated)
		json_out_bool(j, "sums_too_large", true);
	json_out_object_end(j);
}

/* Notes in a guest's bundle: what its writer could not get. */
static void put_notes(struct report *r, struct json_out *j, __u32 machine)
{
	const struct resolver *res = &r->a->resolver;
	const struct bundle *b = NULL;
	size_t i;

	if (machine < res->nr_machines && res->machines[machine])
		b = &res->machines[machine]->bundle;
	json_out_array(j, "notes");
	for (i = 0; b && i < b->nr_notes; i++)
		json_out_string(j, NULL, b->notes[i]);
	json_out_array_end(j);
}

static void put_clock(struct json_out *j, const struct clock *c)
{
	if (!c || c->residual == TIME_UNKNOWN)
		json_out_null(j, "clock_residual_ns");
	else
		json_out_u64(j, "clock_residual_ns", c->residual);
	json_out_u64(j, "clock_pairs", c ? c->pairs : 0);
}

static void put_owners(struct report *r, struct json_out *j)
{
	static const char *const names[] = {
		"interval", "exec",	"snapshot", "unique",  "kernel",
		"unknown",  "not_then", "several",  "not_read"
	};
	static const char *const whos[NR_WHOS] = {
		"",	   "idle",  "stack",  "kthread",    "pti",
		"unknown", "alone", "agrees", "contradicts"
	};
	const struct resolver *res = &r->a->resolver;
	const struct account_guest *ag;
	char name[NAME_MAX_BYTES];
	unsigned int how, who;
	__u32 g;

	json_out_array(j, "trust");
	for (g = 0; g < res->guests.nr; g++) {
		ag = &r->account.guests[g];
		name_machine(&r->names, 1 + g, name, sizeof(name));
		json_out_object(j, NULL);
		json_out_string(j, "guest", name);
		json_out_bool(j, "bundle",
			      g + 1 < res->nr_machines && res->machines[g + 1]);
		json_out_bool(j, "wrong_bundle", account_wrong_bundle(ag));
		json_out_u64(j, "samples", ag->samples);
		json_out_u64(j, "resolved", ag->resolved);
		json_out_u64(j, "outside_watch", res->guests.guests[g].outside);
		for (how = 0; how <= OWNER_NOT_READ; how++)
			json_out_u64(j, names[how], ag->how[how]);
		json_out_object(j, "in_kernel");
		for (who = 1; who < WHO_MEMORY; who++)
			json_out_u64(j, whos[who], ag->who[who]);
		json_out_object_end(j);
		json_out_object(j, "from_memory");
		for (; who < NR_WHOS; who++)
			json_out_u64(j, whos[who], ag->who[who]);
		json_out_object_end(j);
		put_clock(j, report_clock(r, g));
		put_notes(r, j, 1 + g);
		json_out_object_end(j);
	}
	json_out_array_end(j);
}

static void put_check(struct report *r, struct json_out *j)
{
	const __u64 *c = r->a->counts.contradictions;
	unsigned int i;

	json_out_object(j, "contradictions");
	for (i = 1; i < NR_CONTRAS; i++)
		if (c[i])
			json_out_u64(j, contradiction_key(i), c[i]);
	json_out_object_end(j);
}

static void put_duration(struct report *r, struct json_out *j)
{
	double seconds = report_seconds(r);

	if (seconds > 0 && seconds < 1e9)
		json_out_u64(j, "duration_ns", seconds * 1e9 + 0.5);
	else
		json_out_null(j, "duration_ns");
}

static void put_session(struct report *r, struct json_out *j)
{
	static const char *const keys[] = { "hostname", "release", "tool",
					    "module",	"vendor",  "trigger",
					    "command" };
	const struct session *s = &r->a->session;
	char text[NAME_MAX_BYTES];
	size_t i;

	json_out_object(j, "session");
	json_out_string(j, "dir", r->dir);
	for (i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		if (text_get(&s->text, keys[i], text, sizeof(text)) >= 0)
			json_out_string(j, keys[i], text);
	put_duration(r, j);
	json_out_u64(j, "cpus", s->nr_cpus);
	json_out_bool(j, "complete", s->complete);
	json_out_array(j, "events");
	for (i = 0; i < VMMPROF_MAX_EVENTS; i++) {
		if (!s->events[i] && !r->a->counts.per_event[i])
			continue;
		json_out_object(j, NULL);
		json_out_string(j, "name", session_event_name(s, i));
		json_out_u64(j, "samples", r->a->counts.per_event[i]);
		json_out_object_end(j);
	}
	json_out_array_end(j);
	json_out_array(j, "notes");
	for (i = 0; i < s->nr_notes; i++)
		json_out_string(j, NULL, s->notes[i]);
	json_out_array_end(j);
	json_out_array(j, "warnings");
	for (i = 0; i < s->problems.nr; i++)
		json_out_string(j, NULL, s->problems.line[i]);
	json_out_array_end(j);
	json_out_object_end(j);
}

int report_json(struct report *r, FILE *out)
{
	__u32 i, nr = r->a->resolver.guests.nr;
	struct json_out j;
	int ret = 0;

	json_out_begin(&j, out, "vmmprof-report", 2);
	put_session(r, &j);
	time_text_json(r->a, &j);
	if (report_has(r, 0))
		ret = put_machine(r, &j, "host", 0);
	json_out_array(&j, "guests");
	for (i = 1; i <= nr && !ret; i++)
		if (report_has(r, i))
			ret = put_machine(r, &j, NULL, i);
	json_out_array_end(&j);
	put_account(r, &j);
	put_owners(r, &j);
	if (r->checks)
		steal_check_text_json(r->checks, &j, "time_checks");
	put_check(r, &j);
	json_out_object_end(&j);
	return ret;
}
