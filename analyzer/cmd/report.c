// SPDX-License-Identifier: GPL-2.0-only
/* vmmprof report: tables of a session and its account. */

#include <stdio.h>
#include <stdlib.h>

#include "base/io.h"
#include "cmd/choose.h"
#include "cmd/cmd.h"
#include "cmd/confined.h"
#include "cmd/load.h"
#include "cmd/pager.h"
#include "cmd/time_option.h"
#include "cmd/report_html.h"
#include "cmd/report_tui.h"
#include "cmd/session_error.h"
#include "cmd/std_pipes.h"
#include "model/guest_time.h"
#include "view/chain_parent.h"
#include "view/report.h"
#include "model/pass.h"

#define DEFAULT_ROWS 20
#define TUI_SECONDS  10 /* the screen waits for a server's file */

struct report_cmd {
	struct page_options page;
	struct session_load load;
	struct time_option time;
	struct report_html html;
	struct code_from code; /* --tui, --html */
	struct chosen chosen;
	struct chosen_cpus cpus;
	__u32 vcpu, pid, limit;
	double percent_limit;
	bool stdio, json, csv, tui, verbose;
	unsigned int order; /* enum chain_order; NR_CHAIN_ORDERS: not given */
	bool wants_chains;  /* by an option that shows them */
	bool children, no_children, hierarchy, inlines;
	struct parent {
		regex_t regex;
		bool given;
	} parent;
	enum method { METHOD_PAPER, METHOD_OURS } method;
	struct option_words keys; /* enum sort */
};

static bool take_percent(void *to, const char *verb, char *arg)
{
	double v;
	const char *end = option_decimal(arg, &v);

	if (end && !*end && v <= 100) {
		*(double *)to = v;
		return true;
	}
	return option_wrong(
		verb,
		"--percent-limit wants a percentage from 0 to 100, e.g. 0.5, not '%s'",
		arg);
}

/* Is compiled before anything is read. */
static bool compile_parent(struct parent *p, const char *verb, const char *text)
{
	char why[256];
	int err = regcomp(&p->regex, text, REG_EXTENDED | REG_NOSUB);

	p->given = !err;
	if (!err)
		return true;
	regerror(err, &p->regex, why, sizeof(why));
	return option_wrong(
		verb,
		"--parent wants an extended regular expression, not '%s': %s",
		text, why);
}

static bool take_parent(void *to, const char *verb, char *arg)
{
	struct parent *p = to;

	if (p->given)
		regfree(&p->regex);
	return compile_parent(p, verb, arg);
}

static const char *key_name(int i)
{
	return i < NR_SORTS ? sort_name(i) : NULL;
}

#define AT(member) .at = offsetof(struct report_cmd, member)

static const struct option_spec formats[] = {
	{ 0, "stdio", NULL, "text (default)", OPTION_FLAG, AT(stdio) },
	{ 0, "tui", NULL, "panels to look around in, on a terminal",
	  OPTION_FLAG, AT(tui) },
	{ 0, "json", NULL, "the same numbers as JSON", OPTION_FLAG, AT(json) },
	{ 0, "csv", NULL, "the rows of all tables as comma-separated values",
	  OPTION_FLAG, AT(csv) },
	{ 0, "html", "FILE",
	  "a page for a browser, which needs nothing else: states, timeline, flame graph, functions",
	  OPTION_TEXT, AT(html.file.name), .value = VALUE_FILE },
	{ 0 },
};

