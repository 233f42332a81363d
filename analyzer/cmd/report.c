// SPDX-License-Identifier: GPL-2.0-only
/* vmmprof report: tables of a session and its account. */

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <string.h>

#include "cmd/choose.h"
#include "cmd/cmd.h"
#include "cmd/confined.h"
#include "cmd/load.h"
#include "cmd/report_html.h"
#include "cmd/report_tui.h"
#include "cmd/session_error.h"
#include "view/report.h"

#define DEFAULT_ROWS 20
#define TUI_SECONDS  10 /* one may wait for a server's file with no screen */

enum {
	OPT_STDIO = 256,
	OPT_TUI,
	OPT_JSON,
	OPT_HTML,
	OPT_GUEST,
	OPT_VCPU,
	OPT_PID,
	OPT_BUNDLE,
	OPT_CODE,
	OPT_SERVER,
	OPT_CLASSIFY
};

struct report_cmd {
	struct session_load load;
	struct report_html html;
	struct code_from code; /* --tui */
	const char *guest;
	const char *event;
	__u32 vcpu, pid, limit;
	bool json, limit_given, paper, tui;
	bool servers; /* it was said which are asked */
	bool tables;  /* options that only they have */
	enum sort keys[NR_SORTS];
	size_t nr_keys;
};

static void report_usage(FILE *out)
{
	fputs("usage: vmmprof report [OPTIONS]\n"
	      "\n"
	      "Show what ran on the host and in each guest, and where every sample went.\n"
	      "\n"
	      "  -i, --input DIR            the session (default: " DEFAULT_SESSION
	      ")\n"
	      "      --stdio                text (default)\n"
	      "      --tui                  panels to look around in, on a terminal; with it\n"
	      "                             only -i, -e, --guest-bundle, --code-from,\n"
	      "                             --debuginfod\n"
	      "      --json                 the same numbers as JSON\n"
	      "      --html FILE            a page for a browser, which needs nothing else: states,\n"
	      "                             timeline, flame graph, functions\n"
	      "      --guest NAME           this guest's table only\n"
	      "      --vcpu N               samples of vCPU N only\n"
	      "      --pid PID              one process: of the guest with --guest, else of\n"
	      "                             the host\n"
	      "  -e, --event EVENT          samples of this event (default: the first one)\n"
	      "  -s, --sort KEY[,KEY...]    group by function, module, process, pid, vcpu,\n"
	      "                             cpu, event, exit-reason, mode, srcline,\n"
	      "                             container\n"
	      "                             (default: function,module, with processes of one\n"
	      "                             program told apart)\n"
	      "  -n, --limit N              rows a table, 0: all (default: 20, --json: all)\n"
	      "      --classify=paper       time without guest code as in the published method, by\n"
	      "                             samples alone: [steal] and [idle]\n"
	      "      --guest-bundle NAME=FILE\n"
	      "                             take the bundle of guest NAME from FILE\n"
	      "      --code-from FILE       with --tui: as with `vmmprof annotate`\n"
	      "      --debuginfod=WHICH     the same\n"
	      "  -h, --help                 this text\n",
	      out);
}

static bool parse_sort(struct report_cmd *c, const char *arg)
{
	const char *p = arg, *comma;
	size_t len, i;
	int key;

	for (c->nr_keys = 0;; p = comma + 1) {
		comma = strchr(p, ',');
		len = comma ? (size_t)(comma - p) : strlen(p);
		key = sort_by_name(p, len);
		if (key < 0) {
			fprintf(stderr,
				"vmmprof report: no sort key '%.*s'; there are:",
				(int)len, p);
			for (i = 0; i < NR_SORTS; i++)
				fprintf(stderr, " %s", sort_name(i));
			fputc('\n', stderr);
			return false;
		}
		for (i = 0; i < c->nr_keys; i++) {
			if (c->keys[i] != (enum sort)key)
				continue;
			fprintf(stderr,
				"vmmprof report: sort key '%.*s' given twice\n",
				(int)len, p);
			return false;
		}
		c->keys[c->nr_keys++] = key;
		if (!comma)
			return true;
	}
}

