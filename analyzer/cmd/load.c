// SPDX-License-Identifier: GPL-2.0-only
/* Opening a session for a verb, with its errors and warnings printed. */

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "cmd/analysis_open.h"
#include "cmd/cmd.h"
#include "cmd/confined.h"
#include "cmd/load.h"
#include "cmd/session_error.h"
#include "view/safe.h"

static bool has_bundle(const struct bundle_option *bundles, size_t nr,
		       const char *name)
{
	size_t i;

	for (i = 0; i < nr && strcmp(bundles[i].name, name); i++)
		;
	return i < nr;
}

bool take_bundle_option(struct bundle_option *bundles, size_t *nr,
			const char *verb, const char *option, char *arg)
{
	char *equals = strchr(arg, '=');

	if (!equals || equals == arg || !equals[1])
		return option_wrong(verb, "--%s wants NAME=FILE, not '%s'",
				    option, arg);
	if (*nr == BUNDLE_OPTIONS)
		return option_wrong(verb, "more than %u bundles",
				    BUNDLE_OPTIONS);
	*equals = '\0';
	if (has_bundle(bundles, *nr, arg))
		return option_wrong(verb, "--%s is given twice for '%s'",
				    option, arg);
	bundles[(*nr)++] = (struct bundle_option){ arg, equals + 1 };
	return true;
}

static bool load_bundle(void *to, const char *verb, char *arg)
{
	struct session_load *l = to;

	return take_bundle_option(l->bundles, &l->nr_bundles, verb,
				  "guest-bundle", arg);
}

const struct option_spec load_options[] = {
	{ 'i', "input", "DIR", "the session (default: " DEFAULT_SESSION ")",
	  OPTION_TEXT, .at = offsetof(struct session_load, dir),
	  .value = VALUE_SESSION },
	{ 0 },
};

const struct option_spec load_bundle_options[] = {
	{ 0, "guest-bundle", "NAME=FILE",
	  "take the bundle of guest NAME from FILE", OPTION_OTHER,
	  .take = load_bundle, .value = VALUE_GUEST_FILE, .repeats = true },
	{ 0 },
};

bool load_has_bundle(const struct session_load *l, const char *name)
{
	return has_bundle(l->bundles, l->nr_bundles, name);
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

int session_load(struct session_load *l, struct analysis *a)
{
	struct problems *p = &a->session.problems;
	size_t last;
	int ret;

	memset(a, 0, sizeof(*a));
	if (!l->begun)
		names_server_begin();
	if (!l->begun &&
	    !confined_begin(l->verb, l->dir, l->bundles, l->nr_bundles))
		return EXIT_ERROR;
	ret = analysis_open(a, l->dir, l->bundles, l->nr_bundles);
	if (!ret) {
		names_begin(a);
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
