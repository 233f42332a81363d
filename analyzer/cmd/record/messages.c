// SPDX-License-Identifier: GPL-2.0-only
/*
 * Messages of `vmmprof record`: why something did not work and what to do, and
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
#include "view/safe.h"

#define MAX_CPU_LINES 32

static void hint(const char *text)
{
	fprintf(stderr, "  %s\n", text);
}

void record_say_error(const struct error *e)
{
	unsigned int i;

	record_say("%s", e->text);
	for (i = 0; i < ERROR_HINTS && e->hints[i]; i++)
		hint(e->hints[i]);
}

void record_say_unwritten(const char *dir, int err)
{
	record_say("cannot write the session '%s': %s", dir, strerror(-err));
}

static void hint_unwritten(int err)
{
	if (err == -EFBIG)
		hint("Files may not be larger than `ulimit -f` says: raise it.");
	else if (err == -ENOSPC || err == -EDQUOT)
		hint("Make room, or name another place with -o.");
	else if (err == -EIO)
		hint("The disk fails (`dmesg` says how): name another place with -o.");
}

void record_say_records(unsigned int cpu, int err)
{
	record_say("cannot write the records of CPU %u: %s", cpu,
		   strerror(-err));
	hint_unwritten(err);
}

void record_say_unsynced(const char *dir, const char *name, int err)
{
	record_say(
		"the session '%s' is not complete: cannot write its file %s: %s",
		dir, name, strerror(-err));
	hint_unwritten(err);
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
	} else if (v != LAYOUT_SAME && opts->verbose) {
		record_say(
			"that vmmprof.ko was built for the kvm that runs is not verified: %s",
			text);
	}
}

void record_say_kvm(const struct record_options *opts, enum layout_verdict v,
		    const char *text)
{
	if (v != LAYOUT_DIFFERS && !opts->quiet)
		record_say(
			"KVM was loaded: its guests are sampled from now on");
	record_say_layout(opts, v, text);
}

void record_say_guests(const struct vmmprof_info *info)
{
	if (info->vendor == VMMPROF_VENDOR_NONE ||
	    info->features & VMMPROF_FEAT_GUEST)
		return;
	record_say(
		"warning: guests are not sampled: in a kernel without CONFIG_KALLSYMS the module cannot find KVM's own");
}

void record_say_no_switches(int err)
{
	record_say("warning: no switch records: %s",
		   err == -EINVAL ? "the loaded module cannot write them" :
		   err == -ENODEV ? "the kernel has no tracepoints" :
				    strerror(-err));
	hint("Steal and halt are then told from samples alone (man vmmprof-steal).");
	if (err == -EINVAL)
		hint(DEVICE_REBUILD);
}

void record_say_no_exits(const char *why)
{
	record_say("--exits: VM exits cannot be counted: %s", why);
	hint("Record without --exits, or:");
	hint(DEVICE_REBUILD);
}

void record_say_no_chains(void)
{
	record_say("-g: the loaded module is older and takes no call chains");
	hint("Leave -g out, or:");
	hint(DEVICE_REBUILD);
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

/* A pinned event got no counter; says what usually holds one. */
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
		/* the times are not read atomically: ignore less than 0.1 % */
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
			uint64_t switches, uint64_t names, uint64_t chains,
			double seconds)
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
	if (chains)
		record_say(
			"warning: %" PRIu64
			" call chains were left out of rings half full: larger rings (-m), or sample less often (-c, -F)",
			chains);
	names += chains;
	if (sum.lost_other > names)
		record_say(
			"warning: %" PRIu64
			" records of switches and vCPUs were lost: larger rings (-m)",
			(uint64_t)sum.lost_other - names);
}