static const struct option_spec own[] = {
	{ 0, "vcpu", "N", "samples of vCPU N only", OPTION_NUMBER, AT(vcpu) },
	{ 'p', "pid", "PID",
	  "one process: of the guest with --guest, else of the host",
	  OPTION_NUMBER, AT(pid), .perf = "perf's -p chooses a parent" },
	{ 's', "sort", "KEY[,KEY...]",
	  "group by %s; perf's comm, dso, sym and symbol are taken, too (default: function,module, with processes of one program told apart)",
	  OPTION_WORDS, AT(keys), .word = key_name,
	  .aliases = "comm=process dso=module sym=function symbol=function" },
	{ 0, "parent", "REGEX",
	  "what --sort parent groups by: the first function of a chain, from the one that was hit to its callers, whose name matches (default: how the kernel was entered, by system calls and page faults)",
	  OPTION_OTHER, AT(parent), .take = take_parent },
	{ 'n', "limit", "N",
	  "rows a table, 0: all (default: 20, --json and --csv: all)",
	  OPTION_NUMBER, AT(limit),
	  .perf = "perf's -n shows numbers of samples, as is always done here" },
	{ 0, "percent-limit", "PERCENT",
	  "rows of at least this share of their table only; with --tui, branches of call chains",
	  OPTION_OTHER, AT(percent_limit), .take = take_percent },
	{ 'g', "call-graph", "ORDER",
	  "call chains below the rows of text, JSON and panels: %s; caller if it is left out",
	  OPTION_WORD, AT(order), .word = chain_order_word, .optional = true,
	  .without = "caller" },
	{ 0, "children", NULL,
	  "rows of all functions in chains, with the samples of what they called",
	  OPTION_FLAG, AT(children) },
	{ 0, "no-children", NULL,
	  "samples of the functions themselves (default)", OPTION_FLAG,
	  AT(no_children), .perf = "perf's default is --children" },
	{ 0, "inline", NULL, INLINE_OPTION_HELP, OPTION_FLAG, AT(inlines) },
	{ 0, "hierarchy", NULL,
	  "rows as a tree: below each name of the first sort key those of the next one; with -g chains are below the last one",
	  OPTION_FLAG, AT(hierarchy) },
	{ 'v', "verbose", NULL,
	  "the account of all samples, what is known of each guest, all checks",
	  OPTION_FLAG, AT(verbose) },
	{ 0, "classify", "paper",
	  "time without guest code as in the published method, by samples alone: [steal] and [idle]",
	  OPTION_WORD, AT(method), .words = "paper" },
	{ 0 },
};

static const struct option_group groups[] = {
	{ load_options, offsetof(struct report_cmd, load) },
	{ time_options, offsetof(struct report_cmd, time) },
	{ formats, 0 },
	{ choose_options, offsetof(struct report_cmd, chosen) },
	{ choose_cpu_options, offsetof(struct report_cmd, cpus) },
	{ own, 0 },
	{ load_bundle_options, offsetof(struct report_cmd, load) },
	{ names_options, 0 },
	{ code_options, offsetof(struct report_cmd, code) },
	{ page_options, offsetof(struct report_cmd, page) },
	{ 0 },
};

static const struct option_rule rules[] = {
	LOAD_RULE,
	{ "stdio tui json csv html", ONE_OF, NULL, "there is one output" },
	{ "guest vcpu pid cpu sort limit classify", NOT_WITH, "tui",
	  "one chooses in the panels" },
	{ "call-graph=folded", NOT_WITH, "tui", "panels have trees" },
	{ "verbose", NOT_WITH, "tui json csv html", "it is about the text" },
	{ "cpu sort limit percent-limit classify", NOT_WITH, "html",
	  "the page has everything, and sorts by itself" },
	{ "call-graph children no-children", NOT_WITH, "csv html",
	  "they are for the tables of text and JSON, and for panels" },
	{ "inline", ONLY_WITH, "call-graph children tui html",
	  "it is about call chains" },
	{ "hierarchy", NOT_WITH, "tui csv html children",
	  "it is for the tables of text and JSON, of functions themselves" },
	{ "children no-children", ONE_OF, NULL,
	  "each is the other's opposite" },
	{ "code-from", ONLY_WITH, "tui html",
	  "it is for instructions, which `vmmprof annotate` shows, too" },
	{ "debuginfod=no", ONLY_WITH, "tui",
	  "nothing is asked without it but by panels and `vmmprof annotate`" },
	{ "color", NOT_WITH, "tui json csv html", "only text has colours" },
	{ 0 },
};

const struct options report_options = {
	.verb = "report",
	.forms = LOAD_FORMS,
	.about = "Show what ran on the host and in each guest, and where every sample went.",
	.groups = groups,
	.rules = rules,
	.operand = LOAD_OPERAND(struct report_cmd),
};

/* The keys that the pass must keep apart for these tables. */
static unsigned int keep_for(const struct report_cmd *c)
{
	unsigned int keep = c->cpus.given ? KEEP_CPU : 0;
	size_t i;

	for (i = 0; i < c->keys.nr; i++) {
		if (c->keys.at[i] == SORT_CPU)
			keep |= KEEP_CPU;
		if (c->keys.at[i] == SORT_EXIT)
			keep |= KEEP_EXIT;
		if (c->keys.at[i] == SORT_SRCLINE)
			keep |= KEEP_ADDR;
		if (c->keys.at[i] == SORT_TID)
			keep |= KEEP_TID;
	}
	return keep;
}

