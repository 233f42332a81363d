// SPDX-License-Identifier: GPL-2.0-only
/* vmmprof diff: two sessions side by side. */

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/io.h"
#include "cmd/choose.h"
#include "cmd/cmd.h"
#include "cmd/confined.h"
#include "cmd/load.h"
#include "cmd/out_file.h"
#include "cmd/pager.h"
#include "cmd/std_pipes.h"
#include "cmd/time_option.h"
#include "model/guest_time.h"
#include "view/diff_chains.h"
#include "view/diff_tables.h"
#include "model/pass.h"

#define DEFAULT_ROWS 20

struct diff_cmd {
	struct page_options page;
	struct session_load load[2];
	struct time_option time[2];
	unsigned int nr_times; /* given */
	char **sessions;
	struct chosen chosen;
	struct out_file html;
	bool stdio, json, samples_only, graph, inlines;
	__u32 limit;
	struct option_words keys; /* enum diff_key */
};

static const char *key_name(int i)
{
	return i < NR_DIFF_KEYS ? diff_key_name(i) : NULL;
}

#define AT(member) .at = offsetof(struct diff_cmd, member)

/* The first one is of A, the second one of B. */
static bool take_time(void *to, const char *verb, char *arg)
{
	struct diff_cmd *c = to;

	if (c->nr_times == 2)
		return option_wrong(
			verb,
			"--time is given more than twice: it is for A, or for A and B");
	return time_option_take(&c->time[c->nr_times++], verb, arg);
}

static bool take_bundle_a(void *to, const char *verb, char *arg)
{
	struct session_load *l = to;

	return take_bundle_option(l->bundles, &l->nr_bundles, verb,
				  "guest-bundle-a", arg);
}

static bool take_bundle_b(void *to, const char *verb, char *arg)
{
	struct session_load *l = to;

	return take_bundle_option(l->bundles, &l->nr_bundles, verb,
				  "guest-bundle-b", arg);
}

static const struct option_spec own[] = {
	{ 0, "time", TIME_OPTION_ARG,
	  TIME_OPTION_HELP ". Given twice: of A, and of B", OPTION_OTHER,
	  .take = take_time, .repeats = true },
	{ 0, "stdio", NULL, "text (default)", OPTION_FLAG, AT(stdio) },
	{ 0, "json", NULL, "the same numbers as JSON", OPTION_FLAG, AT(json) },
	{ 0, "html", "FILE",
	  "a page for a browser with the differential flame graph: what grew is red, what shrank blue",
	  OPTION_TEXT, AT(html.name), .value = VALUE_FILE },
	{ 'g', "call-graph", NULL,
	  "call chains with their numbers of A and B: as text folded, for flamegraph.pl; with --json beside the tables",
	  OPTION_FLAG, AT(graph) },
	{ 0, "inline", NULL, INLINE_OPTION_HELP, OPTION_FLAG, AT(inlines) },
	{ 's', "sort", "KEY[,KEY...]",
	  "one table by %s (default: by state, by process, and by function,module)",
	  OPTION_WORDS, AT(keys), .word = key_name,
	  .aliases = "comm=process dso=module sym=function symbol=function" },
	{ 'n', "limit", "N", "rows a table, 0: all (default: 20, --json: all)",
	  OPTION_NUMBER, AT(limit) },
	{ 0, "samples-only", NULL,
	  "without the time in which no guest code ran: [vmm], [steal], [halt], [blocked], [unknown]",
	  OPTION_FLAG, AT(samples_only) },
	{ 0, "guest-bundle-a", "NAME=FILE",
	  "take the bundle of guest NAME of A from FILE", OPTION_OTHER,
	  AT(load[0]), .take = take_bundle_a, .value = VALUE_GUEST_FILE,
	  .repeats = true },
	{ 0, "guest-bundle-b", "NAME=FILE", "the same of B", OPTION_OTHER,
	  AT(load[1]), .take = take_bundle_b, .value = VALUE_GUEST_FILE,
	  .repeats = true },
	{ 0 },
};

static const struct option_group groups[] = {
	{ choose_options, offsetof(struct diff_cmd, chosen) },
	{ own, 0 },
	{ names_options, 0 },
	{ names_server_options, 0 },
	{ page_options, offsetof(struct diff_cmd, page) },
	{ 0 },
};

static const struct option_rule rules[] = {
	{ "stdio json html", ONE_OF, NULL, "there is one output" },
	{ "call-graph sort limit", NOT_WITH, "html",
	  "the page has the flame graph alone, of chains if both sessions have some" },
	{ "inline", ONLY_WITH, "call-graph html", "it is about call chains" },
	{ "color", NOT_WITH, "json html", "only text has colours" },
	{ 0 },
};

