// SPDX-License-Identifier: GPL-2.0-only
/* vmmprof exits: how many VM exits, for what, how long, and whose code. */

#include <stdio.h>
#include <string.h>

#include "base/io.h"
#include "cmd/choose.h"
#include "cmd/cmd.h"
#include "cmd/load.h"
#include "cmd/pager.h"
#include "cmd/std_pipes.h"
#include "view/exit_stats.h"
#include "model/pass.h"

#define DEFAULT_FUNCTIONS 3

enum exits_by { BY_VM, BY_EACH_VCPU };

struct exits_cmd {
	struct page_options page;
	struct session_load load;
	struct chosen chosen;
	bool json, csv;
	enum exits_by by;
	enum exit_order order;
	__u32 vcpu, limit;
};

#define AT(member) .at = offsetof(struct exits_cmd, member)

static const struct option_spec own[] = {
	{ 0, "by", "KEY", "a table for each vm (default) or vcpu", OPTION_WORD,
	  AT(by), .words = "vm vcpu" },
	{ 0, "vcpu", "N", "vCPU N only; a table for each vCPU", OPTION_NUMBER,
	  AT(vcpu) },
	{ 's', "sort", "KEY",
	  "reasons with the most exits (default), the most time or the longest exit first",
	  OPTION_WORD, AT(order), .words = "exits time max" },
	{ 'n', "limit", "N",
	  "functions a reason, 0: all (default: 3, --json: all)", OPTION_NUMBER,
	  AT(limit) },
	{ 0, "json", NULL, "JSON", OPTION_FLAG, AT(json) },
	{ 0, "csv", NULL,
	  "comma-separated values without the functions; times are seconds",
	  OPTION_FLAG, AT(csv) },
	{ 0 },
};

static const struct option_group groups[] = {
	{ load_options, offsetof(struct exits_cmd, load) },
	{ choose_options, offsetof(struct exits_cmd, chosen) },
	{ own, 0 },
	{ load_bundle_options, offsetof(struct exits_cmd, load) },
	{ names_options, 0 },
	{ names_server_options, 0 },
	{ page_options, offsetof(struct exits_cmd, page) },
	{ 0 },
};

static const struct option_rule rules[] = {
	LOAD_RULE,
	{ "json csv", ONE_OF, NULL, "there is one output" },
	{ "color", NOT_WITH, "json csv", "only text has colours" },
	{ "limit", NOT_WITH, "csv", "it has no functions" },
	{ "vcpu", NOT_WITH, "by=vm", "that has no vCPUs" },
	{ 0 },
};

static const struct option_absent absent[] = {
	{ "time",
	  "exits are counted by the module over the whole recording, without a record of each" },
	{ 0 }
};

const struct options exits_options = {
	.verb = "exits",
	.forms = LOAD_FORMS,
	.about =
		"Show the VM exits of each guest by their reason: number, time, and the guest\n"
		"functions that caused them.  For sessions of `vmmprof record --exits`.",
	.groups = groups,
	.rules = rules,
	.absent = absent,
	.operand = LOAD_OPERAND(struct exits_cmd),
};

static int count_record(struct analysis *a, void *arg, const union rec *rec,
			const struct resolved *where)
{
	(void)where;
	return exit_stats_record(arg, a, rec);
}

/* The first event that has samples. */
static __u32 first_event(const struct analysis *a)
{
	__u32 i;

	for (i = 0; i < VMMPROF_MAX_EVENTS; i++)
		if (a->counts.per_event[i])
			return i;
	return 0;
}

static int show(const struct exits_cmd *c, struct analysis *a,
		struct exit_stats *s)
{
	struct report r = report_of(c->load.dir, a);
	struct exit_view v = {
		.stats = s,
		.r = &r,
		.khz = session_tsc_khz(&a->session),
		.missed = a->session.exits_on->missed,
	};
	int ret;

	r.vcpu = c->vcpu;
	r.limit = c->limit != NO_NUMBER ? c->limit :
		  c->json		? 0 :
					  DEFAULT_FUNCTIONS;
	if (!v.khz) {
		fputs("vmmprof exits: the session does not say how fast its TSC counts\n",
		      stderr);
		return EXIT_ERROR;
	}
	if (!choose("exits", a, &c->chosen, &r))
		return EXIT_ERROR;
	v.event = r.event == VMMPROF_ANY ? first_event(a) : r.event;
	ret = exit_stats_finish(s, c->order, v.event);
	if (!ret)
		ret = names_init(&r.names, a);
	if (!ret && c->json)
		exit_view_json(&v, stdout);
	else if (!ret && c->csv)
		exit_view_csv(&v, stdout);
	else if (!ret)
		exit_view_text(&v, terminal_columns(), stdout);
	names_deinit(&r.names);
	if (!ret)
		ret = io_flush(stdout);
	return ret ? load_failed("exits", ret) : EXIT_OK;
}

/* Does the session have them?  If not, prints why. */
static bool counted(const struct session *s)
{
	const struct vmmprof_info_exits *on = s->exits_on;

	if (on && on->on)
		return true;
	if (on)
		fprintf(stderr,
			"vmmprof exits: the counts could not be had from the module: %s\n",
			strerror(on->error));
	else if (s->complete)
		fputs("vmmprof exits: VM exits were not counted: `vmmprof record --exits` does\n",
		      stderr);
	else
		fputs("vmmprof exits: no counts of VM exits: a recorder writes them\n"
		      "at its end, and this one did not finish\n",
		      stderr);
	return false;
}

static int run(const struct exits_cmd *c, struct analysis *a)
{
	size_t warned = a->session.problems.nr;
	struct exit_stats s;
	int ret;

	ret = exit_stats_init(&s, a, c->by == BY_EACH_VCPU);
	if (!ret)
		ret = analysis_run(a, 0, count_record, &s);
	print_warnings(&a->session.problems, warned);
	ret = ret ? load_failed("exits", ret) : show(c, a, &s);
	exit_stats_deinit(&s);
	return ret;
}

int cmd_exits(int argc, char **argv)
{
	struct exits_cmd c = { .load.verb = "exits",
			       .load.dir = DEFAULT_SESSION,
			       .vcpu = VMMPROF_ANY,
			       .limit = NO_NUMBER };
	struct analysis a;
	int ret;

	ret = options_parse(&exits_options, &c, argc, argv);
	if (ret >= 0)
		return ret;
	page_colors(&c.page);
	if (c.vcpu != VMMPROF_ANY)
		c.by = BY_EACH_VCPU;
	ret = session_load(&c.load, &a);
	if (!ret)
		ret = counted(&a.session) ? run(&c, &a) : EXIT_ERROR;
	analysis_close(&a);
	return ret;
}