static bool by_parent(const struct report_cmd *c)
{
	size_t i;

	for (i = 0; i < c->keys.nr; i++)
		if (c->keys.at[i] == SORT_PARENT)
			return true;
	return false;
}

static int show(struct analysis *a, struct report_cmd *c,
		const struct timeline *tl, const struct chain_pass *chains)
{
	struct report r = {
		.dir = c->load.dir,
		.a = a,
		.guest = VMMPROF_ANY,
		.vcpu = c->vcpu,
		.pid = c->pid,
		.event = VMMPROF_ANY,
		.cpus = chosen_cpus(&c->cpus),
		.percent_limit = c->percent_limit,
		.keys = c->keys.nr ? c->keys.at : NULL,
		.nr_keys = c->keys.nr,
		.tl = tl,
		.chains = chains,
		.order = c->order,
		.children = c->children,
		.hierarchy = c->hierarchy,
		.paper = c->method == METHOD_PAPER,
		.verbose = c->verbose,
		.columns = terminal_columns(),
		.limit = c->limit != NO_NUMBER ? c->limit :
			 c->json || c->csv     ? 0 :
						 DEFAULT_ROWS,
	};
	struct steal_checks checks = { 0 };
	struct code_files files = code_from_files(&c->code);
	__u32 *parents = NULL;
	int ret;

	/* a page is not made to wait for code */
	files.server = NULL;
	if (!choose("report", a, &c->chosen, &r))
		return EXIT_ERROR;
	ret = names_init(&r.names, a);
	if (!ret && by_parent(c))
		ret = chain_parents(&r.names, &chains->tree, &c->parent.regex,
				    &parents);
	r.parents = parents;
	r.names.tl = tl;
	if (!ret && tl && timeline_exact(tl)) {
		ret = steal_checks_init(&checks, tl, true);
		r.checks = &checks;
	}
	if (!ret)
		ret = account_init(&r.account, a);
	if (!ret && c->html.file.name)
		ret = report_html_write(&c->html, &r, &files);
	else if (!ret)
		ret = c->json ? report_json(&r, stdout) :
		      c->csv  ? report_csv(&r, stdout) :
				report_text(&r, stdout);
	if (!ret)
		ret = io_flush(stdout);
	free(parents);
	account_deinit(&r.account);
	names_deinit(&r.names);
	steal_checks_deinit(&checks);
	if (c->html.file.name)
		return out_file_end(&c->html.file, ret);
	if (!ret)
		return EXIT_OK;
	fprintf(stderr, "vmmprof report: %s\n", session_strerror(-ret));
	return EXIT_ERROR;
}

/* Are chains to be looked at? */
static bool wants_chains(const struct report_cmd *c)
{
	return c->order != CHAIN_NONE || c->children || c->verbose ||
	       by_parent(c);
}

/* The pass, with what else looks at its records. */
static int pass(struct analysis *a, struct report_cmd *c, struct timeline *tl,
		struct chain_pass *chains)
{
	int err;

	if (!wants_chains(c))
		return tl ? timeline_run(tl, keep_for(c)) :
			    analysis_run(a, keep_for(c), NULL, NULL);
	err = chain_pass_init(chains, a, tl ? timeline_record : NULL, tl);
	chains->tree.addresses = keep_for(c) & KEEP_ADDR;
	if (tl && c->method != METHOD_PAPER)
		chain_pass_time(chains, tl);
	if (c->inlines)
		chain_pass_inlines(chains);
	if (!err)
		err = chain_pass_run(chains, keep_for(c));
	return err || !tl ? err : timeline_finish(tl);
}

/* Chains were asked for, and there are none: 0 or an exit status. */
static int no_chains(const struct analysis *a, const struct report_cmd *c)
{
	if (!c->wants_chains || chain_pass_any(a))
		return 0;
	return report_no_chains();
}

static int tui(struct analysis *a, struct report_cmd *c)
{
	const struct report_tui_chains how = {
		.wanted = c->wants_chains,
		.inlines = c->inlines,
		.order = c->order,
		.children = c->children,
		.percent = c->percent_limit ? c->percent_limit :
					      CHAIN_LEAST_BRANCH,
	};

	return report_tui(a, c->load.dir, c->chosen.event, &how, &c->code);
}

