// SPDX-License-Identifier: GPL-2.0-only
/* vmmprof timeline: the states of vCPUs over time. */

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/cmd.h"
#include "cmd/load.h"
#include "view/timeline.h"

#define TEXT_WIDTH 62 /* of 80 columns */
#define SVG_WIDTH  1000
#define MAX_WIDTH  10000

enum timeline_format { FORMAT_TEXT, FORMAT_SVG, FORMAT_PERFETTO, FORMAT_CSV };

struct timeline_cmd {
	struct session_load load;
	enum timeline_format format;
	double from, to; /* seconds; to < 0: the end */
	__u32 width;	 /* 0: the format's own */
};

static void timeline_usage(FILE *out)
{
	fputs("usage: vmmprof timeline [OPTIONS]\n"
	      "\n"
	      "Show the states of vCPUs over time: a row for each vCPU.\n"
	      "\n"
	      "  -i, --input DIR            the session (default: " DEFAULT_SESSION
	      ")\n"
	      "      --from SECONDS         from here on (default: 0, the beginning)\n"
	      "      --to SECONDS           until here (default: the end)\n"
	      "      --width N              slots in a row: characters, or pixels of the SVG\n"
	      "                             (default: 62, 1000)\n"
	      "      --svg                  SVG on standard output\n"
	      "      --perfetto             a trace for Perfetto (protobuf) on standard output:\n"
	      "                             every stretch, from beginning to end\n"
	      "      --csv                  the same as comma-separated values\n"
	      "  -h, --help                 this text\n",
	      out);
}

static bool parse_seconds(const char *option, const char *arg, double *ret)
{
	char *end;

	*ret = strtod(arg, &end);
	if (end != arg && !*end && *ret >= 0 && *ret < 1e9)
		return true;
	fprintf(stderr, "vmmprof timeline: %s wants seconds, not '%s'\n",
		option, arg);
	return false;
}

static bool check(const struct timeline_cmd *c)
{
	if (c->width > MAX_WIDTH) {
		fprintf(stderr, "vmmprof timeline: --width is at most %u\n",
			MAX_WIDTH);
		return false;
	}
	if (c->to >= 0 && c->to <= c->from) {
		fputs("vmmprof timeline: --to must be after --from\n", stderr);
		return false;
	}
	return true;
}

/* -1: go on; else the exit status. */
static int parse_options(struct timeline_cmd *c, int argc, char **argv)
{
	enum {
		OPT_FROM = 256,
		OPT_TO,
		OPT_WIDTH,
		OPT_SVG,
		OPT_PERFETTO,
		OPT_CSV
	};
	static const struct option options[] = {
		{ "input", required_argument, NULL, 'i' },
		{ "from", required_argument, NULL, OPT_FROM },
		{ "to", required_argument, NULL, OPT_TO },
		{ "width", required_argument, NULL, OPT_WIDTH },
		{ "svg", no_argument, NULL, OPT_SVG },
		{ "perfetto", no_argument, NULL, OPT_PERFETTO },
		{ "csv", no_argument, NULL, OPT_CSV },
		{ "help", no_argument, NULL, 'h' },
		{ NULL, 0, NULL, 0 },
	};
	bool ok = true;
	int opt;

	optind = 0;
	while (ok &&
	       (opt = getopt_long(argc, argv, "i:h", options, NULL)) != -1) {
		switch (opt) {
		case 'i':
			c->load.dir = optarg;
			break;
		case OPT_FROM:
			ok = parse_seconds("--from", optarg, &c->from);
			break;
		case OPT_TO:
			ok = parse_seconds("--to", optarg, &c->to);
			break;
		case OPT_WIDTH:
			ok = load_number("timeline", "--width", optarg,
					 &c->width);
			break;
		case OPT_SVG:
			c->format = FORMAT_SVG;
			break;
		case OPT_PERFETTO:
			c->format = FORMAT_PERFETTO;
			break;
		case OPT_CSV:
			c->format = FORMAT_CSV;
			break;
		case 'h':
			timeline_usage(stdout);
			return EXIT_OK;
		default:
			ok = false;
		}
	}
	return load_options_end("timeline", ok && check(c), argc, argv);
}

/* The time so many seconds after the beginning, or the end. */
static __u64 time_at(const struct timeline *tl, double seconds)
{
	double ticks = seconds * tl->khz * 1000;

	/* no more than there are: not every double is a __u64 */
	return ticks < tl->end - tl->begin ? tl->begin + (__u64)ticks : tl->end;
}

static int run_slots(const struct timeline_cmd *c, struct timeline *tl)
{
	__u64 from, to;
	__u32 width = c->width;
	struct slots s;
	int ret = 0;

	if (!width)
		width = c->format == FORMAT_SVG ? SVG_WIDTH : TEXT_WIDTH;
	from = time_at(tl, c->from);
	to = c->to < 0 ? tl->end : time_at(tl, c->to);
	if (from >= to) {
		fputs("vmmprof timeline: the session has nothing in that time\n",
		      stderr);
		return EXIT_ERROR;
	}
	slots_init(&s, tl, from, to, width);
	tl->stretch = slots_stretch;
	tl->stretch_arg = &s;
	ret = timeline_run(tl, 0);
	if (!ret && c->format == FORMAT_SVG)
		slots_svg(&s, stdout);
	else if (!ret)
		slots_text(&s, stdout);
	slots_deinit(&s);
	return ret;
}

static int run(const struct timeline_cmd *c, struct analysis *a)
{
	bool slots = c->format == FORMAT_TEXT || c->format == FORMAT_SVG;
	size_t warned = a->session.problems.nr;
	struct timeline tl;
	int ret;

	ret = timeline_init(&tl, a, false);
	if (!ret && !tl.bounded && slots) {
		fputs("vmmprof timeline: the recorder did not finish, so the end is not known:\n"
		      "--perfetto and --csv go without\n",
		      stderr);
		ret = EXIT_ERROR;
	} else if (!ret) {
		ret = slots		      ? run_slots(c, &tl) :
		      c->format == FORMAT_CSV ? timeline_csv(&tl, stdout) :
						perfetto_write(&tl, stdout);
	}
	timeline_deinit(&tl);
	print_warnings(&a->session.problems, warned);
	if (!ret && (fflush(stdout) || ferror(stdout)))
		ret = errno ? -errno : -EIO;
	return ret < 0 ? load_failed("timeline", ret) : ret;
}

int cmd_timeline(int argc, char **argv)
{
	struct timeline_cmd c = { .load.verb = "timeline",
				  .load.dir = DEFAULT_SESSION,
				  .to = -1 };
	struct analysis a;
	int ret;

	ret = parse_options(&c, argc, argv);
	if (ret >= 0)
		return ret;
	ret = session_load(&c.load, &a);
	if (!ret && (!a.session.switches || !a.session.switches->on)) {
		fputs("vmmprof timeline: the session has no switch records, without which it\n"
		      "is not known who ran when; `vmmprof steal` has sums by samples\n",
		      stderr);
		ret = EXIT_ERROR;
	}
	if (!ret)
		ret = run(&c, &a);
	analysis_close(&a);
	return ret;
}
