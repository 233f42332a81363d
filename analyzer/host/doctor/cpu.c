// SPDX-License-Identifier: GPL-2.0-only
/* Findings: virtualization, performance counters and their users, the TSC. */

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/doctor/doctor.h"
#include "os/proc_file.h"

#define CPUINFO_BYTES 8192 /* the first CPU's part */
#define PMUS	      "/sys/bus/event_source/devices/"

/* Is the word in the first CPU's flags? */
static bool has_flag(const char *cpuinfo, const char *flag)
{
	const char *at = strstr(cpuinfo, "\nflags"), *end;
	size_t len = strlen(flag);

	end = at ? strchr(at + 1, '\n') : NULL;
	while (at && (at = strstr(at, flag)) && (!end || at < end)) {
		if (at[-1] == ' ' && (at[len] == ' ' || at[len] == '\n'))
			return true;
		at += len;
	}
	return false;
}

static void virtualization(struct doctor *d, const char *cpuinfo)
{
	d->vmx = has_flag(cpuinfo, "vmx");
	d->svm = has_flag(cpuinfo, "svm");
	if (d->vmx || d->svm)
		doctor_add(d, VMMPROF_FINE, "CPU", "",
			   "%s: guests are sampled, too",
			   d->vmx ? "VT-x" : "AMD-V");
	else
		doctor_add(
			d, VMMPROF_WARN, "CPU",
			"enable VT-x or AMD-V (SVM) in the firmware, or nested virtualization if this is a VM",
			"neither VT-x nor AMD-V: only the host can be sampled");
}

static void counters(struct doctor *d)
{
	if (doctor_has(d, PMUS "cpu_core"))
		doctor_add(
			d, VMMPROF_WARN, "counters", "",
			"hybrid CPU: events are opened on the PMU of each core; periods of P- and E-cores do not compare");
	else if (doctor_has(d, PMUS "cpu/events/cpu-cycles") &&
		 !doctor_has(d, PMUS "cpu/events/ref-cycles"))
		doctor_add(
			d, VMMPROF_FINE, "counters", "",
			"the CPU's own: sampled by NMI; ref-cycles is not among their events, so cycles is the default, of which a fast clock has more");
	else if (doctor_has(d, PMUS "cpu"))
		doctor_add(d, VMMPROF_FINE, "counters", "",
			   "the CPU's own: sampled by NMI");
	else
		doctor_add(
			d, VMMPROF_WARN, "counters",
			"if this is a VM, give it a virtual PMU",
			"none: the trigger is the CPU clock, a timer interrupt, which does not see code that runs with interrupts off");
}

static void watchdog(struct doctor *d)
{
	const char *held = "holds one counter of each CPU: cycles may find none";
	char line[16];

	if (!doctor_line(d, "/proc/sys/kernel/nmi_watchdog", line,
			 sizeof(line)))
		return;
	/* APM volume 2, "Performance Monitoring Counters": none is fixed. */
	if (d->svm)
		held = "holds one counter of each CPU, of six (four before Family 15h)";
	if (*line == '0')
		doctor_add(d, VMMPROF_FINE, "NMI watchdog", "", "off");
	else
		doctor_add(d, VMMPROF_WARN, "NMI watchdog",
			   "sysctl kernel.nmi_watchdog=0 while recording", "%s",
			   held);
}

static void sample_rate(struct doctor *d)
{
	char line[32];
	long rate;

	if (!doctor_line(d, "/proc/sys/kernel/perf_event_max_sample_rate", line,
			 sizeof(line)))
		return;
	rate = strtol(line, NULL, 10);
	if (rate >= 4000)
		doctor_add(d, VMMPROF_FINE, "sample rate", "",
			   "up to %ld a second on a CPU", rate);
	else
		doctor_add(
			d, VMMPROF_WARN, "sample rate",
			"sysctl kernel.perf_event_max_sample_rate=100000 kernel.perf_cpu_time_max_percent=0",
			"the kernel has lowered it to %ld a second: samples will be throttled",
			rate);
}

static void clocks(struct doctor *d, const char *cpuinfo)
{
	char line[32];

	if (!doctor_line(
		    d,
		    "/sys/devices/system/clocksource/clocksource0/current_clocksource",
		    line, sizeof(line)))
		return;
	if (!strcmp(line, "tsc") || !strcmp(line, "kvm-clock"))
		doctor_add(d, VMMPROF_FINE, "TSC", "", "%s%s", line,
			   has_flag(cpuinfo, "nonstop_tsc") ? ", nonstop" : "");
	else
		doctor_add(
			d, VMMPROF_WARN, "TSC",
			"if it is sound: boot with tsc=reliable",
			"the kernel's clock is %s: if TSCs differ between CPUs, so do times",
			line);
}

static void nohz(struct doctor *d)
{
	char line[64];

	if (doctor_line(d, "/sys/devices/system/cpu/nohz_full", line,
			sizeof(line)) &&
	    *line >= '0' && *line <= '9')
		doctor_add(
			d, VMMPROF_WARN, "nohz_full",
			"record -c PERIOD, not -F; -C leaves CPUs out",
			"CPUs %s run without ticks: a sampling frequency would bring the ticks back",
			line);
}

void doctor_cpu(struct doctor *d)
{
	static char cpuinfo[CPUINFO_BYTES];
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/proc/cpuinfo", d->root);
	cpuinfo[0] = '\0';
	proc_file_read(path, cpuinfo, sizeof(cpuinfo));
	virtualization(d, cpuinfo);
	counters(d);
	watchdog(d);
	sample_rate(d);
	clocks(d, cpuinfo);
	nohz(d);
}
