// SPDX-License-Identifier: GPL-2.0-only
/* What text and JSON reports have in common: which tables, which columns. */

#include <string.h>

#include "base/saturate.h"
#include "view/percent.h"
#include "view/report.h"

/*
 * Without --event: the first event that has samples.  Without samples the one
 * that counts time: vCPUs have some all the same.
 */
static __u32 shown_event(const struct report *r)
{
	__u32 i;

	if (r->event != VMMPROF_ANY)
		return r->event;
	for (i = 0; i < VMMPROF_MAX_EVENTS; i++)
		if (r->a->counts.per_event[i])
			return i;
	return r->tl && r->tl->period ? r->tl->event : VMMPROF_ANY;
}

struct selection report_selection(const struct report *r, __u32 machine)
{
	struct selection sel = {
		.machine = machine,
		.vcpu = r->vcpu,
		.pid = r->pid,
		.event = shown_event(r),
		.cpus = r->cpus,
		.keys = r->keys,
		.nr_keys = r->nr_keys,
	};
	bool event = false;
	size_t i;

	for (i = 0; i < r->nr_keys; i++) {
		event |= r->keys[i] == SORT_EVENT;
		sel.whole |= r->keys[i] == SORT_VM && !machine;
		if (r->keys[i] == SORT_PARENT)
			sel.parents = r->parents;
	}
	sel.timed = r->tl && !r->paper && r->tl->period && machine &&
		    sel.event == r->tl->event;
	/* Sorted by event, a table shows them all. */
	if (event && r->event == VMMPROF_ANY)
		sel.event = VMMPROF_ANY;
	sel.timed &= sel.event != VMMPROF_ANY;
	return sel;
}

bool report_timed(const struct report *r, const struct selection *sel)
{
	return r->tl && r->tl->period && sel->machine && !sel->cpus &&
	       sel->pid == VMMPROF_ANY && sel->event == r->tl->event;
}

void report_time(const struct report *r, const struct selection *sel,
		 struct time_rows *rows)
{
	memset(rows, 0, sizeof(*rows));
	if (report_timed(r, sel))
		time_rows_init(rows, r->tl, sel->machine - 1, sel->vcpu,
			       r->paper);
}

/* With VMs as a key, one table has all of them. */
static bool one_table(const struct report *r)
{
	size_t i;

	for (i = 0; i < r->nr_keys; i++)
		if (r->keys[i] == SORT_VM)
			return true;
	return false;
}

bool report_has(const struct report *r, __u32 machine)
{
	if (r->guest != VMMPROF_ANY)
		return machine == r->guest;
	if (r->vcpu != VMMPROF_ANY)
		return machine;
	if (r->pid != VMMPROF_ANY)
		return !machine;
	return !machine || !one_table(r);
}

size_t report_keys(const struct report *r, enum sort keys[NR_SORTS])
{
	if (!r->keys) {
		keys[0] = SORT_FUNCTION;
		keys[1] = SORT_MODULE;
		return 2;
	}
	memcpy(keys, r->keys, r->nr_keys * sizeof(*keys));
	return r->nr_keys;
}

/* How many rows of a table are shown, by both limits. */
static size_t shown_rows(const struct report *r, const struct report_table *m)
{
	size_t n = m->t.rows.nr;

	if (r->limit && n > r->limit)
		n = r->limit;
	while (n && percent_of(table_weight(&m->t, &m->t.rows.buckets[n - 1]),
			       m->whole) < r->percent_limit)
		n--;
	return n;
}

