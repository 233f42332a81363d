// SPDX-License-Identifier: GPL-2.0-only
/* vmmprof export: a session in the formats of other programs. */

#include "cmd/choose.h"
#include "cmd/cmd.h"
#include "cmd/load.h"
#include "cmd/time_option.h"
#include "cmd/out_file.h"
#include "cmd/slice_pass.h"
#include "model/guest_time.h"
#include "view/export.h"
#include "view/export_per_vm.h"
#include "view/export_perf_script.h"
#include "view/metrics.h"
#include "view/timeline.h"
#include "model/pass.h"

/* Counts kept by time, for formats ordered by time: about 100 MiB. */
#define COUNTS_MAX 2000000

static const struct export_format {
	const char *name;
	bool binary;
	/* of entries; NULL: the pass itself writes */
	int (*put)(const struct export_data *x, FILE *out);
	bool over_time; /* in the order of time */
	bool stacks;	/* with chains, if there are any */
	bool addresses; /* frames have theirs, and lines of what is inlined */
	bool samples;	/* the pass writes samples, else a trace of states */
	bool metrics;	/* sums of vCPUs' time */
} formats[] = {
	{ "folded", .put = export_folded, .stacks = true },
	{ "pprof", .binary = true, .put = export_pprof, .stacks = true,
	  .addresses = true },
	{ "speedscope", .put = export_speedscope, .over_time = true,
	  .stacks = true },
	{ "firefox", .put = export_firefox, .over_time = true, .stacks = true },
	{ "perf-script", .samples = true, .stacks = true },
	{ "perfetto", .binary = true, .stacks = true },
	{ "csv", .put = export_csv },
	{ "json", .put = export_json },
	{ "prometheus", .metrics = true },
};

struct export_cmd {
	struct session_load load;
	struct time_option time;
	struct out_file file;
	unsigned int format;
	struct chosen chosen;
	bool samples_only, no_chains, inlines, per_vm;
	struct option_words levels; /* numbers in levels[] */
};

static const char *format_name(int i)
{
	return i < (int)(sizeof(formats) / sizeof(formats[0])) ?
		       formats[i].name :
		       NULL;
}

static const enum sort levels[] = { SORT_VM,	  SORT_VCPU, SORT_CONTAINER,
				    SORT_PROCESS, SORT_PID,  SORT_TID };
#define NR_LEVELS (sizeof(levels) / sizeof(levels[0]))

static const char *level_name(int i)
{
	return i < (int)NR_LEVELS ? sort_name(levels[i]) : NULL;
}

#define AT(member) .at = offsetof(struct export_cmd, member)

static const struct option_spec own[] = {
	{ 'f', "format", "FORMAT",
	  "folded      flamegraph.pl, inferno: guest;vcpu;\n"
	  "            process;module;function weight\n"
	  "pprof       go tool pprof: gzipped protobuf\n"
	  "speedscope  www.speedscope.app\n"
	  "firefox     profiler.firefox.com\n"
	  "perf-script FlameScope, stackcollapse-perf.pl:\n"
	  "            the text of `perf script`\n"
	  "perfetto    ui.perfetto.dev: vCPUs' states over\n"
	  "            time\n"
	  "csv, json\n"
	  "prometheus  metrics: the sums of `vmmprof steal`",
	  OPTION_WORD, AT(format), .word = format_name, .required = true },
	{ 'o', "output", "FILE", "write FILE (default: standard output)",
	  OPTION_TEXT, AT(file.name), .value = VALUE_FILE },
	{ 0, "levels", "KEY[,KEY...]",
	  "what stands above the functions of folded stacks: %s (default: vm,vcpu,process)",
	  OPTION_WORDS, AT(levels), .word = level_name,
	  .aliases = "comm=process" },
	{ 0, "per-vm", NULL,
	  "a profile of each VM, of the time with a CPU and of that without, as stores of profiles take them: an archive of tar",
	  OPTION_FLAG, AT(per_vm) },
	{ 0, "samples-only", NULL,
	  "without the time in which no guest code ran: [vmm], [steal], [halt], [blocked], [unknown]",
	  OPTION_FLAG, AT(samples_only) },
	{ 0, "inline", NULL,
	  "functions that the compiler put into others are frames of chains, in pprof lines of locations, by the debugging information of files",
	  OPTION_FLAG, AT(inlines) },
	{ 'G', "hide-call-graph", NULL,
	  "functions without the call chains that a session has", OPTION_FLAG,
	  AT(no_chains) },
	{ 0 },
};

