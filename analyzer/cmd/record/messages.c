// SPDX-License-Identifier: GPL-2.0-only
/*
 * What `vmmprof record` tells: why something did not work and what to do, and
 * at the end what was sampled.
 */

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <vmmprof/record.h>

#include "cmd/record/messages.h"
#include <vmmprof/version.h>
#include "base/path_walk.h"
#include "view/safe.h"

#define MAX_CPU_LINES 32

static void hint(const char *text)
{
	fprintf(stderr, "  %s\n", text);
}

static void say_owner(void)
{
	char comm[32];
	int pid;

	if (device_owner("", &pid, comm, sizeof(comm)))
		record_say(
			"somebody else is recording: the module serves one session at a time");
	else
		record_say("somebody else is recording: process %d (%s)", pid,
			   comm);
	hint("Wait for it to end, or end it; its session stays readable.");
}

void record_say_device(int err, const struct device *dev)
{
	switch (err) {
	case -ENOENT:
	case -ENXIO:
	case -ENODEV:
		record_say(VMMPROF_DEVICE
			   " is not there: the module vmmprof is not loaded");
		hint("Load it with `modprobe vmmprof`.");
		hint("From the source tree: `make kmod`, then `insmod vmmprof.ko`.");
		break;
	case -EACCES:
	case -EPERM:
		record_say("not allowed to open " VMMPROF_DEVICE ": %s",
			   strerror(-err));
		hint("Run it as root; or be in the device's group and have CAP_PERFMON.");
		hint("Lockdown or a security module (SELinux) may forbid it, as perf events.");
		break;
	case -EBUSY:
		say_owner();
		break;
	case -EPROTO:
		record_say(
			"the loaded module speaks ABI %u, this program (%s) ABI %u",
			dev->info.abi, VMMPROF_VERSION, VMMPROF_ABI);
		hint("Build both from one source, then `rmmod vmmprof` and load the new one.");
		break;
	default:
		record_say("cannot open " VMMPROF_DEVICE ": %s",
			   strerror(-err));
	}
}

void record_say_layout(const struct record_options *opts, enum layout_verdict v,
		       const char *text)
{
	if (v == LAYOUT_DIFFERS) {
		record_say(
			"warning: guests are not sampled: vmmprof.ko was built for another kvm than the one that runs: %s",
			text);
		hint("Build the module for this kernel and its kvm (`make kmod`),");
		hint("then `rmmod vmmprof` and load the new one.");
	} else if (v == LAYOUT_UNKNOWN && opts->verbose) {
		record_say(
			"that vmmprof.ko was built for the kvm that runs is not verified: %s",
			text);
	}
}

void record_say_guests(const struct vmmprof_info *info)
{
	if (info->vendor == VMMPROF_VENDOR_NONE ||
	    info->features & VMMPROF_FEAT_GUEST)
		return;
	record_say(
		"warning: guests are not sampled: in a kernel without CONFIG_KALLSYMS the module cannot find KVM's own");
}

/* What to do about a place that is not safe to write to. */
static void hint_place(int err)
{
	switch (-err) {
	case ELOOP:
	case VMMPROF_ELINK:
		hint("Name the directory where it is (realpath(1) prints that).");
		break;
	case VMMPROF_EOWNER:
		hint("Its owner could remove and exchange what is written.");
		hint("Name a directory that is not there yet: it will be yours.");
		break;
	case VMMPROF_EWRITERS:
		hint("They could remove and exchange what is written.");
		hint("chmod go-w it, or name a directory that is not there yet.");
		break;
	case VMMPROF_EPARENT:
		hint("Everybody may write to the directory that it is in.");
		hint("chmod +t that one, or name a directory that is not there yet.");
		break;
	}
}

