// SPDX-License-Identifier: GPL-2.0-only
/* The host's CPUs in `vmmprof steal`: busy with which guest, with others, idle. */

#include "view/percent.h"
#include "view/steal.h"
#include "view/steal_matrix_json.h"
#include "view/time_text.h"
#include "base/saturate.h"

/*
 * Parts of a CPU's time; other tasks are known by samples alone.  Where records
 * are missing a CPU that seems idle may have had a vCPU.
 */
struct cpu_parts {
	__u64 all, vcpus, others, unknown, idle;
};

static struct cpu_parts parts_of(const struct timeline *tl,
				 const struct pcpu *p)
{
	struct cpu_parts x = {
		.all = time_ranges_ticks(tl->a->time, tl->begin, tl->end),
		.vcpus = p->vcpus,
	};
	__u64 rest = x.all > p->vcpus ? x.all - p->vcpus : 0;

	x.others = p->samples < rest ? p->samples : rest;
	rest -= x.others;
	x.unknown = p->lossy > p->unknown ? p->lossy : p->unknown;
	if (x.unknown > rest)
		x.unknown = rest;
	x.idle = rest - x.unknown;
	return x;
}

static void put_guest(const struct steal *s, FILE *out, __u32 guest,
		      __u64 ticks, __u64 all)
{
	char name[256];

	steal_guest(s, guest, name, sizeof(name));
	fprintf(out, "     %8.2f  %s\n", percent_of(ticks, all), name);
}

/* The guests of one CPU; *i: its first entry, then the next CPU's. */
static void put_guests(const struct steal *s, FILE *out, const struct pcpu *p,
		       size_t *i, __u64 all)
{
	size_t nr = s->tl->nr_residency, few = 0;
	__u64 ticks, rest = 0;
	__u32 guest;

	while (*i < nr && s->on[*i].cpu == p) {
		guest = s->on[*i].guest;
		for (ticks = 0;
		     *i < nr && s->on[*i].cpu == p && s->on[*i].guest == guest;
		     (*i)++)
			sat_sum(&ticks, s->on[*i].ticks);
		if (ticks >= all / 100) {
			put_guest(s, out, guest, ticks, all);
			continue;
		}
		few++;
		sat_sum(&rest, ticks);
	}
	if (few)
		fprintf(out, "     %8.2f  %zu guest%s with less than 1 %%\n",
			percent_of(rest, all), few, few == 1 ? "" : "s");
}

void steal_cpus_text(const struct steal *s, FILE *out)
{
	const struct timeline *tl = s->tl;
	size_t i, on = 0;

	fputs("\nCPU      vCPUs  other tasks     idle  unknown   (%; other tasks by samples)\n",
	      out);
	for (i = 0; i < tl->nr_pcpus; i++) {
		struct cpu_parts x = parts_of(tl, s->cpus[i]);

		fprintf(out, "%-4u %9.2f %12.2f %8.2f %8.2f\n", s->cpus[i]->cpu,
			percent_of(x.vcpus, x.all), percent_of(x.others, x.all),
			percent_of(x.idle, x.all),
			percent_of(x.unknown, x.all));
		put_guests(s, out, s->cpus[i], &on, x.all);
	}
}

void steal_cpus_json(const struct steal *s, struct json_out *j)
{
	size_t i, on = 0;

	json_out_array(j, "cpus");
	for (i = 0; i < s->tl->nr_pcpus; i++) {
		const struct pcpu *p = s->cpus[i];
		struct cpu_parts x = parts_of(s->tl, p);

		json_out_object(j, NULL);
		json_out_u64(j, "cpu", p->cpu);
		steal_put_ns(j, s->tl, "vcpus_ns", p->vcpus);
		steal_put_ns(j, s->tl, "others_ns", x.others);
		steal_put_ns(j, s->tl, "idle_ns", x.idle);
		steal_put_ns(j, s->tl, "unknown_ns", x.unknown);
		json_out_u64(j, "other_samples", p->nr_samples);
		json_out_u64(j, "idle_samples", p->idle_samples);
		json_out_array(j, "by_vcpu");
		for (; on < s->tl->nr_residency && s->on[on].cpu == p; on++) {
			const struct track *t = s->tl->tracks[s->on[on].track];

			json_out_object(j, NULL);
			json_out_u64(j, "pid", t->pid);
			json_out_u64(j, "thread", t->tid);
			steal_put_ns(j, s->tl, "time_ns", s->on[on].ticks);
			json_out_object_end(j);
		}
		json_out_array_end(j);
		json_out_object_end(j);
	}
	json_out_array_end(j);
}