const struct options diff_options = {
	.verb = "diff",
	.forms = (const char *const[]){ "[OPTIONS] A B",
					"[OPTIONS] SESSION --time A --time B",
					NULL },
	.about =
		"Show what changed from session A to session B: shares of the host and of each\n"
		"guest that both have, largest change first, with its statistical error.",
	.groups = groups,
	.rules = rules,
	.operand = { "A B", 2, .value = VALUE_SESSION, AT(sessions) },
};

/* A name was not found: prints in which session. */
static int not_in(const struct session_load *l)
{
	fprintf(stderr, "vmmprof diff: the error above is about %s\n", l->dir);
	return EXIT_ERROR;
}

/* Are chains asked for? */
static bool wants_chains(const struct diff_cmd *c)
{
	return c->graph || c->html.name;
}

/* The pass, with chains if they are asked for and there.  0 or -errno. */
static int pass(const struct diff_cmd *c, struct analysis *a,
		struct timeline *tl, struct chain_pass *chains, bool *chained)
{
	int err = 0;

	*chained = false;
	if (wants_chains(c))
		err = chain_pass_look(a, chained);
	if (err || !*chained) {
		if (!err)
			err = tl ? timeline_run(tl, 0) :
				   analysis_run(a, 0, NULL, NULL);
		return err || !tl ? err : guest_time_spread(tl);
	}
	err = chain_pass_init(chains, a, tl ? timeline_record : NULL, tl);
	if (tl)
		chain_pass_time(chains, tl);
	if (c->inlines)
		chain_pass_inlines(chains);
	if (!err)
		err = chain_pass_run(chains, 0);
	if (err || !tl)
		return err;
	err = timeline_finish(tl);
	if (!err)
		err = guest_time_spread(tl);
	return err ? err : guest_time_leaves(&chains->tree, &a->profile);
}

/* Takes a session's entries, and releases the rest.  The exit status. */
static int take(struct diff_cmd *c, struct diff *d, unsigned int i,
		struct analysis *a, struct timeline *tl)
{
	struct chain_pass chains = { 0 };
	const struct vmmprof_info_switches *sw = a->session.switches;
	bool timed = sw && sw->on;
	struct report r = report_of(c->load[i].dir, a);
	size_t warned = a->session.problems.nr;
	bool chained;
	int err;

	r.tl = timed ? tl : NULL;
	err = pass(c, a, r.tl ? tl : NULL, &chains, &chained);
	print_warnings(&a->session.problems, warned);
	if (a->session.problems.nr)
		fprintf(stderr,
			"vmmprof diff: the warnings above are about %s\n",
			c->load[i].dir);
	if (err) {
		err = load_failed("diff", err);
	} else if (!choose("diff", a, &c->chosen, &r)) {
		err = not_in(&c->load[i]);
	} else {
		err = names_init(&r.names, a);
		r.names.tl = r.tl;
		if (!err)
			err = diff_take(d, i, &r, tl);
		if (!err && wants_chains(c))
			err = diff_chains_take(d, i, &r, tl,
					       chained ? &chains : NULL);
		names_deinit(&r.names);
		err = err ? load_failed("diff", err) : 0;
	}
	chain_pass_deinit(&chains);
	return err;
}

/* Which session is A, and which one B: two stretches of one are both. */
static void choose_sessions(struct diff_cmd *c)
{
	struct session_load *b = &c->load[1];

	c->load[0].dir = c->sessions[0];
	b->dir = c->sessions[c->sessions[1] ? 1 : 0];
	if (c->sessions[1] || b->nr_bundles)
		return;
	memcpy(b->bundles, c->load[0].bundles, sizeof(b->bundles));
	b->nr_bundles = c->load[0].nr_bundles;
}

static int read_session(struct diff_cmd *c, struct diff *d, unsigned int i)
{
	struct timeline tl;
	struct analysis a;
	int ret;

	ret = session_load(&c->load[i], &a);
	c->load[1].begun = true;
	if (!ret && !time_option_apply(&c->time[i], "diff", &a))
		ret = not_in(&c->load[i]);
	if (!ret) {
		ret = timeline_init(&tl, &a, GAPS_WITHOUT_SWITCHES);
		ret = ret ? load_failed("diff", ret) : take(c, d, i, &a, &tl);
		timeline_deinit(&tl);
	}
	analysis_close(&a);
	return ret;
}

