// SPDX-License-Identifier: GPL-2.0-only
/* vmmprof diff: two sessions side by side. */

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <string.h>

#include "cmd/choose.h"
#include "cmd/cmd.h"
#include "cmd/confined.h"
#include "cmd/load.h"
#include "view/diff_tables.h"

#define DEFAULT_ROWS 20

struct diff_cmd {
	struct session_load load[2];
	const char *guest, *event;
	bool json, limit_given, samples_only;
	__u32 limit;
	enum diff_key keys[NR_DIFF_KEYS];
	size_t nr_keys;
};

static void diff_usage(FILE *out)
{
	fputs("usage: vmmprof diff [OPTIONS] A B\n"
	      "\n"
	      "Show what changed from session A to session B: shares of the host and of each\n"
	      "guest that both have, largest change first, with its statistical error.\n"
	      "\n"
	      "      --stdio                text (default)\n"
	      "      --json                 the same numbers as JSON\n"
	      "      --guest NAME           this guest only; both must have it\n"
	      "  -e, --event EVENT          samples of this event (default: the first one)\n"
	      "  -s, --sort KEY[,KEY...]    one table by function, module, process, pid, vcpu,\n"
	      "                             mode, state (default: by state, by process, and by\n"
	      "                             function,module)\n"
	      "  -n, --limit N              rows a table, 0: all (default: 20, --json: all)\n"
	      "      --samples-only         without the time in which no guest code ran: [vmm],\n"
	      "                             [steal], [halt], [blocked], [unknown]\n"
	      "      --guest-bundle-a NAME=FILE, --guest-bundle-b NAME=FILE\n"
	      "                             take the bundle of guest NAME of A or B from FILE\n"
	      "  -h, --help                 this text\n",
	      out);
}

static bool add_key(struct diff_cmd *c, const char *name, size_t len)
{
	int key = diff_key_by_name(name, len);
	size_t i;

	if (key < 0) {
		fprintf(stderr, "vmmprof diff: no sort key '%.*s'; there are:",
			(int)len, name);
		for (i = 0; i < NR_DIFF_KEYS; i++)
			fprintf(stderr, " %s", diff_key_name(i));
		fputc('\n', stderr);
		return false;
	}
	for (i = 0; i < c->nr_keys; i++) {
		if (c->keys[i] != (enum diff_key)key)
			continue;
		fprintf(stderr, "vmmprof diff: sort key '%.*s' given twice\n",
			(int)len, name);
		return false;
	}
	c->keys[c->nr_keys++] = key;
	return true;
}

static bool parse_sort(struct diff_cmd *c, const char *arg)
{
	size_t len;

	for (c->nr_keys = 0;; arg += len + 1) {
		len = strcspn(arg, ",");
		if (!add_key(c, arg, len))
			return false;
		if (!arg[len])
			return true;
	}
}

/* The two sessions; -1: go on, else the exit status. */
static int parse_sessions(struct diff_cmd *c, bool ok, int argc, char **argv)
{
	if (ok && argc - optind != 2) {
		fputs("vmmprof diff: it takes two sessions: vmmprof diff BEFORE AFTER\n",
		      stderr);
		ok = false;
	}
	if (!ok) {
		fputs("`vmmprof diff --help` lists the options.\n", stderr);
		return EXIT_USAGE;
	}
	c->load[0].dir = argv[optind];
	c->load[1].dir = argv[optind + 1];
	return -1;
}

