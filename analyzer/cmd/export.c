// SPDX-License-Identifier: GPL-2.0-only
/* vmmprof export: a session in the formats of other programs. */

#include <getopt.h>
#include <string.h>

#include "cmd/choose.h"
#include "cmd/cmd.h"
#include "cmd/load.h"
#include "cmd/out_file.h"
#include "cmd/slice_pass.h"
#include "view/export.h"
#include "view/timeline.h"

/* What is kept by time, for formats in its order: about 100 MiB. */
#define COUNTS_MAX 2000000

static const struct export_format {
	const char *name;
	bool binary;
	/* NULL: a trace of the timeline, not of samples */
	int (*put)(const struct export_data *x, FILE *out);
	bool over_time; /* in the order of time */
} formats[] = {
	{ "folded", false, export_folded, false },
	{ "pprof", true, export_pprof, false },
	{ "speedscope", false, export_speedscope, true },
	{ "firefox", false, export_firefox, true },
	{ "perfetto", true, NULL, false },
	{ "csv", false, export_csv, false },
	{ "json", false, export_json, false },
};

struct export_cmd {
	struct session_load load;
	struct out_file file;
	const struct export_format *format;
	const char *guest, *event;
	bool samples_only;
};

static void export_usage(FILE *out)
{
	fputs("usage: vmmprof export --format FORMAT [OPTIONS]\n"
	      "\n"
	      "Write a session in the format of another program.\n"
	      "\n"
	      "  -i, --input DIR            the session (default: " DEFAULT_SESSION
	      ")\n"
	      "  -f, --format FORMAT        folded      flamegraph.pl, inferno: guest;vcpu;\n"
	      "                                         process;module;function count\n"
	      "                             pprof       go tool pprof: gzipped protobuf\n"
	      "                             speedscope  www.speedscope.app\n"
	      "                             firefox     profiler.firefox.com\n"
	      "                             perfetto    ui.perfetto.dev: vCPUs' states over time\n"
	      "                             csv, json\n"
	      "  -o, --output FILE          write FILE (default: standard output)\n"
	      "      --guest NAME           this guest only\n"
	      "  -e, --event EVENT          samples of this event (default: the first one)\n"
	      "      --samples-only         without the time in which no guest code ran: [vmm],\n"
	      "                             [steal], [halt], [blocked], [unknown]\n"
	      "      --guest-bundle NAME=FILE\n"
	      "                             take the bundle of guest NAME from FILE\n"
	      "  -h, --help                 this text\n",
	      out);
}

static bool parse_format(struct export_cmd *c, const char *arg)
{
	size_t i;

	for (i = 0; i < sizeof(formats) / sizeof(formats[0]); i++) {
		if (strcmp(arg, formats[i].name))
			continue;
		c->format = &formats[i];
		return true;
	}
	fprintf(stderr, "vmmprof export: no format '%s'; there are:", arg);
	for (i = 0; i < sizeof(formats) / sizeof(formats[0]); i++)
		fprintf(stderr, " %s", formats[i].name);
	fputc('\n', stderr);
	return false;
}

static bool check(const struct export_cmd *c)
{
	if (!c->format) {
		fputs("vmmprof export: which format? --format FORMAT says it\n",
		      stderr);
		return false;
	}
	if (!c->format->put && (c->guest || c->event || c->samples_only)) {
		fputs("vmmprof export: perfetto has everything: not with --guest, --event,\n"
		      "--samples-only\n",
		      stderr);
		return false;
	}
	return true;
}