void record_say_session(int err, const char *dir, bool force)
{
	switch (err) {
	case -EEXIST:
		record_say("there is a session in '%s' already", dir);
		hint("Choose another directory with -o, or replace it with --force.");
		break;
	case -ENOTEMPTY:
		record_say(
			"'%s' holds files that are not a session's: nothing in it is touched%s",
			dir, force ? ", not even with --force" : "");
		hint("Choose another directory with -o.");
		break;
	default:
		record_say("cannot write the session '%s': %s", dir,
			   err == -ELOOP ? "it is a symbolic link" :
					   path_walk_strerror(err));
		hint_place(err);
	}
}

static const char *why_refused(int err, bool mediated)
{
	if (mediated && err == -EOPNOTSUPP)
		return "KVM's mediated vPMU is in use by a VM";
	switch (err) {
	case -ENOENT:
		return "this CPU has no performance counter for it";
	case -EOPNOTSUPP:
	case -ENODEV:
		return "no performance counters that interrupt (a VM without a vPMU?)";
	case -EINVAL:
		return "the event or its period is not one the counters take";
	case -EBUSY:
		return "the performance counters are taken";
	default:
		return strerror(-err);
	}
}

void record_say_setup(int err, const struct event_list *events,
		      const struct setup_error *where, uint32_t features)
{
	bool mediated = features & VMMPROF_FEAT_MEDIATED;

	if (where->event == VMMPROF_NONE && err == -ENOMEM) {
		record_say("no memory for the rings");
		hint("Choose smaller ones with -m.");
		return;
	}
	if (where->event == VMMPROF_NONE) {
		record_say("the module refuses the settings: %s",
			   strerror(-err));
		if (mediated && err == -EOPNOTSUPP)
			hint("KVM's mediated vPMU is on: -e cpu-clock, or --force-pmu.");
		if (err == -EINVAL)
			hint("cpu-clock takes no period below 10000 ns.");
		return;
	}
	record_say("event '%s' on CPU %u: %s",
		   events->choice[where->event].name, where->cpu,
		   why_refused(err, mediated));
	hint("Choose another with -e; cpu-clock works everywhere, but is no NMI.");
	hint("`vmmprof record --help` lists the names; the machine may lack some.");
}

void record_say_no_switches(int err)
{
	record_say("warning: no switch records: %s",
		   err == -EINVAL ? "the loaded module cannot write them" :
		   err == -ENODEV ? "the kernel has no tracepoints" :
				    strerror(-err));
	hint("Steal and halt are then told from samples alone (man vmmprof-steal).");
	if (err == -EINVAL)
		hint("Build both from one source, then `rmmod vmmprof` and load the new one.");
}

void record_trigger_text(const struct event_list *events, char *buf,
			 size_t size)
{
	bool hardware = false, timer = false;
	size_t used = 0;
	unsigned int i;

	buf[0] = '\0';
	for (i = 0; i < events->nr; i++) {
		if (event_is_hardware(&events->choice[i].event))
			hardware = true;
		else
			timer = true;
		if (used < size)
			used += snprintf(buf + used, size - used, "%s%s",
					 i ? "+" : "", events->choice[i].name);
	}
	if (used < size)
		snprintf(buf + used, size - used, ", %s",
			 !timer	   ? "hardware" :
			 !hardware ? "timer" :
				     "hardware and timer");
}

/* A pinned event without a counter, and what usually has the counter. */
static void say_no_counter(unsigned int cpu, const char *name)
{
	record_say("warning: CPU %u did not count '%s': no counter is free",
		   cpu, name);
	hint("Fewer events; or `sysctl kernel.nmi_watchdog=0` frees a counter.");
}

