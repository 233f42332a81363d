// SPDX-License-Identifier: GPL-2.0-only
/* `vmmprof selftest`: a VM of known work, sampled, and whether that is right. */

#include <cpuid.h>
#include <errno.h>
#include <inttypes.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "cmd/cmd.h"
#include "cmd/options.h"
#include "cmd/out_file.h"
#include "cmd/selftest_json.h"
#include "selftest/checks.h"
#include "selftest/cost.h"
#include "selftest/run.h"
#include "view/safe.h"
#include <vmmprof/version.h>

#define EXIT_NOT_RUN	2
#define DEFAULT_SECONDS 30
#define MOST_SECONDS	3600

/* What each part gets of the time, in percent; the rest is to prepare. */
#define PART_ALONE	45
#define PART_SHARED	17
#define PART_HALTING	5
#define PART_COST	15

struct selftest_cmd {
	__u64 ns;
	__u32 cpu;
	bool json;
	struct out_file out;
	struct selftest t;
	struct checks checks;
	unsigned int told; /* of them */
};

#define AT(member) .at = offsetof(struct selftest_cmd, member)

static const struct option_spec own[] = {
	{ 0, "seconds", "N",
	  "about how long it takes (default: 30); more make tolerances smaller",
	  OPTION_SECONDS, AT(ns), .min = 1, .max = MOST_SECONDS },
	{ 'C', "cpu", "N",
	  "the CPU that it runs on, a quiet one at best (default: the last one)",
	  OPTION_NUMBER, AT(cpu) },
	{ 'o', "output", "FILE",
	  "also write the lines and all figures to FILE, for a report: without names of hosts and addresses of the kernel",
	  OPTION_TEXT, AT(out.name), .value = VALUE_FILE },
	{ 0, "json", NULL, "the result as JSON, when it is over", OPTION_FLAG,
	  AT(json) },
	{ 0 },
};

static void more(FILE *out)
{
	fputs("Exit status: 0 unless a line says fail, then 1; 2: it could not be run.\n",
	      out);
}

const struct options selftest_options = {
	.verb = "selftest",
	.about = "Samples a tiny VM of its own, of which all is known, and tells what of the\n"
		 "samples is right: a line for each check (ok, skip, fail). Run it as root on the\n"
		 "host that is to be profiled.",
	.groups = (const struct option_group[]){ { own, 0 }, { 0 } },
	.more = more,
};

static void tell_to(FILE *out, const struct check *check)
{
	fprintf(out, "%-4s  %-14s  %s\n", selftest_word(check->verdict),
		check->name, check->text);
}

/* The checks that are new. */
static void tell(struct selftest_cmd *c)
{
	for (; c->told < c->checks.nr; c->told++) {
		if (!c->json)
			tell_to(stdout, &c->checks.list[c->told]);
		if (c->out.name)
			tell_to(c->out.out, &c->checks.list[c->told]);
	}
	fflush(stdout);
}

static void put_cpu(FILE *out)
{
	char name[SELFTEST_CPU_NAME];
	unsigned int a = 0, b, c, d;

	selftest_cpu_name(name);
	__get_cpuid(1, &a, &b, &c, &d);
	fprintf(out, "CPU: %s (signature %x)\n", name, a);
}

/* What the host is, but not which. */
static void put_host(const struct selftest_cmd *c)
{
	const struct selftest *t = &c->t;
	const char *const vendors[] = { "none", "VMX", "SVM" };
	FILE *out = c->out.out;
	struct utsname u;

	if (!c->out.name)
		return;
	fprintf(out, "vmmprof %s, module %s\n", VMMPROF_VERSION,
		t->info.version);
	if (!uname(&u))
		fprintf(out, "kernel: %s\n", u.release);
	put_cpu(out);
	fprintf(out,
		"%ld CPUs, TSC %u kHz, %s, features %x, layout of kvm %s, %sa VM\n",
		sysconf(_SC_NPROCESSORS_ONLN), t->info.tsc_khz,
		vendors[t->info.vendor < 3 ? t->info.vendor : 0],
		t->info.features,
		t->layout == LAYOUT_SAME ? "compared" : "not compared",
		t->emulated ? "" : "not ");
}

