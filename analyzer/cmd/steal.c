// SPDX-License-Identifier: GPL-2.0-only
/* vmmprof steal: where the time of each vCPU went, and who took it. */

#include <stdio.h>
#include <string.h>

#include "base/io.h"
#include "cmd/cmd.h"
#include "cmd/load.h"
#include "cmd/pager.h"
#include "cmd/std_pipes.h"
#include "view/steal_matrix_json.h"
#include "cmd/time_option.h"
#include "model/pass.h"

enum steal_method { METHOD_EXACT, METHOD_SAMPLES, METHOD_BOTH, METHOD_BEST };

/* The first ones are as in enum matrix_by. */
enum steal_by { KEY_THIEF = MATRIX_PROCESS + 1, KEY_NONE };

struct steal_cmd {
	struct page_options page;
	struct session_load load;
	struct time_option time;
	bool json, csv, verbose;
	enum steal_method method;
	enum steal_by by;
};

#define AT(member) .at = offsetof(struct steal_cmd, member)

static const struct option_spec own[] = {
	{ 0, "by", "KEY",
	  "who by whom: vm (default): VMs, and the host's programs as one; unit: VMs, containers, systemd units, processes; vcpu: vCPUs; process: VMs and each program of the host; thief: a list of each thief and its victims",
	  OPTION_WORD, AT(by), .words = "vm vcpu unit process thief" },
	{ 0, "method", "METHOD",
	  "exact: by switch records; samples: by samples alone (default: exact where the session has the records); both: one beside the other, and their difference",
	  OPTION_WORD, AT(method), .words = "exact samples both" },
	{ 0, "json", NULL, "JSON; times are ns", OPTION_FLAG, AT(json) },
	{ 0, "csv", NULL, "comma-separated values; times are seconds",
	  OPTION_FLAG, AT(csv) },
	{ 'v', "verbose", NULL,
	  "all checks against other measurements, and all lines and columns of the matrix",
	  OPTION_FLAG, AT(verbose) },
	{ 0 },
};

static const struct option_group groups[] = {
	{ load_options, offsetof(struct steal_cmd, load) },
	{ time_options, offsetof(struct steal_cmd, time) },
	{ own, 0 },
	{ page_options, offsetof(struct steal_cmd, page) },
	{ 0 },
};

static const struct option_rule rules[] = {
	LOAD_RULE,
	{ "json csv", ONE_OF, NULL, "there is one output" },
	{ "verbose", NOT_WITH, "json csv method=both", "it is about the text" },
	{ "by", NOT_WITH, "method=both",
	  "who took time is told by one method at a time" },
	{ "color", NOT_WITH, "json csv", "only text has colours" },
	{ 0 },
};

const struct options steal_options = {
	.verb = "steal",
	.forms = LOAD_FORMS,
	.about = "Show where the time of each guest and vCPU went (guest, vmm, steal, halt,\n"
		 "blocked, unknown), and who took what was stolen.",
	.groups = groups,
	.rules = rules,
	.operand = LOAD_OPERAND(struct steal_cmd),
};

/* Why there are no switch records, as a part of a sentence. */
static const char *why_not(const struct session *s)
{
	if (!s->switches)
		return "the session has none";
	return s->switches->error ? strerror(s->switches->error) :
				    "they were switched off";
}

/* Chooses the method; -1, with a message: the session lacks what it needs. */
static int choose(const struct steal_cmd *c, const struct timeline *tl)
{
	bool exact = timeline_exact(tl);

	if (exact && (c->method == METHOD_BEST || c->method == METHOD_EXACT))
		return 1;
	if (!exact && (c->method == METHOD_EXACT || c->method == METHOD_BOTH)) {
		fprintf(stderr,
			"vmmprof steal: no switch records (%s): --method=samples goes without\n",
			why_not(&tl->a->session));
		return -1;
	}
	if (!tl->period) {
		fputs("vmmprof steal: no event of the session counts time, so its samples\n"
		      "tell no steal: record with switch records, or with ref-cycles or cpu-clock\n",
		      stderr);
		return -1;
	}
	if (!exact)
		fprintf(stderr,
			"vmmprof: warning: no switch records (%s): steal and halt by samples alone\n",
			why_not(&tl->a->session));
	return 0;
}

