// SPDX-License-Identifier: GPL-2.0-only
/* vmmprof script: the records of a session, one line each. */

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <string.h>

#include "cmd/cmd.h"
#include "cmd/load.h"
#include "view/record_text.h"

struct script_cmd {
	struct session_load load;
	struct record_view view;
};

static void script_usage(FILE *out)
{
	const char *name;
	int i;

	fputs("usage: vmmprof script [OPTIONS]\n"
	      "\n"
	      "Print the records in the order of time, one line of KEY=VALUE words each.\n"
	      "\n"
	      "  -i, --input DIR            the session (default: " DEFAULT_SESSION
	      ")\n"
	      "  -F, --fields KEY[,KEY...]  these fields only, '-' where a record has none\n"
	      "      --check                only samples whose 'in guest or not' contradicts\n"
	      "                             its raw ingredients; exit status 1 if there are any\n"
	      "      --guest-bundle NAME=FILE\n"
	      "                             take the bundle of guest NAME from FILE\n"
	      "  -h, --help                 this text\n"
	      "\n"
	      "Fields:",
	      out);
	for (i = 0; (name = record_field_name(i)); i++)
		fprintf(out, "%s%s", i % 11 ? " " : "\n  ", name);
	fputc('\n', out);
}

static bool parse_fields(struct record_view *v, const char *arg)
{
	const char *p = arg, *comma;
	size_t len;
	int field;

	for (v->nr_fields = 0;; p = comma + 1) {
		comma = strchr(p, ',');
		len = comma ? (size_t)(comma - p) : strlen(p);
		field = record_field(p, len);
		if (field < 0) {
			fprintf(stderr, "vmmprof script: no field '%.*s'\n",
				(int)len, p);
			return false;
		}
		if (v->nr_fields == MAX_FIELDS) {
			fputs("vmmprof script: too many fields\n", stderr);
			return false;
		}
		v->fields[v->nr_fields++] = field;
		if (!comma)
			return true;
	}
}

/* -1: go on; else the exit status. */
static int parse_options(struct script_cmd *c, int argc, char **argv)
{
	enum { OPT_CHECK = 256, OPT_BUNDLE };
	static const struct option options[] = {
		{ "input", required_argument, NULL, 'i' },
		{ "fields", required_argument, NULL, 'F' },
		{ "check", no_argument, NULL, OPT_CHECK },
		{ "guest-bundle", required_argument, NULL, OPT_BUNDLE },
		{ "help", no_argument, NULL, 'h' },
		{ NULL, 0, NULL, 0 },
	};
	bool ok = true;
	int opt;

	optind = 0;
	while (ok &&
	       (opt = getopt_long(argc, argv, "i:F:h", options, NULL)) != -1) {
		switch (opt) {
		case 'i':
			c->load.dir = optarg;
			break;
		case 'F':
			ok = parse_fields(&c->view, optarg);
			break;
		case OPT_CHECK:
			c->view.check = true;
			break;
		case OPT_BUNDLE:
			ok = load_bundle_option(&c->load, "script", optarg);
			break;
		case 'h':
			script_usage(stdout);
			return EXIT_OK;
		default:
			ok = false;
		}
	}
	return load_options_end("script", ok, argc, argv);
}

static int run(struct script_cmd *c, struct analysis *a)
{
	const struct problems *p = &a->session.problems;
	size_t warned = p->nr;
	int ret;

	c->view.out = stdout;
	c->view.tsc_khz = text_number(&a->session.text, "tsc_khz", 10, 0);
	ret = analysis_run(a, 0, record_put, &c->view);
	if (fflush(stdout) || ferror(stdout)) {
		fprintf(stderr, "vmmprof script: cannot write: %s\n",
			strerror(errno));
		return EXIT_ERROR;
	}
	print_warnings(p, warned);
	if (ret)
		return load_failed("script", ret);
	return c->view.check && c->view.contradictions ? EXIT_ERROR : EXIT_OK;
}

int cmd_script(int argc, char **argv)
{
	struct script_cmd c = { .load.verb = "script",
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