int report_table_init(struct report_table *m, struct report *r, __u32 machine)
{
	const struct chain_tree *tree = r->chains ? &r->chains->tree : NULL;
	const struct chain_waits *waits = NULL;
	int err;

	memset(m, 0, sizeof(*m));
	m->sel = report_selection(r, machine);
	if (r->children && report_timed(r, &m->sel) &&
	    chain_pass_timed(r->chains))
		waits = &r->chains->waits;
	err = r->children || m->sel.parents ?
		      chain_table_init(&m->t, &r->names, &m->sel, tree, waits,
				       r->children) :
		      table_init(&m->t, &r->names, &m->sel);
	if (err)
		return err;
	report_time(r, &m->sel, &m->time);
	m->whole = sat_add(m->t.timed ? m->t.ticks : m->t.total, m->time.sum);
	m->rows = r->hierarchy ? m->t.rows.nr : shown_rows(r, m);
	m->states = m->t.timed && report_timed(r, &m->sel);
	if (m->states)
		time_states(r->tl, machine - 1, m->sel.vcpu, m->columns);
	if (r->order == CHAIN_NONE && !r->children)
		return 0;
	err = chain_rows_init(&m->chains, &r->names, &m->sel, &m->t, m->rows,
			      tree, waits, r->children);
	if (!err && m->states && chain_pass_timed(r->chains))
		err = chain_time_init(&m->waits, &r->chains->waits, &m->time,
				      machine - 1, m->sel.vcpu);
	return err;
}

void report_table_deinit(struct report_table *m)
{
	chain_rows_deinit(&m->chains);
	chain_time_deinit(&m->waits);
	table_deinit(&m->t);
}

void report_cell(struct report *r, const struct selection *sel,
		 const struct bucket_key *key, size_t i, enum sort sort,
		 char *buf, size_t size)
{
	if (!is_guest_row(key, sel))
		name_sort(&r->names, key, sort, buf, size);
	else if (i == 0)
		name_function(&r->names, key, buf, size);
	else if (i == 1)
		name_module(&r->names, key, buf, size);
	else
		snprintf(buf, size, "-");
}

double report_seconds(const struct report *r)
{
	const struct vmmprof_info_stop *stop = r->a->session.stop;
	__u64 khz = session_tsc_khz(&r->a->session);

	if (!stop || !khz || stop->stop_tsc < stop->start_tsc)
		return 0;
	return (stop->stop_tsc - stop->start_tsc) / (khz * 1000.0);
}

const char *how_text(unsigned int how)
{
	static const char *const text[] = {
		[OWNER_INTERVAL] = "by the interval of its CR3",
		[OWNER_EXEC] = "within 5 ms before its exec was seen",
		[OWNER_SNAPSHOT] = "by a snapshot taken at another time",
		[OWNER_UNIQUE] =
			"as the CR3's only owner, without a common clock",
		[OWNER_KERNEL] = "as the kernel's own address space",
		[OWNER_UNKNOWN] = "not: CR3 of no known process",
		[OWNER_NOT_THEN] = "not: CR3 of no process at that time",
		[OWNER_SEVERAL] = "not: CR3 has several owners, no common clock",
		[OWNER_NOT_READ] = "not: who ran could not be read",
	};

	return how < sizeof(text) / sizeof(text[0]) ? text[how] : "?";
}

const char *who_text(unsigned int who)
{
	static const char *const text[NR_WHOS] = {
		[WHO_NOT_ASKED] = "in user mode",
		[WHO_IDLE] = "idle, by the function",
		[WHO_STACK] = "a process, by its kernel stack",
		[WHO_KTHREAD] = "a kernel thread, by its stack",
		[WHO_PTI] = "a process, by the user half of its CR3",
		[WHO_UNKNOWN] = "process unknown",
		[WHO_MEMORY] = "read from the guest's memory",
		[WHO_MEMORY_SAME] = "read, and CR3 or kernel stack agree",
		[WHO_MEMORY_OTHER] =
			"read, and CR3 or kernel stack contradict it",
	};

	return who < NR_WHOS ? text[who] : "?";
}

const struct clock *report_clock(struct report *r, __u32 g)
{
	const struct resolver *res = &r->a->resolver;
	const struct clock *c;

	if (g + 1 >= res->nr_machines || !res->machines[g + 1] ||
	    res->guests.guests[g].clock_vcpu == VMMPROF_NONE)
		return NULL;
	c = &res->machines[g + 1]->clock;
	return c->nr ? c : NULL;
}