static const struct option_group groups[] = {
	{ load_options, offsetof(struct export_cmd, load) },
	{ time_options, offsetof(struct export_cmd, time) },
	{ own, 0 },
	{ choose_options, offsetof(struct export_cmd, chosen) },
	{ load_bundle_options, offsetof(struct export_cmd, load) },
	{ names_options, 0 },
	{ names_server_options, 0 },
	{ 0 },
};

static const struct option_rule rules[] = {
	LOAD_RULE,
	{ "hide-call-graph", NOT_WITH,
	  "format=csv format=json format=prometheus", "it has no call chains" },
	{ "inline", NOT_WITH,
	  "hide-call-graph format=csv format=json format=prometheus",
	  "it is about the call chains of the other formats" },
	{ "levels", ONLY_WITH, "format=folded",
	  "other formats have the same as labels or columns" },
	{ "per-vm", ONLY_WITH, "format=pprof",
	  "profiles of others are not for stores" },
	{ "samples-only", NOT_WITH, "per-vm",
	  "time with a CPU and time without are profiles of their own" },
	{ "guest event samples-only", NOT_WITH,
	  "format=perfetto format=prometheus",
	  "it has the states of all vCPUs, not samples" },
	{ 0 },
};

const struct options export_options = {
	.verb = "export",
	.forms = (const char *const[]){ "--format=FORMAT [OPTIONS] [DIR]",
					NULL },
	.about = "Write a session in the format of another program.",
	.groups = groups,
	.rules = rules,
	.operand = LOAD_OPERAND(struct export_cmd),
};

/* Has this export chains?  0 or -errno. */
static int look_for_chains(const struct export_cmd *c, struct analysis *a,
			   bool *ret)
{
	*ret = false;
	if (c->no_chains || !formats[c->format].stacks)
		return 0;
	return chain_pass_look(a, ret);
}

/* The levels that were asked for, in @to, or those of default. */
static size_t take_levels(const struct export_cmd *c, enum sort to[NR_LEVELS])
{
	size_t i;

	if (!c->levels.nr) {
		to[0] = SORT_VM;
		to[1] = SORT_VCPU;
		to[2] = SORT_PROCESS;
		return 3;
	}
	for (i = 0; i < c->levels.nr; i++)
		to[i] = levels[c->levels.at[i]];
	return c->levels.nr;
}

/* What buckets tell apart for these levels. */
static unsigned int keep_for(const struct export_cmd *c)
{
	enum sort to[NR_LEVELS];
	size_t nr = take_levels(c, to), i;

	for (i = 0; i < nr; i++)
		if (to[i] == SORT_TID)
			return KEEP_TID;
	return 0;
}

/* Stores take profiles of time, which was at some time.  Prints if not. */
static bool fits_stores(const struct export_data *x)
{
	if ((!x->timed || !x->khz) && !x->period_ns)
		fprintf(stderr,
			"vmmprof export: no profiles: %s counts no time, and there are no switch records\n",
			x->event);
	else if (!x->real_ns)
		fputs("vmmprof export: no profiles: the session does not say when it was\n",
		      stderr);
	else
		return true;
	return false;
}

static int put_per_vm(const struct export_data *x, FILE *out)
{
	struct per_vm done;
	int err = export_per_vm(x, &done, out);

	if (!err && done.folded)
		fprintf(stderr,
			"vmmprof export: warning: %llu stacks with %llu.%03llu s did not fit, and are [other]\n",
			done.folded, done.folded_ns / 1000000000,
			done.folded_ns / 1000000 % 1000);
	return err;
}

static int put(struct export_cmd *c, struct report *r,
	       const struct timeline *tl, const struct slices *slices,
	       struct chain_pass *chained)
{
	const struct chain_tree *tree = chained ? &chained->tree : NULL;
	const bool over_time = formats[c->format].over_time;
	struct chain_stacks stacks = { 0 };
	struct time_chains chains = { 0 };
	struct time_series over = { 0 };
	struct entries entries = { 0 };
	enum sort to[NR_LEVELS];
	struct export_data x;
	bool refused = false;
	int err;