static void put_list(FILE *out, const char *name, const __u64 *list, size_t nr)
{
	size_t i;

	fprintf(out, "  %s", name);
	for (i = 0; i < nr; i++)
		fprintf(out, " %" PRIu64, (uint64_t)list[i]);
	fputs("\n", out);
}

static void put_figures(const struct selftest_cmd *c, const char *name,
			const struct figures *f)
{
	const struct selftest *t = &c->t;
	FILE *out = c->out.out;
	const __u64 counts[] = { f->samples,   f->lost,	 f->lost_other,
				 f->throttled, f->count, f->period };
	const __u64 guest[] = { f->all,	      f->own,	    f->guest,
				f->in_exits,  f->in_rest,   f->outside,
				f->wrong_cr3, f->wrong_cpl, f->strangers };
	const __u64 halts[] = { f->params.halts,  f->slept,
				f->params.halted, f->asleep,
				f->woken,	  f->polled,
				f->preempted,	  f->params.timer };
	const __u64 chains[] = { f->chains, f->chains_right, f->chains_wrong,
				 f->chains_none };
	const __u64 time[] = { f->elapsed_ns, f->run.ours,     f->run.theirs,
			       f->delay.ours, f->delay.theirs, f->guest_ticks,
			       f->exit_ticks };

	if (!c->out.name)
		return;
	fprintf(out, "\nfigures, %s: event %s, %" PRIu64 " rounds\n", name,
		t->events.choice[0].name, (uint64_t)f->rounds);
	put_list(out, "samples lost lost-other throttled count period", counts,
		 6);
	put_list(
		out,
		"all own guest in-exits in-rest outside wrong-cr3 wrong-cpl strangers",
		guest, 9);
	put_list(out, "loops (known)", f->params.length, GUEST_LOOPS);
	put_list(out, "loops (samples)", f->in_loop, GUEST_LOOPS);
	put_list(out, "contradictions by kind", f->contradictions, NR_CONTRAS);
	put_list(out, "handling CPUID IO HLT NMI IRQ other", f->handling,
		 KNOWN_EXITS);
	put_list(out, "exits CPUID IO HLT NMI IRQ other", f->exits,
		 KNOWN_EXITS);
	put_list(out, "chains all right wrong none", chains, 4);
	put_list(
		out,
		"halts slept; ticks halted asleep woken polled preempted; timer ns",
		halts, 8);
	put_list(
		out,
		"ns elapsed run run-schedstat wait wait-schedstat; ticks guest exits",
		time, 7);
}

static void put_cost(const struct selftest_cmd *c, const char *name,
		     const struct cost_figures *f)
{
	if (!c->out.name)
		return;
	fprintf(c->out.out, "\nfigures, %s\n", name);
	put_list(c->out.out, "ticks without", f->without, f->pairs);
	put_list(c->out.out, "ticks with", f->with, f->pairs);
	put_list(c->out.out, "samples", f->samples, f->pairs);
}

static __u64 part_of(const struct selftest_cmd *c, unsigned int percent)
{
	return c->ns / 100 * percent;
}

static int costs(struct selftest_cmd *c, const struct figures *f,
		 struct error *e)
{
	static const char *const names[] = { "cost on host", "cost in guest" };
	struct cost_figures cost[2];
	int i, ret = 0;

	for (i = 0; !ret && i < 2; i++) {
		ret = cost_measure(&c->t, i, part_of(c, PART_COST), &cost[i],
				   e);
		if (ret)
			break;
		checks_cost(&c->checks, names[i], &cost[i], f);
		tell(c);
	}
	for (i = 0; !ret && i < 2; i++)
		put_cost(c, names[i], &cost[i]);
	return ret;
}

/* So much of the time, judged. */
static int judge(struct selftest_cmd *c, unsigned int percent,
		 enum selftest_kind kind, struct figures *f,
		 void (*checks)(struct checks *c, const struct figures *f),
		 struct error *e)
{
	int ret = selftest_run(&c->t, part_of(c, percent), kind, f, e);

	if (ret)
		return ret;
	checks(&c->checks, f);
	tell(c);
	return 0;
}