static bool parse_classify(struct report_cmd *c, const char *arg)
{
	c->paper = !strcmp(arg, "paper");
	if (!c->paper)
		fprintf(stderr,
			"vmmprof report: --classify wants paper, not '%s'\n",
			arg);
	return c->paper;
}

static bool check(const struct report_cmd *c)
{
	if (c->tui && (c->tables || c->html.file.name)) {
		fputs("vmmprof report: --tui takes -i, -e, --guest-bundle, --code-from and\n"
		      "--debuginfod only\n",
		      stderr);
		return false;
	}
	if ((c->code.nr || c->servers) && !c->tui) {
		fputs("vmmprof report: --code-from and --debuginfod are for instructions:\n"
		      "with --tui, or `vmmprof annotate`\n",
		      stderr);
		return false;
	}
	if (!c->html.file.name ||
	    !(c->json || c->paper || c->limit_given || c->nr_keys))
		return true;
	fputs("vmmprof report: the page has everything, and sorts by itself: --html is not with\n"
	      "--json, --sort, --limit, --classify\n",
	      stderr);
	return false;
}

/* Options that choose what is shown; false, with a message, if it is wrong. */
static bool take_choice(struct report_cmd *c, int opt)
{
	switch (opt) {
	case OPT_GUEST:
		c->guest = optarg;
		break;
	case OPT_VCPU:
		return load_number("report", "--vcpu", optarg, &c->vcpu);
	case OPT_PID:
		return load_number("report", "--pid", optarg, &c->pid);
	case 'e':
		c->event = optarg;
		break;
	case 's':
		return parse_sort(c, optarg);
	case 'n':
		c->limit_given = true;
		return load_number("report", "--limit", optarg, &c->limit);
	case OPT_CLASSIFY:
		return parse_classify(c, optarg);
	case OPT_BUNDLE:
		return load_bundle_option(&c->load, "report", optarg);
	case OPT_CODE:
		return code_from_add(&c->code, "report", optarg);
	case OPT_SERVER:
		c->servers = true;
		return code_from_which(&c->code, "report", optarg);
	default:
		return false;
	}
	return true;
}

/* -1: go on; else the exit status. */
static int parse_options(struct report_cmd *c, int argc, char **argv)
{
	static const struct option options[] = {
		{ "input", required_argument, NULL, 'i' },
		{ "stdio", no_argument, NULL, OPT_STDIO },
		{ "tui", no_argument, NULL, OPT_TUI },
		{ "json", no_argument, NULL, OPT_JSON },
		{ "html", required_argument, NULL, OPT_HTML },
		{ "guest", required_argument, NULL, OPT_GUEST },
		{ "vcpu", required_argument, NULL, OPT_VCPU },
		{ "pid", required_argument, NULL, OPT_PID },
		{ "event", required_argument, NULL, 'e' },
		{ "sort", required_argument, NULL, 's' },
		{ "limit", required_argument, NULL, 'n' },
		{ "classify", required_argument, NULL, OPT_CLASSIFY },
		{ "guest-bundle", required_argument, NULL, OPT_BUNDLE },
		{ "code-from", required_argument, NULL, OPT_CODE },
		{ "debuginfod", required_argument, NULL, OPT_SERVER },
		{ "help", no_argument, NULL, 'h' },
		{ NULL, 0, NULL, 0 },
	};
	bool ok = true;
	int opt;

	optind = 0;
	while (ok && (opt = getopt_long(argc, argv, "i:e:s:n:h", options,
					NULL)) != -1) {
		c->tables |= opt != 'i' && opt != 'e' && opt != OPT_TUI &&
			     opt != OPT_BUNDLE && opt != OPT_CODE &&
			     opt != OPT_SERVER;
		switch (opt) {
		case 'i':
			c->load.dir = optarg;
			break;
		case OPT_STDIO:
			c->json = false;
			break;
		case OPT_TUI:
			c->tui = true;
			break;
		case OPT_JSON:
			c->json = true;
			break;
		case OPT_HTML:
			c->html.file.name = optarg;
			break;
		case 'h':
			report_usage(stdout);
			return EXIT_OK;
		default:
			ok = take_choice(c, opt);
		}
	}
	return load_options_end("report", ok && check(c), argc, argv);
}

