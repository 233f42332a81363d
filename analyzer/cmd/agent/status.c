// SPDX-License-Identifier: GPL-2.0-only
/* The agent's own metrics. */

#include <stdio.h>
#include <sys/utsname.h>

#include "cmd/agent/push_book.h"
#include "cmd/agent/status.h"
#include "view/metrics.h"
#include "view/safe.h"
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

static void put_drops(FILE *out, const char *name, const char *help,
		      const char *(*key)(unsigned int why), unsigned int nr,
		      const __u64 *dropped)
{
	unsigned int i;

	metrics_head(out, name, "counter", help);
	for (i = 0; i < nr; i++)
		fprintf(out, "%s{why=\"%s\"} %llu\n", name, key(i), dropped[i]);
}

/* What push says of itself: there may be none. */
static void put_push(FILE *out, const struct book *b)
{
	put_number(out, "vmmprof_push_profiles_sent_total", "counter",
		   "Profiles that the store took.", b->count[PUSH_SENT]);
	put_drops(out, "vmmprof_push_profiles_dropped_total",
		  "Profiles that push dropped, by the reason.", push_drop_key,
		  NR_PUSH_DROPS, b->count);
	put_number(out, "vmmprof_push_tries_failed_total", "counter",
		   "Requests to the store that have to be made again.",
		   b->count[PUSH_FAILED]);
}

static void put_spool(FILE *out, const struct spool *s, __u64 folded)
{
	struct book b;
	bool push = !book_look(&b, &push_book_form, s->dirfd);

	put_number(out, "vmmprof_agent_profiles_produced_total", "counter",
		   "Profiles that were to be kept.",
		   s->book.count[SPOOL_PRODUCED]);
	put_drops(
		out, "vmmprof_agent_profiles_dropped_total",
		"Profiles that nobody took in time, or that were not kept, by the reason.",
		spool_drop_key, NR_DROPS, s->book.count);
	put_number(out, "vmmprof_agent_folded_stacks_total", "counter",
		   "Stacks that did not fit into their profiles.", folded);
	put_number(
		out, "vmmprof_agent_spool_profiles", "gauge",
		"Profiles in the spool, with those of a window that is being sent.",
		s->profiles);
	put_number(out, "vmmprof_agent_spool_bytes", "gauge",
		   "Bytes of the files in the spool.", s->bytes);
	if (push)
		put_push(out, &b);
	book_close(&b);
}

/* Of sessions that it makes by itself. */
static void put_freezes(FILE *out, const struct agent_status *a)
{
	static const char name[] = "vmmprof_agent_freezes_total";

	metrics_head(
		out, name, "counter",
		"Sessions that the agent made of the newest records because a VM had too much steal, by how it went.");
	fprintf(out, "%s{result=\"ok\"} %llu\n", name, a->made);
	fprintf(out, "%s{result=\"failed\"} %llu\n", name, a->failed);
}

/* The host's name is the label of profiles, too. */
static void put_info(FILE *out)
{
	static const char name[] = "vmmprof_agent_info";
	struct utsname uts = { 0 };
	char host[1024];

	uname(&uts);
	safe_text(host, sizeof(host), uts.nodename);
	metrics_head(out, name, "gauge",
		     "The agent's version, and the host's name.");
	fprintf(out, "%s{version=\"%s\"", name, VMMPROF_VERSION);
	metrics_label(out, ",host", host);
	fputs("} 1\n", out);
}

void agent_status_text(const struct agent_status *a, const struct spool *s,
		       char *buf, size_t size)
{
	FILE *out = fmemopen(buf, size, "w");

	*buf = '\0';
	if (!out)
		return;
	put_info(out);
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
	if (a->freezes)
		put_freezes(out, a);
	if (s)
		put_spool(out, s, a->folded);
	fclose(out);
}