/* Warns of what cannot be compared; false, with a message: nothing can. */
static bool check(const struct diff_cmd *c, const struct diff *d)
{
	const struct diff_session *a = &d->s[0], *b = &d->s[1];

	if (a->entries.nr && b->entries.nr && strcmp(a->event, b->event)) {
		fprintf(stderr,
			"vmmprof diff: A has samples of %s, B of %s: --event names one of both\n",
			a->event, b->event);
		return false;
	}
	if (a->timed != b->timed && !c->samples_only)
		fprintf(stderr,
			"vmmprof diff: %s has no switch records: compared without the time in which no\n"
			"guest code ran\n",
			a->timed ? "B" : "A");
	return true;
}

/* Chains were asked for: false, with a message, if one session has none. */
static bool check_chains(const struct diff_cmd *c, const struct diff *d)
{
	unsigned int i;

	if (diff_chains_tree(d)->full)
		fputs("vmmprof diff: there are too many different call chains: some end\n"
		      "where more functions were; --time and --guest choose fewer\n",
		      stderr);
	for (i = 0; i < 2 && c->graph; i++) {
		if (d->s[i].chained)
			continue;
		fprintf(stderr,
			"vmmprof diff: %s has no call chains: `vmmprof record -g` records\n"
			"them; without -g the tables are compared\n",
			i ? "B" : "A");
		return false;
	}
	return true;
}

static int put(const struct diff_cmd *c, struct diff *d)
{
	if (c->json)
		return diff_json(d, stdout);
	if (c->graph)
		return diff_chains_text(d, stdout);
	diff_text(d, stdout);
	return 0;
}

static int show_page(struct diff_cmd *c, const struct diff *d)
{
	int err = out_file_begin(&c->html);

	if (!err)
		err = diff_html(d, c->html.out);
	return out_file_end(&c->html, err);
}

static int show(struct diff_cmd *c, struct diff *d)
{
	int err;

	d->graph = c->graph;
	d->columns = terminal_columns();
	d->limit = c->limit != NO_NUMBER ? c->limit :
		   c->json		 ? 0 :
					   DEFAULT_ROWS;
	err = diff_make(d, c->keys.nr ? c->keys.at : NULL, c->keys.nr,
			c->samples_only, c->chosen.guest);
	if (err)
		return load_failed("diff", err);
	if (!c->chosen.guest && d->nr == 1 && (d->nr_only[0] || d->nr_only[1]))
		fputs("vmmprof diff: the sessions have no guest in common: only the host is\n"
		      "compared\n",
		      stderr);
	if (wants_chains(c) && !check_chains(c, d))
		return EXIT_ERROR;
	if (c->html.name)
		return show_page(c, d);
	err = put(c, d);
	if (err)
		return load_failed("diff", err);
	err = io_flush(stdout);
	if (!err)
		return EXIT_OK;
	fprintf(stderr, "vmmprof diff: %s\n", strerror(-err));
	return EXIT_ERROR;
}

int cmd_diff(int argc, char **argv)
{
	struct diff_cmd c = { .load[0].verb = "diff",
			      .load[1].verb = "diff",
			      .html.verb = "diff",
			      .limit = NO_NUMBER };
	struct diff d = { 0 };
	int ret;

	ret = options_parse(&diff_options, &c, argc, argv);
	if (ret >= 0)
		return ret;
	page_colors(&c.page);
	if (!c.sessions[0] || (!c.sessions[1] && c.nr_times < 2))
		return options_wrong(
			&diff_options,
			"it takes two sessions: vmmprof diff BEFORE AFTER; or one, and --time twice");
	if (c.graph && !c.json && (c.keys.nr || c.limit != NO_NUMBER))
		return options_wrong(
			&diff_options,
			"--%s has no effect with --call-graph: chains are not rows of a table; leave one of them out, or add --json",
			c.keys.nr ? "sort" : "limit");
	choose_sessions(&c);
	if (c.nr_times == 1)
		c.time[1] = c.time[0];
	if (c.html.name && !out_file_open(&c.html, false))
		return EXIT_ERROR;
	if (!confined_also("diff", c.load[1].dir, c.load[1].bundles,
			   c.load[1].nr_bundles))
		return EXIT_ERROR;
	ret = read_session(&c, &d, 0);
	if (!ret)
		ret = read_session(&c, &d, 1);
	if (!ret)
		ret = check(&c, &d) ? show(&c, &d) : EXIT_ERROR;
	diff_deinit(&d);
	if (c.html.name && c.html.out)
		fclose(c.html.out);
	return ret;
}
