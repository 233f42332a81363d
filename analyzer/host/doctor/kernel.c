// SPDX-License-Identifier: GPL-2.0-only
/* Findings: what the kernel lets a tool see of itself and of processes. */

#include <stdlib.h>

#include "host/doctor/doctor.h"

static void symbols(struct doctor *d)
{
	char line[16];

	doctor_line(d, "/proc/sys/kernel/kptr_restrict", line, sizeof(line));
	if (*line == '2')
		doctor_add(d, VMMPROF_WARN, "kptr_restrict",
			   "sysctl kernel.kptr_restrict=1 while recording",
			   "2: the host kernel's functions cannot be named");
	else if (*line)
		doctor_add(d, VMMPROF_FINE, "kptr_restrict", "",
			   "%s: root sees the kernel's symbols", line);
}

/*
 * The sysctl does not concern the module's own counters, but perf_event_open(2)
 * for the mappings of processes (kernel/events/core.c; 3 and 4 are Debian's).
 */
static void paranoid(struct doctor *d)
{
	char line[16];

	if (!doctor_line(d, "/proc/sys/kernel/perf_event_paranoid", line,
			 sizeof(line)))
		doctor_add(d, VMMPROF_FAIL, "perf events",
			   "use a kernel with CONFIG_PERF_EVENTS",
			   "the kernel has none");
	else
		doctor_add(d, VMMPROF_FINE, "perf events", "",
			   "perf_event_paranoid is %s%s", line,
			   strtol(line, NULL, 10) > 1 ?
				   ": needs root or CAP_SYS_ADMIN" :
				   "");
}

static void schedstats(struct doctor *d)
{
	if (doctor_has(d, "/proc/self/schedstat"))
		doctor_add(d, VMMPROF_FINE, "schedstat", "",
			   "there: steal is checked against it");
	else
		doctor_add(
			d, VMMPROF_WARN, "schedstat",
			"use a kernel with CONFIG_SCHED_INFO",
			"none: steal cannot be checked against the scheduler's own account");
}

void doctor_kernel(struct doctor *d)
{
	symbols(d);
	paranoid(d);
	schedstats(d);
}
