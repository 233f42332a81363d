// SPDX-License-Identifier: GPL-2.0-only
/* vmmprof steal: where the time of each vCPU went, and who took it. */

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <string.h>

#include "cmd/cmd.h"
#include "cmd/load.h"
#include "view/steal.h"

enum steal_format { FORMAT_TEXT, FORMAT_JSON, FORMAT_CSV };
enum steal_method { METHOD_BEST, METHOD_EXACT, METHOD_SAMPLES, METHOD_BOTH };

struct steal_cmd {
	struct session_load load;
	enum steal_format format;
	enum steal_method method;
	bool by_thief;
};

static void steal_usage(FILE *out)
{
	fputs("usage: vmmprof steal [OPTIONS]\n"
	      "\n"
	      "Show where the time of each guest and vCPU went (guest, vmm, steal, halt,\n"
	      "blocked, unknown), and who took what was stolen.\n"
	      "\n"
	      "  -i, --input DIR            the session (default: " DEFAULT_SESSION
	      ")\n"
	      "      --by KEY               vcpu (default), or thief: who took time, and from\n"
	      "                             whom, over all guests\n"
	      "      --method METHOD        exact: by switch records; samples: by samples alone\n"
	      "                             (default: exact where the session has the records);\n"
	      "                             both: one beside the other, and their difference\n"
	      "      --json                 JSON; times are ticks of the host's TSC\n"
	      "      --csv                  comma-separated values; times are seconds\n"
	      "  -h, --help                 this text\n",
	      out);
}

/* Index of arg in words, which ends with NULL; -1: it is none of them. */
static int parse_word(const char *option, const char *arg,
		      const char *const words[])
{
	int i;

	for (i = 0; words[i]; i++)
		if (!strcmp(arg, words[i]))
			return i;
	fprintf(stderr, "vmmprof steal: %s wants", option);
	for (i = 0; words[i]; i++)
		fprintf(stderr, "%s %s",
			!i	     ? "" :
			words[i + 1] ? "," :
				       " or",
			words[i]);
	fprintf(stderr, ", not '%s'\n", arg);
	return -1;
}

/* -1: go on; else the exit status. */
static int parse_options(struct steal_cmd *c, int argc, char **argv)
{
	enum { OPT_BY = 256, OPT_METHOD, OPT_JSON, OPT_CSV };
	static const struct option options[] = {
		{ "input", required_argument, NULL, 'i' },
		{ "by", required_argument, NULL, OPT_BY },
		{ "method", required_argument, NULL, OPT_METHOD },
		{ "json", no_argument, NULL, OPT_JSON },
		{ "csv", no_argument, NULL, OPT_CSV },
		{ "help", no_argument, NULL, 'h' },
		{ NULL, 0, NULL, 0 },
	};
	static const char *const keys[] = { "vcpu", "thief", NULL };
	static const char *const methods[] = { "exact", "samples", "both",
					       NULL };
	bool ok = true;
	int opt, word;

	optind = 0;
	while (ok &&
	       (opt = getopt_long(argc, argv, "i:h", options, NULL)) != -1) {
		switch (opt) {
		case 'i':
			c->load.dir = optarg;
			break;
		case OPT_BY:
			word = parse_word("--by", optarg, keys);
			ok = word >= 0;
			c->by_thief = word == 1;
			break;
		case OPT_METHOD:
			word = parse_word("--method", optarg, methods);
			ok = word >= 0;
			if (ok)
				c->method = METHOD_EXACT + word;
			break;
		case OPT_JSON:
			c->format = FORMAT_JSON;
			break;
		case OPT_CSV:
			c->format = FORMAT_CSV;
			break;
		case 'h':
			steal_usage(stdout);
			return EXIT_OK;
		default:
			ok = false;
		}
	}
	if (ok && c->method == METHOD_BOTH && c->by_thief) {
		fputs("vmmprof steal: --by=thief is of one method, not of both\n",
		      stderr);
		ok = false;
	}
	return load_options_end("steal", ok, argc, argv);
}

/* Why there are no switch records, in the middle of a sentence. */
static const char *why_not(const struct vmmprof_session *s)
{
	if (!s->switches)
		return "the session has none";
	return s->switches->error ? strerror(s->switches->error) :
				    "they were switched off";
}

/* Which method; -1 if the one asked for cannot be had. */
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
	if (!ret && c->format == FORMAT_TEXT)
		steal_both_text(&exact, &samples, stdout);
	else if (!ret && c->format == FORMAT_JSON)
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
	struct steal s;
	int ret;

	ret = steal_init(&s, tl, exact, c->by_thief);
	if (!ret && c->format == FORMAT_TEXT)
		steal_text(&s, stdout);
	else if (!ret && c->format == FORMAT_JSON)
		steal_json(&s, stdout);
	else if (!ret)
		steal_csv(&s, stdout);
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
	if (!ret && (fflush(stdout) || ferror(stdout)))
		ret = errno ? -errno : -EIO;
	return ret ? load_failed("steal", ret) : EXIT_OK;
}

static int run(const struct steal_cmd *c, struct analysis *a)
{
	size_t warned = a->session.problems.nr;
	struct timeline tl;
	int ret;

	ret = timeline_init(&tl, a, false);
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
			       .load.dir = DEFAULT_SESSION };
	struct analysis a;
	int ret;

	ret = parse_options(&c, argc, argv);
	if (ret >= 0)
		return ret;
	ret = session_load(&c.load, &a);
	if (!ret)
		ret = run(&c, &a);
	analysis_close(&a);
	return ret;
}