static int measure(struct selftest_cmd *c, struct error *e)
{
	struct figures alone, shared, halting;
	int ret = selftest_begin(&c->t, e);

	if (ret)
		return ret;
	put_host(c);
	/* The module learns of KVM by the first exits; not judged. */
	ret = selftest_run(&c->t, 1, SELFTEST_ALONE, &alone, e);
	if (!ret)
		ret = judge(c, PART_ALONE, SELFTEST_ALONE, &alone, checks_alone,
			    e);
	if (!ret)
		ret = judge(c, PART_SHARED, SELFTEST_SHARED, &shared,
			    checks_shared, e);
	if (!ret)
		ret = judge(c, PART_HALTING, SELFTEST_HALTING, &halting,
			    checks_halting, e);
	if (ret)
		return ret;
	put_figures(c, "alone on the CPU", &alone);
	put_figures(c, "beside a spinning thread", &shared);
	put_figures(c, "halting", &halting);
	return costs(c, &alone, e);
}

/* Which failed. */
static void verdict_to(FILE *out, const struct checks *c)
{
	unsigned int bad = checks_count(c, CHECK_BAD), i;
	const char *before = "failed: ";

	fprintf(out, "%s%u ok, %u skipped, %u failed\n",
		out == stdout ? "" : "\n", checks_count(c, CHECK_OK),
		checks_count(c, CHECK_SKIPPED), bad);
	if (!bad) {
		fputs("vmmprof samples this host's guests as it should\n", out);
		return;
	}
	for (i = 0; i < c->nr; i++) {
		if (c->list[i].verdict != CHECK_BAD)
			continue;
		fprintf(out, "%s%s", before, c->list[i].name);
		before = ", ";
	}
	fputs("\n", out);
}

/* Neither good nor bad. */
static void not_run(const struct selftest_cmd *c, const struct error *e)
{
	FILE *const outs[] = { stderr, c->out.name ? c->out.out : NULL };
	char text[4 * sizeof(e->text)];
	unsigned int i, hint;

	safe_text(text, sizeof(text), e->text);
	for (i = 0; i < 2 && outs[i]; i++) {
		fprintf(outs[i], "vmmprof selftest: could not be run: %s\n",
			text);
		for (hint = 0; hint < ERROR_HINTS && e->hints[hint]; hint++)
			fprintf(outs[i], "%s\n", e->hints[hint]);
	}
}

/* The last CPU that this process may run on; false: none is known. */
static bool last_cpu(__u32 *cpu)
{
	size_t size = CPU_ALLOC_SIZE(CPUS_MAX);
	cpu_set_t *set = CPU_ALLOC(CPUS_MAX);
	bool found = false;
	__u32 i;

	if (set && !sched_getaffinity(0, size, set)) {
		for (i = 0; i < CPUS_MAX; i++) {
			if (!CPU_ISSET_S(i, size, set))
				continue;
			*cpu = i;
			found = true;
		}
	}
	CPU_FREE(set);
	return found;
}

static int run(struct selftest_cmd *c)
{
	struct error e = { 0 };
	int ret, status;

	if (!out_file_open(&c->out, false))
		return EXIT_NOT_RUN;
	if (c->out.name)
		out_file_begin(&c->out);
	c->t.cpu = c->cpu;
	ret = measure(c, &e);
	selftest_end(&c->t);
	if (ret) {
		not_run(c, &e);
		status = EXIT_NOT_RUN;
	} else {
		if (!c->json)
			verdict_to(stdout, &c->checks);
		if (c->out.name)
			verdict_to(c->out.out, &c->checks);
		status = checks_count(&c->checks, CHECK_BAD) ? EXIT_ERROR :
							       EXIT_OK;
	}
	if (c->json)
		selftest_json(stdout, &c->t, &c->checks, ret ? &e : NULL);
	if (c->out.name && out_file_end(&c->out, 0) && status == EXIT_OK)
		status = EXIT_NOT_RUN;
	return status;
}

int cmd_selftest(int argc, char **argv)
{
	static struct selftest_cmd c = {
		.ns = DEFAULT_SECONDS * 1000000000ull,
		.cpu = NO_NUMBER,
		.out.verb = "selftest",
	};
	int ret = options_parse(&selftest_options, &c, argc, argv);

	if (ret != OPTIONS_GO_ON)
		return ret;
	if (c.cpu == NO_NUMBER && !last_cpu(&c.cpu))
		c.cpu = 0;
	if (c.cpu >= CPUS_MAX)
		return options_wrong(&selftest_options,
				     "--cpu wants the number of a CPU");
	return run(&c);
}