static int show_both(const struct steal_cmd *c, const struct timeline *tl)
{
	struct steal exact, samples = { 0 };
	int ret;

	ret = steal_init(&exact, tl, true, false);
	if (!ret)
		ret = steal_init(&samples, tl, false, false);
	if (!ret && !c->json && !c->csv)
		steal_both_text(&exact, &samples, stdout);
	else if (!ret && c->json)
		steal_both_json(&exact, &samples, stdout);
	else if (!ret)
		steal_both_csv(&exact, &samples, stdout);
	steal_deinit(&exact);
	steal_deinit(&samples);
	return ret;
}

static int show_one(const struct steal_cmd *c, const struct timeline *tl,
		    bool exact)
{
	enum matrix_by by = c->by < KEY_THIEF ? (enum matrix_by)c->by :
			    c->json	      ? MATRIX_UNIT :
						MATRIX_VM;
	struct verdicts v = { 0 };
	struct steal_matrix m = { 0 };
	struct steal s;
	int ret;

	ret = steal_init(&s, tl, exact, c->by == KEY_THIEF);
	if (!ret)
		ret = verdicts_init(&v, tl, exact);
	if (!ret)
		ret = steal_matrix_init(&m, tl, exact, by);
	if (!ret && !c->json && !c->csv)
		ret = steal_text(&s, &v, &m, terminal_columns(), c->verbose,
				 stdout);
	else if (!ret && c->json)
		steal_json(&s, &v, &m, by, stdout);
	else if (!ret && c->by < KEY_THIEF)
		steal_matrix_csv(&s, &m, stdout);
	else if (!ret)
		steal_csv(&s, stdout);
	steal_matrix_deinit(&m);
	verdicts_deinit(&v);
	steal_deinit(&s);
	return ret;
}

static int show(const struct steal_cmd *c, const struct timeline *tl)
{
	int exact = choose(c, tl), ret;

	if (exact < 0)
		return EXIT_ERROR;
	ret = c->method == METHOD_BOTH ? show_both(c, tl) :
					 show_one(c, tl, exact);
	if (!ret)
		ret = io_flush(stdout);
	return ret ? load_failed("steal", ret) : EXIT_OK;
}

static int run(const struct steal_cmd *c, struct analysis *a)
{
	enum gaps_for gaps = c->method == METHOD_SAMPLES ||
					     c->method == METHOD_BOTH ?
				     GAPS_ALWAYS :
				     GAPS_WITHOUT_SWITCHES;
	size_t warned = a->session.problems.nr;
	struct timeline tl;
	int ret;

	ret = timeline_init(&tl, a, gaps);
	if (!ret)
		ret = timeline_run(&tl, 0);
	print_warnings(&a->session.problems, warned);
	ret = ret ? load_failed("steal", ret) : show(c, &tl);
	timeline_deinit(&tl);
	return ret;
}

int cmd_steal(int argc, char **argv)
{
	struct steal_cmd c = { .load.verb = "steal",
			       .load.dir = DEFAULT_SESSION,
			       .by = KEY_NONE,
			       .method = METHOD_BEST };
	struct analysis a;
	int ret;

	ret = options_parse(&steal_options, &c, argc, argv);
	if (ret >= 0)
		return ret;
	page_colors(&c.page);
	ret = session_load(&c.load, &a);
	if (!ret && !time_option_apply(&c.time, "steal", &a))
		ret = EXIT_ERROR;
	if (!ret)
		ret = run(&c, &a);
	analysis_close(&a);
	return ret;
}
