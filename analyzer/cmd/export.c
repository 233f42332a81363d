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
	int (*put)(const struct vmmprof_export *x, FILE *out);
	bool over_time; /* in the order of time */
} formats[] = {
	{ "folded", false, vmmprof_export_folded, false },
	{ "pprof", true, vmmprof_export_pprof, false },
	{ "speedscope", false, vmmprof_export_speedscope, true },
	{ "firefox", false, vmmprof_export_firefox, true },
	{ "perfetto", true, NULL, false },
	{ "csv", false, vmmprof_export_csv, false },
	{ "json", false, vmmprof_export_json, false },
};

struct export_cmd {
	struct vmmprof_load load;
	struct vmmprof_outfile file;
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
	      "  -i, --input DIR            the session (default: " VMMPROF_DEFAULT_SESSION
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
			ok = vmmprof_load_bundle_option(&c->load, "export",
							optarg);
			break;
		case 'h':
			export_usage(stdout);
			return VMMPROF_EXIT_OK;
		default:
			ok = false;
		}
	}
	ok = ok && (optind < argc || check(c));
	return vmmprof_load_options_end("export", ok, argc, argv);
}

static int put(struct export_cmd *c, struct vmmprof_report *r,
	       const struct vmmprof_timeline *tl,
	       const struct vmmprof_slices *slices)
{
	struct vmmprof_overtime over = { 0 };
	struct vmmprof_entries entries = { 0 };
	struct vmmprof_export x;
	int err;

	err = vmmprof_names_init(&r->names, r->a);
	if (!err && c->format->over_time)
		err = vmmprof_entries_init_maps(&entries, r);
	else if (!err)
		err = vmmprof_entries_init(&entries, r);
	if (!err && c->format->over_time)
		err = vmmprof_overtime_init(&over, r, &entries, slices);
	if (!err)
		err = vmmprof_outfile_begin(&c->file);
	if (!err) {
		vmmprof_export_init(&x, r, &entries, tl);
		x.over = &over;
		err = c->format->put(&x, c->file.out);
	}
	vmmprof_overtime_deinit(&over);
	vmmprof_entries_deinit(&entries);
	vmmprof_names_deinit(&r->names);
	return vmmprof_outfile_end(&c->file, err);
}

static int run_samples(struct export_cmd *c, struct vmmprof_analysis *a,
		       struct vmmprof_timeline *tl)
{
	const struct vmmprof_info_switches *sw = a->session.switches;
	bool timed = sw && sw->on && !c->samples_only;
	struct vmmprof_report r = {
		.dir = c->load.dir,
		.a = a,
		.guest = VMMPROF_ANY,
		.vcpu = VMMPROF_ANY,
		.pid = VMMPROF_ANY,
		.event = VMMPROF_ANY,
		.tl = timed ? tl : NULL,
	};
	size_t warned = a->session.problems.nr;
	struct vmmprof_slices slices = { 0 };
	int err;

	if (c->format->over_time)
		err = vmmprof_slice_pass(a, tl, &slices, 0, COUNTS_MAX);
	else
		err = timed ? vmmprof_timeline_run(tl, 0) :
			      vmmprof_analysis_run(a, 0, NULL, NULL);
	vmmprof_print_warnings(&a->session.problems, warned);
	if (err)
		err = vmmprof_load_failed("export", err);
	else if (!vmmprof_choose_guest("export", a, c->guest, &r.guest) ||
		 !vmmprof_choose_event("export", a, c->event, &r.event))
		err = VMMPROF_EXIT_ERROR;
	else
		err = put(c, &r, tl, &slices);
	vmmprof_slices_deinit(&slices);
	return err;
}

static int run_perfetto(struct export_cmd *c, struct vmmprof_analysis *a,
			struct vmmprof_timeline *tl)
{
	size_t warned = a->session.problems.nr;
	int err;

	if (!a->session.switches || !a->session.switches->on) {
		fputs("vmmprof export: the session has no switch records, without which it is\n"
		      "not known who ran when\n",
		      stderr);
		return VMMPROF_EXIT_ERROR;
	}
	err = vmmprof_outfile_begin(&c->file);
	if (!err)
		err = vmmprof_perfetto_write(tl, c->file.out);
	vmmprof_print_warnings(&a->session.problems, warned);
	return vmmprof_outfile_end(&c->file, err);
}

static int run(struct export_cmd *c, struct vmmprof_analysis *a)
{
	struct vmmprof_timeline tl;
	int ret;

	ret = vmmprof_timeline_init(&tl, a, false);
	if (ret)
		ret = vmmprof_load_failed("export", ret);
	else if (c->format->put)
		ret = run_samples(c, a, &tl);
	else
		ret = run_perfetto(c, a, &tl);
	vmmprof_timeline_deinit(&tl);
	return ret;
}

int vmmprof_cmd_export(int argc, char **argv)
{
	struct export_cmd c = { .load.verb = "export",
				.load.dir = VMMPROF_DEFAULT_SESSION,
				.file.verb = "export" };
	struct vmmprof_analysis a;
	int ret;

	ret = parse_options(&c, argc, argv);
	if (ret >= 0)
		return ret;
	if (!vmmprof_outfile_open(&c.file, c.format->binary))
		return VMMPROF_EXIT_ERROR;
	ret = vmmprof_load(&c.load, &a);
	if (!ret)
		ret = run(&c, &a);
	vmmprof_analysis_close(&a);
	if (c.file.name && c.file.out)
		fclose(c.file.out);
	return ret;
}
