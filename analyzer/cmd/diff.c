// SPDX-License-Identifier: GPL-2.0-only
/* vmmprof diff: two sessions side by side. */

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "cmd/choose.h"
#include "cmd/cmd.h"
#include "cmd/confined.h"
#include "cmd/load.h"
#include "cmd/pager.h"
#include "cmd/std_pipes.h"
#include "cmd/time_option.h"
#include "model/guest_time.h"
#include "view/diff_tables.h"

#define DEFAULT_ROWS 20

struct diff_cmd {
	struct page_options page;
	struct session_load load[2];
	struct time_option time[2];
	unsigned int nr_times; /* given */
	char **sessions;
	struct chosen chosen;
	bool stdio, json, samples_only;
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

static const struct option_spec own[] = {
	{ 0, "time", TIME_OPTION_ARG,
	  TIME_OPTION_HELP ". Given twice: of A, and of B", OPTION_OTHER,
	  .take = take_time, .repeats = true },
	{ 0, "stdio", NULL, "text (default)", OPTION_FLAG, AT(stdio) },
	{ 0, "json", NULL, "the same numbers as JSON", OPTION_FLAG, AT(json) },
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
	  AT(load[0]), .take = load_bundle, .value = VALUE_GUEST_FILE,
	  .repeats = true },
	{ 0, "guest-bundle-b", "NAME=FILE", "the same of B", OPTION_OTHER,
	  AT(load[1]), .take = load_bundle, .value = VALUE_GUEST_FILE,
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
	{ "stdio json", ONE_OF, NULL, "there is one output" },
	{ "color", NOT_WITH, "json", "only text has colours" },
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

/* Takes a session's entries, and releases the rest.  The exit status. */
static int take(struct diff_cmd *c, struct diff *d, unsigned int i,
		struct analysis *a, struct timeline *tl)
{
	const struct vmmprof_info_switches *sw = a->session.switches;
	bool timed = sw && sw->on;
	struct report r = report_of(c->load[i].dir, a);
	size_t warned = a->session.problems.nr;
	int err;

	r.tl = timed ? tl : NULL;
	err = timed ? timeline_run(tl, 0) : analysis_run(a, 0, NULL, NULL);
	if (!err && timed)
		err = guest_time_spread(tl);
	print_warnings(&a->session.problems, warned);
	if (a->session.problems.nr)
		fprintf(stderr,
			"vmmprof diff: the warnings above are about %s\n",
			c->load[i].dir);
	if (err)
		return load_failed("diff", err);
	if (!choose("diff", a, &c->chosen, &r))
		return not_in(&c->load[i]);
	err = names_init(&r.names, a);
	if (!err)
		err = diff_take(d, i, &r, tl);
	names_deinit(&r.names);
	return err ? load_failed("diff", err) : 0;
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
		ret = timeline_init(&tl, &a, false);
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

static int show(const struct diff_cmd *c, struct diff *d)
{
	int err;

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
	if (c->json)
		diff_json(d, stdout);
	else
		diff_text(d, stdout);
	if (!fflush(stdout) && !ferror(stdout))
		return EXIT_OK;
	fprintf(stderr, "vmmprof diff: %s\n", strerror(errno ? errno : EIO));
	return EXIT_ERROR;
}

int cmd_diff(int argc, char **argv)
{
	struct diff_cmd c = { .load[0].verb = "diff",
			      .load[1].verb = "diff",
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
	choose_sessions(&c);
	if (c.nr_times == 1)
		c.time[1] = c.time[0];
	if (!confined_also("diff", c.load[1].dir, c.load[1].bundles,
			   c.load[1].nr_bundles))
		return EXIT_ERROR;
	ret = read_session(&c, &d, 0);
	if (!ret)
		ret = read_session(&c, &d, 1);
	if (!ret)
		ret = check(&c, &d) ? show(&c, &d) : EXIT_ERROR;
	diff_deinit(&d);
	return ret;
}