	err = names_init(&r->names, r->a);
	r->names.tl = tl;
	if (!err)
		err = entries_init_thieves(&entries, r, over_time);
	if (!err && over_time)
		err = time_series_init(&over, r, &entries, slices,
				       tree ? time_chains_width(chained) : 0);
	if (!err && over_time && tree)
		err = time_chains_init(&chains, &over, &entries, &r->names,
				       chained, slices);
	if (!err && !over_time && tree)
		err = chain_stacks_init(
			&stacks, r, tree,
			chain_pass_timed(chained) ? &chained->waits : NULL,
			&entries);
	if (!err) {
		export_init(&x, r, &entries, tl);
		refused = c->per_vm && !fits_stores(&x);
	}
	if (!err && !refused)
		err = out_file_begin(&c->file);
	if (!err && !refused) {
		x.over = &over;
		x.levels = to;
		x.nr_levels = take_levels(c, to);
		x.stacks = tree && !over_time ? &stacks : NULL;
		x.inlines = c->inlines && tree ? &chained->inlines : NULL;
		x.chains = tree && over_time ? &chains : NULL;
		err = c->per_vm ? put_per_vm(&x, c->file.out) :
				  formats[c->format].put(&x, c->file.out);
	}
	chain_stacks_deinit(&stacks);
	time_chains_deinit(&chains);
	time_series_deinit(&over);
	entries_deinit(&entries);
	names_deinit(&r->names);
	return refused ? EXIT_ERROR : out_file_end(&c->file, err);
}

/* Have locations of chains addresses, or only functions? */
static bool with_addresses(const struct export_cmd *c)
{
	return formats[c->format].addresses && !c->per_vm;
}

/* The pass of formats without an order of time. */
static int pass(const struct export_cmd *c, struct analysis *a,
		struct timeline *tl, struct chain_pass *chains, bool chained)
{
	unsigned int keep = keep_for(c);
	int err;

	if (!chained)
		return tl ? timeline_run(tl, keep) :
			    analysis_run(a, keep, NULL, NULL);
	err = chain_pass_init(chains, a, tl ? timeline_record : NULL, tl);
	chains->tree.addresses = with_addresses(c);
	chains->tree.threads = keep & KEEP_TID;
	if (tl)
		chain_pass_time(chains, tl);
	if (c->inlines && !chains->tree.addresses)
		chain_pass_inlines(chains);
	if (!err)
		err = chain_pass_run(chains, keep);
	if (!err && c->inlines && chains->tree.addresses)
		err = chain_pass_find_inlines(chains);
	return err || !tl ? err : timeline_finish(tl);
}

/* Counts of samples and of time by slices of time. */
struct sliced {
	struct slices all;
	struct chain_slices chains, waits;
};

/* The pass of formats in the order of time. */
static int pass_over_time(const struct export_cmd *c, struct analysis *a,
			  struct timeline *tl, struct sliced *s,
			  struct chain_pass *chains, bool chained)
{
	__u64 end;
	int err;

	err = slice_pass_begin(a, tl, &s->all, &end);
	if (err || !chained)
		return err ? err :
			     slice_pass_run(&s->all, 0, COUNTS_MAX, end, NULL);
	err = chain_pass_init(chains, a, NULL, NULL);
	chain_slices_init(&s->chains, &s->all, TIME_SERIES_PARTS);
	chains->slices = &s->chains;
	if (timeline_exact(tl) && !c->samples_only) {
		chain_pass_time(chains, tl);
		chain_slices_init(&s->waits, &s->all, TIME_SERIES_PARTS);
		chains->waits.slices = &s->waits;
	}
	if (c->inlines)
		chain_pass_inlines(chains);
	return err ? err : slice_pass_run(&s->all, 0, COUNTS_MAX, end, chains);
}

static int run_samples(struct export_cmd *c, struct analysis *a,
		       struct timeline *tl)
{
	const struct vmmprof_info_switches *sw = a->session.switches;
	bool timed = sw && sw->on && !c->samples_only;
	struct report r = report_of(c->load.dir, a);
	size_t warned = a->session.problems.nr;
	struct chain_pass chains = { 0 };
	struct sliced s = { 0 };
	bool chained;
	int err;