/* -1: go on; else the exit status. */
static int parse_options(struct diff_cmd *c, int argc, char **argv)
{
	enum {
		OPT_STDIO = 256,
		OPT_JSON,
		OPT_GUEST,
		OPT_SAMPLES,
		OPT_A,
		OPT_B
	};
	static const struct option options[] = {
		{ "stdio", no_argument, NULL, OPT_STDIO },
		{ "json", no_argument, NULL, OPT_JSON },
		{ "guest", required_argument, NULL, OPT_GUEST },
		{ "event", required_argument, NULL, 'e' },
		{ "sort", required_argument, NULL, 's' },
		{ "limit", required_argument, NULL, 'n' },
		{ "samples-only", no_argument, NULL, OPT_SAMPLES },
		{ "guest-bundle-a", required_argument, NULL, OPT_A },
		{ "guest-bundle-b", required_argument, NULL, OPT_B },
		{ "help", no_argument, NULL, 'h' },
		{ NULL, 0, NULL, 0 },
	};
	bool ok = true;
	int opt;

	optind = 0;
	while (ok && (opt = getopt_long(argc, argv, "e:s:n:h", options,
					NULL)) != -1) {
		switch (opt) {
		case OPT_STDIO:
			c->json = false;
			break;
		case OPT_JSON:
			c->json = true;
			break;
		case OPT_GUEST:
			c->guest = optarg;
			break;
		case 'e':
			c->event = optarg;
			break;
		case 's':
			ok = parse_sort(c, optarg);
			break;
		case 'n':
			ok = load_number("diff", "--limit", optarg, &c->limit);
			c->limit_given = true;
			break;
		case OPT_SAMPLES:
			c->samples_only = true;
			break;
		case OPT_A:
		case OPT_B:
			ok = load_bundle_option(&c->load[opt == OPT_B], "diff",
						optarg);
			break;
		case 'h':
			diff_usage(stdout);
			return EXIT_OK;
		default:
			ok = false;
		}
	}
	return parse_sessions(c, ok, argc, argv);
}

/* Names were looked up in vain: in which session? */
static int not_in(const struct session_load *l)
{
	fprintf(stderr, "vmmprof diff: this is about %s\n", l->dir);
	return EXIT_ERROR;
}

/* A session's entries; all else of it is forgotten.  The exit status. */
static int take(struct diff_cmd *c, struct diff *d, unsigned int i,
		struct analysis *a, struct timeline *tl)
{
	const struct vmmprof_info_switches *sw = a->session.switches;
	bool timed = sw && sw->on;
	struct report r = {
		.dir = c->load[i].dir,
		.a = a,
		.guest = VMMPROF_ANY,
		.vcpu = VMMPROF_ANY,
		.pid = VMMPROF_ANY,
		.event = VMMPROF_ANY,
		.tl = timed ? tl : NULL,
	};
	size_t warned = a->session.problems.nr;
	int err;

	err = timed ? timeline_run(tl, 0) : analysis_run(a, 0, NULL, NULL);
	print_warnings(&a->session.problems, warned);
	if (a->session.problems.nr)
		fprintf(stderr, "vmmprof diff: these warnings are about %s\n",
			c->load[i].dir);
	if (err)
		return load_failed("diff", err);
	if (!choose_guest("diff", a, c->guest, &r.guest) ||
	    !choose_session_event("diff", a, c->event, &r.event))
		return not_in(&c->load[i]);
	err = names_init(&r.names, a);
	if (!err)
		err = diff_take(d, i, &r, tl);
	names_deinit(&r.names);
	return err ? load_failed("diff", err) : 0;
}

static int read_session(struct diff_cmd *c, struct diff *d, unsigned int i)
{
	struct timeline tl;
	struct analysis a;
	int ret;

	ret = session_load(&c->load[i], &a);
	c->load[1].begun = true;
	if (!ret) {
		ret = timeline_init(&tl, &a, false);
		ret = ret ? load_failed("diff", ret) : take(c, d, i, &a, &tl);
		timeline_deinit(&tl);
	}
	analysis_close(&a);
	return ret;
}

/* What cannot be compared; false, with a message: nothing can. */
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

	d->limit = c->limit_given ? c->limit : c->json ? 0 : DEFAULT_ROWS;
	err = diff_make(d, c->nr_keys ? c->keys : NULL, c->nr_keys,
			c->samples_only, c->guest);
	if (err)
		return load_failed("diff", err);
	if (!c->guest && d->nr == 1 && (d->nr_only[0] || d->nr_only[1]))
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
	struct diff_cmd c = { .load[0].verb = "diff", .load[1].verb = "diff" };
	struct diff d = { 0 };
	int ret;

	ret = parse_options(&c, argc, argv);
	if (ret >= 0)
		return ret;
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
