// SPDX-License-Identifier: GPL-2.0-only
/* What text and JSON reports have in common: which tables, which columns. */

#include <string.h>

#include "view/report.h"

/* Without --event: the first event that has samples. */
static __u32 shown_event(const struct vmmprof_report *r)
{
	__u32 i;

	if (r->event != VMMPROF_ANY)
		return r->event;
	for (i = 0; i < VMMPROF_MAX_EVENTS; i++)
		if (r->a->books.per_event[i])
			return i;
	return VMMPROF_ANY;
}

struct vmmprof_selection
vmmprof_report_selection(const struct vmmprof_report *r, __u32 machine)
{
	struct vmmprof_selection sel = {
		.machine = machine,
		.vcpu = r->vcpu,
		.pid = r->pid,
		.event = shown_event(r),
		.keys = r->keys,
		.nr_keys = r->nr_keys,
	};
	size_t i;

	/* Sorted by event, a table shows them all. */
	for (i = 0; i < r->nr_keys; i++)
		if (r->keys[i] == VMMPROF_SORT_EVENT && r->event == VMMPROF_ANY)
			sel.event = VMMPROF_ANY;
	return sel;
}

bool vmmprof_report_timed(const struct vmmprof_report *r,
			  const struct vmmprof_selection *sel)
{
	return r->tl && r->tl->period && sel->machine &&
	       sel->pid == VMMPROF_ANY && sel->event == r->tl->event;
}

void vmmprof_report_time(const struct vmmprof_report *r,
			 const struct vmmprof_selection *sel,
			 struct vmmprof_time_rows *rows)
{
	memset(rows, 0, sizeof(*rows));
	if (vmmprof_report_timed(r, sel))
		vmmprof_time_rows_init(rows, r->tl, sel->machine - 1, sel->vcpu,
				       r->paper);
}

bool vmmprof_report_has(const struct vmmprof_report *r, __u32 machine)
{
	if (r->guest != VMMPROF_ANY)
		return machine == r->guest;
	if (r->vcpu != VMMPROF_ANY)
		return machine;
	if (r->pid != VMMPROF_ANY)
		return !machine;
	return true;
}

size_t vmmprof_report_keys(const struct vmmprof_report *r,
			   enum vmmprof_sort keys[VMMPROF_NR_SORTS])
{
	if (!r->keys) {
		keys[0] = VMMPROF_SORT_FUNCTION;
		keys[1] = VMMPROF_SORT_MODULE;
		return 2;
	}
	memcpy(keys, r->keys, r->nr_keys * sizeof(*keys));
	return r->nr_keys;
}

void vmmprof_report_cell(struct vmmprof_report *r,
			 const struct vmmprof_selection *sel,
			 const struct vmmprof_cell_key *key, size_t i,
			 enum vmmprof_sort sort, char *buf, size_t size)
{
	if (!vmmprof_is_guest_row(key, sel))
		vmmprof_name_sort(&r->names, key, sort, buf, size);
	else if (i == 0)
		vmmprof_name_function(&r->names, key, buf, size);
	else if (i == 1)
		vmmprof_name_module(&r->names, key, buf, size);
	else
		snprintf(buf, size, "-");
}

double vmmprof_report_seconds(const struct vmmprof_report *r)
{
	const struct vmmprof_info_stop *stop = r->a->session.stop;
	__u64 khz = vmmprof_text_number(&r->a->session.text, "tsc_khz", 10, 0);

	if (!stop || !khz || stop->stop_tsc < stop->start_tsc)
		return 0;
	return (stop->stop_tsc - stop->start_tsc) / (khz * 1000.0);
}

const char *vmmprof_how_text(unsigned int how)
{
	static const char *const text[] = {
		[VMMPROF_OWNER_INTERVAL] = "by the interval of its CR3",
		[VMMPROF_OWNER_EXEC] = "within 5 ms before its exec was seen",
		[VMMPROF_OWNER_SNAPSHOT] = "by a snapshot taken at another time",
		[VMMPROF_OWNER_UNIQUE] =
			"as the CR3's only owner, without a common clock",
		[VMMPROF_OWNER_KERNEL] = "as the kernel's own address space",
		[VMMPROF_OWNER_UNKNOWN] = "not: CR3 of no known process",
		[VMMPROF_OWNER_NOT_THEN] = "not: CR3 belonged to nobody then",
		[VMMPROF_OWNER_SEVERAL] =
			"not: CR3 has several owners, no common clock",
	};

	return how < sizeof(text) / sizeof(text[0]) ? text[how] : "?";
}

const char *vmmprof_who_text(unsigned int who)
{
	static const char *const text[VMMPROF_NR_WHOS] = {
		[VMMPROF_WHO_NOT_ASKED] = "in user mode",
		[VMMPROF_WHO_IDLE] = "idle, by the function",
		[VMMPROF_WHO_STACK] = "a process, by its kernel stack",
		[VMMPROF_WHO_KTHREAD] = "a kernel thread, by its stack",
		[VMMPROF_WHO_PTI] = "a process, by the user half of its CR3",
		[VMMPROF_WHO_UNKNOWN] = "process unknown",
	};

	return who < VMMPROF_NR_WHOS ? text[who] : "?";
}

const struct vmmprof_clock *vmmprof_report_clock(struct vmmprof_report *r,
						 __u32 g)
{
	const struct vmmprof_resolver *res = &r->a->resolver;
	const struct vmmprof_clock *c;

	if (g + 1 >= res->nr_machines || !res->machines[g + 1] ||
	    res->guests.guests[g].clock_vcpu == VMMPROF_NONE)
		return NULL;
	c = &res->machines[g + 1]->clock;
	return c->nr ? c : NULL;
}