void record_say_events(const struct vmmprof_cpu_stat *stat,
		       const struct event_list *events)
{
	unsigned int i;

	for (i = 0; i < events->nr && i < stat->nr_events; i++) {
		const struct vmmprof_event_stat *e = &stat->events[i];
		const char *name = events->choice[i].name;

		if (e->state == VMMPROF_EV_ERROR) {
			say_no_counter(stat->cpu, name);
			continue;
		}
		if (e->state == VMMPROF_EV_FAILED) {
			record_say(
				"warning: CPU %u could not count '%s' after it came online: %s",
				stat->cpu, name, strerror(-e->error));
			continue;
		}
		if (e->state == VMMPROF_EV_OFF)
			continue;
		/* a read is not atomic: less than 0.1 % is none */
		if (e->running_ns < e->enabled_ns - e->enabled_ns / 1000)
			record_say(
				"warning: CPU %u counted '%s' %.1f %% of the time only",
				stat->cpu, name,
				100.0 * e->running_ns / e->enabled_ns);
		if (e->throttled)
			record_say(
				"warning: perf throttled '%s' on CPU %u %" PRIu64
				" times: sample less often, or raise kernel.perf_event_max_sample_rate",
				name, stat->cpu, (uint64_t)e->throttled);
	}
}

/* Was an event of it ever armed?  If not, the CPU was offline. */
static bool was_online(const struct vmmprof_cpu_stat *stat)
{
	unsigned int i;

	for (i = 0; i < stat->nr_events; i++)
		if (stat->events[i].enabled_ns)
			return true;
	return stat->samples;
}

static void say_total(const struct record_options *opts,
		      const struct event_list *events,
		      const struct vmmprof_cpu_stat *sum, unsigned int nr,
		      uint64_t switches, double seconds)
{
	char trigger[512];

	record_trigger_text(events, trigger, sizeof(trigger));
	record_say("%" PRIu64 " samples, %" PRIu64
		   " lost, on %u CPU%s in %.3f s; %" PRIu64
		   " bytes of records in '%s'",
		   (uint64_t)sum->samples, (uint64_t)sum->lost, nr,
		   nr == 1 ? "" : "s", seconds, (uint64_t)sum->bytes,
		   opts->dir);
	if (switches)
		record_say("%" PRIu64 " switch records of vCPUs' threads",
			   switches);
	record_say("trigger: %s", trigger);
}

static void say_each(const struct vmmprof_cpu_stat *stats, unsigned int nr,
		     bool verbose)
{
	unsigned int i;

	if (nr > MAX_CPU_LINES && !verbose) {
		hint("-v shows each CPU.");
		return;
	}
	for (i = 0; i < nr; i++)
		fprintf(stderr,
			"  CPU %-4u %10" PRIu64 " samples %8" PRIu64
			" lost %12" PRIu64 " bytes%s\n",
			stats[i].cpu, (uint64_t)stats[i].samples,
			(uint64_t)stats[i].lost, (uint64_t)stats[i].bytes,
			was_online(&stats[i]) ? "" : " (offline)");
}

void record_say_summary(const struct record_options *opts,
			const struct event_list *events,
			const struct vmmprof_cpu_stat *stats, unsigned int nr,
			uint64_t switches, uint64_t names, double seconds)
{
	struct vmmprof_cpu_stat sum = { 0 };
	unsigned int i, sampled = 0;

	for (i = 0; i < nr; i++) {
		sum.samples += stats[i].samples;
		sum.lost += stats[i].lost;
		sum.lost_other += stats[i].lost_other;
		sum.bytes += stats[i].bytes;
		sampled += was_online(&stats[i]);
	}
	if (!opts->quiet) {
		say_total(opts, events, &sum, sampled, switches, seconds);
		say_each(stats, nr, opts->verbose);
	}
	if (sum.lost)
		record_say(
			"warning: %" PRIu64
			" samples were lost: larger rings (-m), or sample less often (-c, -F)",
			(uint64_t)sum.lost);
	if (names)
		record_say(
			"warning: %" PRIu64
			" SWITCH records were left out of rings half full: who took steal then is not known: larger rings (-m)",
			names);
	if (sum.lost_other > names)
		record_say(
			"warning: %" PRIu64
			" records of switches and vCPUs were lost: larger rings (-m)",
			(uint64_t)sum.lost_other - names);
}
