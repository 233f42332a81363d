// SPDX-License-Identifier: GPL-2.0-only
/* vmmprof timeline: the states of vCPUs over time. */

#include <stdio.h>
#include <string.h>

#include "base/io.h"
#include "cmd/cmd.h"
#include "cmd/load.h"
#include "cmd/pager.h"
#include "cmd/std_pipes.h"
#include "cmd/time_option.h"
#include "view/timeline.h"
#include "model/pass.h"

#define SVG_WIDTH 1000
#define MAX_WIDTH 10000

struct timeline_cmd {
	struct page_options page;
	struct session_load load;
	struct time_option time;
	bool svg, perfetto, csv, json;
	__u64 from, to; /* ns */
	__u32 width;	/* 0: the format's own */
};

#define AT(member) .at = offsetof(struct timeline_cmd, member)

static const struct option_spec own[] = {
	{ 0, "from", "SECONDS",
	  "from here on, of text and SVG (default: 0, the beginning)",
	  OPTION_SECONDS, AT(from), .max = 1e9 },
	{ 0, "to", "SECONDS", "until here (default: the end)", OPTION_SECONDS,
	  AT(to), .max = 1e9 },
	{ 0, "width", "N",
	  "slots in a row: columns of text (default: what the terminal has room for), or pixels of the SVG (default: 1000)",
	  OPTION_NUMBER, AT(width), .min = 1, .max = MAX_WIDTH },
	{ 0, "svg", NULL, "SVG on standard output", OPTION_FLAG, AT(svg) },
	{ 0, "perfetto", NULL,
	  "a trace for Perfetto (protobuf) on standard output: every stretch",
	  OPTION_FLAG, AT(perfetto) },
	{ 0, "csv", NULL, "the same as comma-separated values", OPTION_FLAG,
	  AT(csv) },
	{ 0, "json", NULL, "the same as JSON", OPTION_FLAG, AT(json) },
	{ 0 },
};

static const struct option_group groups[] = {
	{ load_options, offsetof(struct timeline_cmd, load) },
	{ names_options, 0 },
	{ names_server_options, 0 },
	{ time_options, offsetof(struct timeline_cmd, time) },
	{ own, 0 },
	{ page_options, offsetof(struct timeline_cmd, page) },
	{ 0 },
};

static const struct option_rule rules[] = {
	LOAD_RULE,
	{ "svg perfetto csv json", ONE_OF, NULL, "there is one output" },
	{ "from to", NOT_WITH, "time perfetto csv json",
	  "--time is for every format, and has both ends" },
	{ "width", NOT_WITH, "perfetto csv json",
	  "that has every stretch as it is" },
	{ "debug-dir debuginfod", ONLY_WITH, "perfetto",
	  "it alone has functions" },
	{ "color", NOT_WITH, "svg perfetto csv json", "only text has colours" },
	{ 0 },
};

const struct options timeline_options = {
	.verb = "timeline",
	.forms = LOAD_FORMS,
	.about = "Show the states of vCPUs over time: a row for each vCPU.",
	.groups = groups,
	.rules = rules,
	.operand = LOAD_OPERAND(struct timeline_cmd),
};

/* The TSC @ns after the beginning, at most that of the end. */
static __u64 time_at(const struct timeline *tl, __u64 ns)
{
	double ticks = ns / 1e6 * tl->khz;

	/* limited first, because a large double does not fit a __u64 */
	return ticks < tl->end - tl->begin ? tl->begin + (__u64)ticks : tl->end;
}

static int run_slots(const struct timeline_cmd *c, struct timeline *tl)
{
	const struct time_ranges *time = tl->a->time;
	__u64 from, to;
	__u32 width = c->width;
	struct slots s;
	int ret = 0;

	if (!width)
		width = c->svg ? SVG_WIDTH :
				 slots_text_width(terminal_columns());
	from = time_at(tl, c->from);
	to = c->to == SECONDS_NOT_GIVEN ? tl->end : time_at(tl, c->to);
	if (time) {
		from = time->at[0].from;
		to = time->at[time->nr - 1].to;
	}
	if (from >= to) {
		fputs("vmmprof timeline: the session has nothing in that time\n",
		      stderr);
		return EXIT_ERROR;
	}
	slots_init(&s, tl, from, to, width);
	s.by_thief = true;
	s.utf8 = terminal_utf8();
	tl->stretch = slots_stretch;
	tl->stretch_arg = &s;
	ret = timeline_run(tl, 0);
	if (!ret)
		ret = thieves_group(&s.stolen, tl->nr);
	if (!ret && c->svg)
		ret = slots_svg(&s, stdout);
	else if (!ret)
		slots_text(&s, terminal_columns(), stdout);
	slots_deinit(&s);
	return ret;
}

static int run(const struct timeline_cmd *c, struct analysis *a)
{
	bool slots = !c->perfetto && !c->csv && !c->json;
	size_t warned = a->session.problems.nr;
	struct timeline tl;
	int ret;

	ret = timeline_init(&tl, a, GAPS_WITHOUT_SWITCHES);
	if (!ret && !tl.bounded && slots) {
		fputs("vmmprof timeline: the recorder did not finish, so the end is not known:\n"
		      "--perfetto, --csv and --json go without\n",
		      stderr);
		ret = EXIT_ERROR;
	} else if (!ret) {
		ret = slots   ? run_slots(c, &tl) :
		      c->csv  ? timeline_csv(&tl, stdout) :
		      c->json ? timeline_json(&tl, stdout) :
				perfetto_write(&tl, true, false, stdout);
	}
	timeline_deinit(&tl);
	print_warnings(&a->session.problems, warned);
	if (!ret)
		ret = io_flush(stdout);
	return ret < 0 ? load_failed("timeline", ret) : ret;
}

int cmd_timeline(int argc, char **argv)
{
	struct timeline_cmd c = { .load.verb = "timeline",
				  .load.dir = DEFAULT_SESSION,
				  .to = SECONDS_NOT_GIVEN };
	struct analysis a;
	int ret;

	ret = options_parse(&timeline_options, &c, argc, argv);
	if (ret >= 0)
		return ret;
	page_colors(&c.page);
	if (c.to <= c.from)
		return options_wrong(&timeline_options,
				     "--to must be after --from");
	ret = session_load(&c.load, &a);
	if (!ret && !time_option_apply(&c.time, "timeline", &a))
		ret = EXIT_ERROR;
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
