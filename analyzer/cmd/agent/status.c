// SPDX-License-Identifier: GPL-2.0-only
/* The agent's own metrics. */

#include <stdio.h>

#include "cmd/agent/status.h"
#include "view/metrics.h"
#include <vmmprof/version.h>

static void put_number(FILE *out, const char *name, const char *type,
		       const char *help, __u64 value)
{
	metrics_head(out, name, type, help);
	fprintf(out, "%s %llu\n", name, value);
}

static void put_time(FILE *out, const char *name, const char *type,
		     const char *help, __u64 ns)
{
	metrics_head(out, name, type, help);
	fprintf(out, "%s %llu.%09llu\n", name, ns / 1000000000,
		ns % 1000000000);
}

static void put_spool(FILE *out, const struct spool *s)
{
	static const char dropped[] = "vmmprof_agent_profiles_dropped_total";
	unsigned int i;

	put_number(out, "vmmprof_agent_profiles_produced_total", "counter",
		   "Windows whose profile was to be kept.", s->produced);
	metrics_head(
		out, dropped, "counter",
		"Profiles that nobody took in time, or that were not kept, by the reason.");
	for (i = 0; i < NR_DROPS; i++)
		fprintf(out, "%s{why=\"%s\"} %llu\n", dropped,
			spool_drop_key(i), s->dropped[i]);
	put_number(out, "vmmprof_agent_spool_profiles", "gauge",
		   "Profiles in the spool.", s->files);
	put_number(out, "vmmprof_agent_spool_bytes", "gauge",
		   "Bytes of the profiles in the spool.", s->bytes);
}

void agent_status_text(const struct agent_status *a, const struct spool *s,
		       char *buf, size_t size)
{
	FILE *out = fmemopen(buf, size, "w");

	*buf = '\0';
	if (!out)
		return;
	metrics_head(out, "vmmprof_agent_info", "gauge",
		     "The agent's version.");
	fprintf(out, "vmmprof_agent_info{version=\"%s\"} 1\n", VMMPROF_VERSION);
	put_number(out, "vmmprof_agent_windows_total", "counter",
		   "Windows since the agent began.", a->windows);
	put_number(
		out, "vmmprof_agent_switch_records", "gauge",
		"1: VMs have times; 0: the module writes no switch records, so they have none.",
		a->switches);
	put_time(out, "vmmprof_agent_window_end_timestamp_seconds", "gauge",
		 "When the last window ended.", a->window_end_ns);
	put_time(out, "vmmprof_agent_cpu_seconds_total", "counter",
		 "CPU time of the agent's processes.", a->cpu_ns);
	if (s)
		put_spool(out, s);
	fclose(out);
}