/* What the pass must keep apart for these tables. */
static unsigned int keep_for(const struct report_cmd *c)
{
	unsigned int keep = 0;
	size_t i;

	for (i = 0; i < c->nr_keys; i++) {
		if (c->keys[i] == SORT_CPU)
			keep |= KEEP_CPU;
		if (c->keys[i] == SORT_EXIT)
			keep |= KEEP_EXIT;
		if (c->keys[i] == SORT_SRCLINE)
			keep |= KEEP_ADDR;
	}
	return keep;
}

static int show(struct analysis *a, struct report_cmd *c,
		const struct timeline *tl)
{
	struct report r = {
		.dir = c->load.dir,
		.a = a,
		.guest = VMMPROF_ANY,
		.vcpu = c->vcpu,
		.pid = c->pid,
		.event = VMMPROF_ANY,
		.keys = c->nr_keys ? c->keys : NULL,
		.nr_keys = c->nr_keys,
		.tl = tl,
		.paper = c->paper,
		.limit = c->limit_given ? c->limit :
			 c->json	? 0 :
					  DEFAULT_ROWS,
	};
	struct steal_checks checks = { 0 };
	int ret;

	if (!choose_guest("report", a, c->guest, &r.guest) ||
	    !choose_session_event("report", a, c->event, &r.event))
		return EXIT_ERROR;
	ret = names_init(&r.names, a);
	if (!ret && tl && timeline_exact(tl)) {
		ret = steal_checks_init(&checks, tl, true);
		r.checks = &checks;
	}
	if (!ret)
		ret = account_init(&r.account, a);
	if (!ret && c->html.file.name)
		ret = report_html_write(&c->html, &r);
	else if (!ret)
		ret = c->json ? report_json(&r, stdout) :
				report_text(&r, stdout);
	if (!ret && (fflush(stdout) || ferror(stdout)))
		ret = errno ? -errno : -EIO;
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

/* The pass; with switch records, or as published, with the host-time axis. */
static int run(struct analysis *a, struct report_cmd *c)
{
	const struct vmmprof_info_switches *sw = a->session.switches;
	bool timed = c->paper || (sw && sw->on);
	size_t warned = a->session.problems.nr;
	struct timeline tl = { 0 };
	int ret = 0;

	if (timed || c->html.file.name)
		ret = timeline_init(&tl, a, c->paper);
	if (!ret && c->html.file.name)
		report_html_begin(&c->html, &tl, timed);
	if (!ret)
		ret = timed ? timeline_run(&tl, keep_for(c)) :
			      analysis_run(a, keep_for(c), NULL, NULL);
	if (!ret && c->paper && !tl.period)
		problem(&a->session.problems,
			"no event of the session counts time: no [steal] and [idle]");
	print_warnings(&a->session.problems, warned);
	ret = ret ? load_failed("report", ret) : show(a, c, timed ? &tl : NULL);
	if (timed || c->html.file.name)
		timeline_deinit(&tl);
	return ret;
}

int cmd_report(int argc, char **argv)
{
	struct report_cmd c = {
		.load.verb = "report",
		.html.file.verb = "report",
		.load.dir = DEFAULT_SESSION,
		.vcpu = VMMPROF_ANY,
		.pid = VMMPROF_ANY,
	};
	struct analysis a;
	int ret;

	ret = parse_options(&c, argc, argv);
	if (ret >= 0)
		return ret;
	if (c.html.file.name && !out_file_open(&c.html.file, false))
		return EXIT_ERROR;
	if (c.tui && !code_from_open(&c.code, "report", c.load.dir))
		return EXIT_ERROR;
	if (c.tui)
		code_from_server(&c.code, TUI_SECONDS, false);
	ret = session_load(&c.load, &a);
	if (!ret && c.tui)
		ret = report_tui(&a, c.load.dir, c.event, &c.code);
	else if (!ret)
		ret = run(&a, &c);
	analysis_close(&a);
	code_from_end(&c.code);
	report_html_deinit(&c.html);
	return ret;
}
