// SPDX-License-Identifier: GPL-2.0-only
/* Opening a session for a verb, with its errors and warnings printed. */

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/cmd.h"
#include "cmd/confined.h"
#include "cmd/load.h"
#include "cmd/session_error.h"
#include "view/safe.h"

bool load_bundle_option(struct session_load *l, const char *verb,
			const char *arg)
{
	const char *eq = strchr(arg, '=');
	struct bundle_option *o;

	if (!eq || eq == arg || !eq[1]) {
		fprintf(stderr,
			"vmmprof %s: --guest-bundle wants NAME=FILE, not '%s'\n",
			verb, arg);
		return false;
	}
	if (l->nr_bundles == BUNDLE_OPTIONS) {
		fprintf(stderr, "vmmprof %s: more than %u bundles\n", verb,
			BUNDLE_OPTIONS);
		return false;
	}
	o = &l->bundles[l->nr_bundles++];
	o->name = arg;
	o->name_len = eq - arg;
	o->file = eq + 1;
	return true;
}

bool load_has_bundle(const struct session_load *l, const char *name)
{
	size_t len = strlen(name), i;

	for (i = 0; i < l->nr_bundles; i++)
		if (len == l->bundles[i].name_len &&
		    !memcmp(name, l->bundles[i].name, len))
			return true;
	return false;
}

bool load_number(const char *verb, const char *option, const char *arg,
		 __u32 *ret)
{
	unsigned long v;
	char *end;

	errno = 0;
	v = strtoul(arg, &end, 10);
	if (errno || *end || *arg < '0' || *arg > '9' || v >= VMMPROF_NONE) {
		fprintf(stderr, "vmmprof %s: %s wants a number, not '%s'\n",
			verb, option, arg);
		return false;
	}
	*ret = v;
	return true;
}

static void print_problem(const char *what, const char *line)
{
	char text[1024];

	safe_text(text, sizeof(text), line);
	fprintf(stderr, "vmmprof: %s%s\n", what, text);
}

void print_warnings(const struct problems *p, size_t first)
{
	for (; first < p->nr; first++)
		print_problem("warning: ", p->line[first]);
	if (p->more)
		fprintf(stderr, "vmmprof: warning: and %zu more\n", p->more);
}

int load_options_end(const char *verb, bool ok, int argc, char **argv)
{
	if (ok && optind < argc) {
		fprintf(stderr,
			"vmmprof %s: what is '%s'? A session is named with -i\n",
			verb, argv[optind]);
		ok = false;
	}
	if (!ok)
		fprintf(stderr, "`vmmprof %s --help` lists the options.\n",
			verb);
	return ok ? -1 : EXIT_USAGE;
}

int session_load(struct session_load *l, struct analysis *a)
{
	struct problems *p = &a->session.problems;
	size_t last;
	int ret;

	memset(a, 0, sizeof(*a));
	if (!l->begun &&
	    !confined_begin(l->verb, l->dir, l->bundles, l->nr_bundles))
		return EXIT_ERROR;
	ret = analysis_open(a, l->dir, l->bundles, l->nr_bundles);
	if (!ret) {
		print_warnings(p, 0);
		return 0;
	}
	last = p->nr;
	if (last && !p->more) {
		p->nr--;
		print_warnings(p, 0);
		p->nr = last;
		print_problem("", p->line[last - 1]);
	} else {
		print_warnings(p, 0);
		print_problem(l->dir, session_strerror(-ret));
	}
	if (ret == -ENOENT && !strcmp(l->dir, DEFAULT_SESSION))
		fputs("vmmprof: record one with `vmmprof record`, or name one with -i DIR\n",
		      stderr);
	return EXIT_ERROR;
}

int load_failed(const char *verb, int err)
{
	fprintf(stderr, "vmmprof %s: %s\n", verb,
		err == -EBADMSG ? "there is nothing that can be read" :
				  session_strerror(-err));
	return EXIT_ERROR;
}