/* -1: go on; else the exit status. */
static int parse_options(struct export_cmd *c, int argc, char **argv)
{
	enum { OPT_GUEST = 256, OPT_SAMPLES, OPT_BUNDLE };
	static const struct option options[] = {
		{ "input", required_argument, NULL, 'i' },
		{ "format", required_argument, NULL, 'f' },
		{ "output", required_argument, NULL, 'o' },
		{ "guest", required_argument, NULL, OPT_GUEST },
		{ "event", required_argument, NULL, 'e' },
		{ "samples-only", no_argument, NULL, OPT_SAMPLES },
		{ "guest-bundle", required_argument, NULL, OPT_BUNDLE },
		{ "help", no_argument, NULL, 'h' },
		{ NULL, 0, NULL, 0 },
	};
	bool ok = true;
	int opt;

	optind = 0;
	while (ok && (opt = getopt_long(argc, argv, "i:f:o:e:h", options,
					NULL)) != -1) {
		switch (opt) {
		case 'i':
			c->load.dir = optarg;
			break;
		case 'f':
			ok = parse_format(c, optarg);
			break;
		case 'o':
			c->file.name = optarg;
			break;
		case OPT_GUEST:
			c->guest = optarg;
			break;
		case 'e':
			c->event = optarg;
			break;
		case OPT_SAMPLES:
			c->samples_only = true;
			break;
		case OPT_BUNDLE:
			ok = load_bundle_option(&c->load, "export", optarg);
			break;
		case 'h':
			export_usage(stdout);
			return EXIT_OK;
		default:
			ok = false;
		}
	}
	ok = ok && (optind < argc || check(c));
	return load_options_end("export", ok, argc, argv);
}

static int put(struct export_cmd *c, struct report *r,
	       const struct timeline *tl, const struct slices *slices)
{
	struct time_series over = { 0 };
	struct entries entries = { 0 };
	struct export_data x;
	int err;

	err = names_init(&r->names, r->a);
	if (!err && c->format->over_time)
		err = entries_init_maps(&entries, r);
	else if (!err)
		err = entries_init(&entries, r);
	if (!err && c->format->over_time)
		err = time_series_init(&over, r, &entries, slices);
	if (!err)
		err = out_file_begin(&c->file);
	if (!err) {
		export_init(&x, r, &entries, tl);
		x.over = &over;
		err = c->format->put(&x, c->file.out);
	}
	time_series_deinit(&over);
	entries_deinit(&entries);
	names_deinit(&r->names);
	return out_file_end(&c->file, err);
}

static int run_samples(struct export_cmd *c, struct analysis *a,
		       struct timeline *tl)
{
	const struct vmmprof_info_switches *sw = a->session.switches;
	bool timed = sw && sw->on && !c->samples_only;
	struct report r = {
		.dir = c->load.dir,
		.a = a,
		.guest = VMMPROF_ANY,
		.vcpu = VMMPROF_ANY,
		.pid = VMMPROF_ANY,
		.event = VMMPROF_ANY,
		.tl = timed ? tl : NULL,
	};
	size_t warned = a->session.problems.nr;
	struct slices slices = { 0 };
	int err;

	if (c->format->over_time)
		err = slice_pass(a, tl, &slices, 0, COUNTS_MAX);
	else
		err = timed ? timeline_run(tl, 0) :
			      analysis_run(a, 0, NULL, NULL);
	print_warnings(&a->session.problems, warned);
	if (err)
		err = load_failed("export", err);
	else if (!choose_guest("export", a, c->guest, &r.guest) ||
		 !choose_session_event("export", a, c->event, &r.event))
		err = EXIT_ERROR;
	else
		err = put(c, &r, tl, &slices);
	slices_deinit(&slices);
	return err;
}

static int run_perfetto(struct export_cmd *c, struct analysis *a,
			struct timeline *tl)
{
	size_t warned = a->session.problems.nr;
	int err;

	if (!a->session.switches || !a->session.switches->on) {
		fputs("vmmprof export: the session has no switch records, without which it is\n"
		      "not known who ran when\n",
		      stderr);
		return EXIT_ERROR;
	}
	err = out_file_begin(&c->file);
	if (!err)
		err = perfetto_write(tl, c->file.out);
	print_warnings(&a->session.problems, warned);
	return out_file_end(&c->file, err);
}

static int run(struct export_cmd *c, struct analysis *a)
{
	struct timeline tl;
	int ret;

	ret = timeline_init(&tl, a, false);
	if (ret)
		ret = load_failed("export", ret);
	else if (c->format->put)
		ret = run_samples(c, a, &tl);
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

	ret = parse_options(&c, argc, argv);
	if (ret >= 0)
		return ret;
	if (!out_file_open(&c.file, c.format->binary))
		return EXIT_ERROR;
	ret = session_load(&c.load, &a);
	if (!ret)
		ret = run(&c, &a);
	analysis_close(&a);
	if (c.file.name && c.file.out)
		fclose(c.file.out);
	return ret;
}