	r.tl = timed ? tl : NULL;
	err = look_for_chains(c, a, &chained);
	if (err)
		return load_failed("export", err);
	if (formats[c->format].over_time)
		err = pass_over_time(c, a, tl, &s, &chains, chained);
	else
		err = pass(c, a, timed ? tl : NULL, &chains, chained);
	if (!err && timed)
		err = guest_time_spread(tl);
	if (!err && timed && chained && !formats[c->format].over_time)
		err = guest_time_leaves(&chains.tree, &a->profile);
	print_warnings(&a->session.problems, warned);
	if (err)
		err = load_failed("export", err);
	else if (!choose("export", a, &c->chosen, &r))
		err = EXIT_ERROR;
	else
		err = put(c, &r, tl, &s.all, chained ? &chains : NULL);
	chain_pass_deinit(&chains);
	chain_slices_deinit(&s.chains);
	chain_slices_deinit(&s.waits);
	slices_deinit(&s.all);
	return err;
}

/* Has the session switch records?  Prints if not. */
static bool has_switches(const struct analysis *a)
{
	if (a->session.switches && a->session.switches->on)
		return true;
	fputs("vmmprof export: the session has no switch records, without which it is\n"
	      "not known who ran when\n",
	      stderr);
	return false;
}

static int run_metrics(struct export_cmd *c, struct analysis *a,
		       struct timeline *tl)
{
	size_t warned = a->session.problems.nr;
	struct metrics m = { 0 };
	int err;

	if (!has_switches(a))
		return EXIT_ERROR;
	if (!tl->khz) {
		fputs("vmmprof export: the session does not say how long a tick of its TSC is\n",
		      stderr);
		return EXIT_ERROR;
	}
	err = timeline_run(tl, 0);
	print_warnings(&a->session.problems, warned);
	if (!err)
		err = metrics_add(&m, tl);
	if (err) {
		metrics_deinit(&m);
		return load_failed("export", err);
	}
	m.samples = a->counts.samples;
	m.lost = a->counts.lost;
	err = out_file_begin(&c->file);
	if (!err)
		metrics_put(&m, c->file.out);
	metrics_deinit(&m);
	return out_file_end(&c->file, err);
}

static int run_perfetto(struct export_cmd *c, struct analysis *a,
			struct timeline *tl)
{
	size_t warned = a->session.problems.nr;
	int err;

	if (!has_switches(a))
		return EXIT_ERROR;
	err = out_file_begin(&c->file);
	if (!err)
		err = perfetto_write(tl, !c->no_chains, c->inlines,
				     c->file.out);
	print_warnings(&a->session.problems, warned);
	return out_file_end(&c->file, err);
}

static int run_perf_script(struct export_cmd *c, struct analysis *a,
			   struct timeline *tl)
{
	const struct vmmprof_info_switches *sw = a->session.switches;
	struct report r = report_of(c->load.dir, a);
	struct perf_script p = { .r = &r,
				 .tl = tl,
				 .stolen = sw && sw->on && !c->samples_only,
				 .inlines = c->inlines };
	size_t warned = a->session.problems.nr;
	int err;

	if (!choose("export", a, &c->chosen, &r))
		return EXIT_ERROR;
	err = look_for_chains(c, a, &p.chains);
	if (!err)
		err = out_file_begin(&c->file);
	if (!err)
		err = export_perf_script(&p, c->file.out);
	print_warnings(&a->session.problems, warned);
	return out_file_end(&c->file, err);
}

static int run(struct export_cmd *c, struct analysis *a)
{
	struct timeline tl;
	int ret;

	ret = timeline_init(&tl, a, GAPS_WITHOUT_SWITCHES);
	if (ret)
		ret = load_failed("export", ret);
	else if (formats[c->format].put)
		ret = run_samples(c, a, &tl);
	else if (formats[c->format].samples)
		ret = run_perf_script(c, a, &tl);
	else if (formats[c->format].metrics)
		ret = run_metrics(c, a, &tl);
	else
		ret = run_perfetto(c, a, &tl);
	timeline_deinit(&tl);
	return ret;
}

int cmd_export(int argc, char **argv)
{
	struct export_cmd c = { .load.verb = "export",
				.load.dir = DEFAULT_SESSION,
				.file.verb = "export" };
	struct analysis a;
	int ret;

	ret = options_parse(&export_options, &c, argc, argv);
	if (ret >= 0)
		return ret;
	if (!out_file_open(&c.file, formats[c.format].binary))
		return EXIT_ERROR;
	ret = session_load(&c.load, &a);
	if (!ret && !time_option_apply(&c.time, "export", &a))
		ret = EXIT_ERROR;
	if (!ret)
		ret = run(&c, &a);
	analysis_close(&a);
	if (c.file.name && c.file.out)
		fclose(c.file.out);
	return ret;
}