/* With vCPUs' time, by switch records or as published. */
static int run(struct analysis *a, struct report_cmd *c)
{
	const struct vmmprof_info_switches *sw = a->session.switches;
	bool paper = c->method == METHOD_PAPER;
	bool timed = paper || (sw && sw->on);
	size_t warned = a->session.problems.nr;
	struct chain_pass chains = { 0 };
	struct timeline tl = { 0 };
	int ret = 0;

	if (timed || c->html.file.name)
		ret = timeline_init(&tl, a,
				    paper ? GAPS_AS_PUBLISHED :
					    GAPS_WITHOUT_SWITCHES);
	if (!ret && c->html.file.name)
		ret = report_html_run(&c->html, &tl, keep_for(c), c->inlines);
	else if (!ret)
		ret = pass(a, c, timed ? &tl : NULL, &chains);
	if (!ret && paper && !tl.period)
		problem(&a->session.problems,
			"no event of the session counts time: no [steal] and [idle]");
	if (!ret && timed && !paper)
		ret = guest_time_spread(&tl);
	if (!ret && timed && !paper && wants_chains(c))
		ret = guest_time_leaves(&chains.tree, &a->profile);
	print_warnings(&a->session.problems, warned);
	ret = ret ? load_failed("report", ret) : no_chains(a, c);
	if (!ret)
		ret = show(a, c, timed ? &tl : NULL,
			   wants_chains(c) ? &chains : NULL);
	chain_pass_deinit(&chains);
	if (timed || c->html.file.name)
		timeline_deinit(&tl);
	return ret;
}

/* Panels fold chains, so they have them without being told. */
static void choose_order(struct report_cmd *c)
{
	if (c->order == NR_CHAIN_ORDERS)
		c->order = c->tui ? CHAIN_CALLER : CHAIN_NONE;
	else
		c->wants_chains = c->order != CHAIN_NONE;
	c->wants_chains |= c->children || by_parent(c);
}

/* After the command line is taken. */
static int report(struct report_cmd *c)
{
	struct analysis a;
	int ret;

	if (!c->tui)
		page_colors(&c->page);
	if (c->html.file.name && !out_file_open(&c->html.file, false))
		return EXIT_ERROR;
	if ((c->tui || c->html.file.name) &&
	    !code_from_open(&c->code, "report", c->load.dir))
		return EXIT_ERROR;
	if (c->tui)
		confined_endless();
	if (c->tui || code_from_asks(&c->code))
		code_from_server(&c->code,
				 c->tui ? TUI_SECONDS : DEBUGINFOD_SECONDS,
				 !c->tui);
	names_server(&c->code);
	ret = session_load(&c->load, &a);
	if (!ret && !time_option_apply(&c->time, "report", &a))
		ret = EXIT_ERROR;
	if (!ret && c->tui)
		ret = tui(&a, c);
	else if (!ret)
		ret = run(&a, c);
	analysis_close(&a);
	code_from_end(&c->code);
	report_html_deinit(&c->html);
	return ret;
}

int cmd_report(int argc, char **argv)
{
	struct report_cmd c = {
		.load.verb = "report",
		.html.file.verb = "report",
		.load.dir = DEFAULT_SESSION,
		.code.asks = ASKS_DEFAULT,
		.vcpu = VMMPROF_ANY,
		.pid = VMMPROF_ANY,
		.limit = NO_NUMBER,
		.order = NR_CHAIN_ORDERS,
		.method = METHOD_OURS,
	};
	int ret;

	ret = options_parse(&report_options, &c, argc, argv);
	if (ret >= 0)
		return ret;
	choose_order(&c);
	if (c.hierarchy && !c.keys.nr)
		c.keys = (struct option_words){
			3, { SORT_PROCESS, SORT_MODULE, SORT_FUNCTION }
		};
	if (c.parent.given && !by_parent(&c))
		ret = options_wrong(
			&report_options,
			"--parent has no effect without --sort parent: give both or none");
	else if (by_parent(&c) && !c.parent.given &&
		 !compile_parent(&c.parent, "report", CHAIN_PARENT_DEFAULT))
		ret = EXIT_ERROR;
	else
		ret = report(&c);
	if (c.parent.given)
		regfree(&c.parent.regex);
	return ret;
}
