// SPDX-License-Identifier: GPL-2.0-only
/* vmmprof annotate: the instructions of a function with their samples. */

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/io.h"
#include "cmd/choose.h"
#include "cmd/cmd.h"
#include "cmd/confined.h"
#include "cmd/code_options.h"
#include "cmd/load.h"
#include "cmd/pager.h"
#include "cmd/time_option.h"
#include "cmd/session_error.h"
#include "code/select.h"
#include "view/annotate.h"
#include "view/safe.h"
#include "model/pass.h"

#define NAME_BYTES 4096

enum syntax { SYNTAX_ATT, SYNTAX_INTEL };

struct annotate_cmd {
	struct page_options page;
	struct session_load load;
	struct time_option time;
	struct chosen chosen;
	const char *process;
	char **function;
	struct code_from code;
	enum syntax syntax;
	bool stdio, json;
	bool list; /* of code that is hot, nothing else */
};

#define AT(member) .at = offsetof(struct annotate_cmd, member)

static const struct option_spec own[] = {
	{ 0, "stdio", NULL, "text (default)", OPTION_FLAG, AT(stdio) },
	{ 0, "json", NULL, "the same as JSON", OPTION_FLAG, AT(json) },
	{ 0, "process", "NAME|PID", "in processes of this name or PID only",
	  OPTION_TEXT, AT(process) },
	{ 'M', "syntax", "att|intel",
	  "how instructions are written (default: att)", OPTION_WORD,
	  AT(syntax), .words = "att intel" },
	{ 0, "code-list", NULL,
	  "print which code of the guest is hot, for `vmmprof-guest code` there",
	  OPTION_FLAG, AT(list) },
	{ 0 },
};

static const struct option_group groups[] = {
	{ load_options, offsetof(struct annotate_cmd, load) },
	{ time_options, offsetof(struct annotate_cmd, time) },
	{ choose_options, offsetof(struct annotate_cmd, chosen) },
	{ own, 0 },
	{ code_options, offsetof(struct annotate_cmd, code) },
	{ load_bundle_options, offsetof(struct annotate_cmd, load) },
	{ names_options, 0 },
	{ page_options, offsetof(struct annotate_cmd, page) },
	{ 0 },
};

static const struct option_rule rules[] = {
	{ "code-list", ONLY_WITH, "guest", "it is the code of one guest" },
	{ "FUNCTION stdio json process event syntax code-from debuginfod",
	  NOT_WITH, "code-list", "the list is of all code of the guest" },
	{ "stdio json", ONE_OF, NULL, "there is one output" },
	{ "color", NOT_WITH, "json", "only text has colours" },
	{ 0 },
};

const struct options annotate_options = {
	.verb = "annotate",
	.forms = (const char
			  *const[]){ "[OPTIONS] FUNCTION [DIR]",
				     "[-i DIR] --code-list --guest=NAME > LIST",
				     NULL },
	.about =
		"Show the instructions of a function with the samples of each, with source lines\n"
		"where there is debugging information, and their text where it is at hand.",
	.groups = groups,
	.rules = rules,
	.operand = { "FUNCTION DIR", 2, .value = VALUE_FUNCTION, AT(function) },
};

/* Which buckets the user means; by string id and process id: 0 not yet known. */
struct choice {
	struct report *report;
	const struct annotate_cmd *c;
	struct selection sel;
	__u8 *functions, *processes;
};

enum { CHOICE_YES = 1, CHOICE_NO };

/* Is it this name, as the session has it or as it is shown? */
static bool same_name(const char *raw, const char *shown, const char *given)
{
	return !strcmp(raw, given) || !strcmp(shown, given);
}

static bool chosen_function(struct choice *ch, const struct bucket_key *key)
{
	const struct strings *s = &ch->report->a->resolver.strings;
	char shown[NAME_BYTES];
	__u8 *is = &ch->functions[key->func];

	if (!*is) {
		name_function(&ch->report->names, key, shown, sizeof(shown));
		*is = same_name(strings_get(s, key->func), shown,
				ch->c->function[0]) ?
			      CHOICE_YES :
			      CHOICE_NO;
	}
	return *is == CHOICE_YES;
}

static bool chosen_process(struct choice *ch, __u32 proc)
{
	const struct resolver *r = &ch->report->a->resolver;
	char shown[NAME_BYTES], pid[16];
	__u8 *is;

	if (!ch->c->process)
		return true;
	if (proc == VMMPROF_NONE)
		return false;
	is = &ch->processes[proc];
	if (!*is) {
		names_process(&ch->report->names, proc, shown, sizeof(shown));
		snprintf(pid, sizeof(pid), "%u", r->processes[proc].pid);
		*is = same_name(strings_get(&r->strings,
					    r->processes[proc].name),
				shown, ch->c->process) ||
				      !strcmp(pid, ch->c->process) ?
			      CHOICE_YES :
			      CHOICE_NO;
	}
	return *is == CHOICE_YES;
}

static bool chosen(void *arg, const struct bucket_key *key)
{
	struct choice *ch = arg;

	if (ch->report->guest != VMMPROF_ANY && key->guest != ch->report->guest)
		return false;
	if (ch->sel.event != VMMPROF_ANY && key->event != ch->sel.event)
		return false;
	return chosen_function(ch, key) && chosen_process(ch, key->proc);
}

/* Finds the functions of that name; 0 or -ENOMEM. */
static int choose_places(const struct annotate_cmd *c, struct report *r,
			 struct annotate *an)
{
	struct choice ch = {
		.report = r,
		.c = c,
		.sel = report_selection(r, 0),
		.functions = calloc(r->a->resolver.strings.nr + 1, 1),
		.processes = calloc(r->a->resolver.nr_processes + 1, 1),
	};
	int ret = -ENOMEM;

	if (ch.functions && ch.processes)
		ret = hot_places_init(&an->places, r->a, chosen, &ch);
	free(ch.functions);
	free(ch.processes);
	return ret;
}

static int none_found(const struct annotate_cmd *c)
{
	char text[256];

	safe_text(text, sizeof(text), c->function[0]);
	fprintf(stderr,
		"vmmprof annotate: no sample is in a function '%s'%s\n"
		"`vmmprof report` lists the functions, `vmmprof report --guest NAME` a guest's.\n",
		text,
		c->chosen.guest || c->process || c->chosen.event ?
			" of those asked for" :
			"");
	return EXIT_ERROR;
}

static int show(struct annotate_cmd *c, struct report *r)
{
	struct annotate an = {
		.report = r,
		.function = c->function[0],
		.files = code_from_files(&c->code),
		.intel = c->syntax == SYNTAX_INTEL,
	};
	bool none = false;
	int ret;

	ret = names_init(&r->names, r->a);
	if (!ret)
		ret = choose_places(c, r, &an);
	none = !ret && !an.places.nr;
	if (!ret && !none)
		ret = c->json ? annotate_json(&an, stdout) :
				annotate_text(&an, stdout);
	if (!ret)
		ret = io_flush(stdout);
	hot_places_deinit(&an.places);
	names_deinit(&r->names);
	if (none)
		return none_found(c);
	if (!ret)
		return EXIT_OK;
	fprintf(stderr, "vmmprof annotate: %s\n", session_strerror(-ret));
	return EXIT_ERROR;
}

/* Prints the list that `vmmprof record` would send to the guest. */
static int print_list(const struct annotate_cmd *c, struct analysis *a,
		      __u32 machine)
{
	static char list[CODE_LIST_MAX];
	int n = code_select(a, machine, list);
	char text[256];

	if (n > 0 && fwrite(list, n, 1, stdout) == 1 && !fflush(stdout))
		return EXIT_OK;
	safe_text(text, sizeof(text), c->chosen.guest);
	fprintf(stderr, "vmmprof annotate: --code-list: %s%s\n",
		n ? "" : "no function of its bundle is sampled in guest ",
		n < 0 ? strerror(-n) :
		n     ? strerror(errno) :
			text);
	return EXIT_ERROR;
}

static int run(struct annotate_cmd *c, struct analysis *a)
{
	struct report r = report_of(c->load.dir, a);
	size_t warned = a->session.problems.nr;
	int ret;

	ret = analysis_run(a, c->list ? KEEP_CODE : KEEP_ADDR, NULL, NULL);
	print_warnings(&a->session.problems, warned);
	if (ret)
		return load_failed("annotate", ret);
	if (!choose("annotate", a, &c->chosen, &r))
		return EXIT_ERROR;
	return c->list ? print_list(c, a, r.guest) : show(c, &r);
}

int cmd_annotate(int argc, char **argv)
{
	struct annotate_cmd c = { .load.verb = "annotate",
				  .load.dir = DEFAULT_SESSION,
				  .code.asks = ASKS_DEFAULT };
	struct analysis a;
	int ret;

	ret = options_parse(&annotate_options, &c, argc, argv);
	if (ret >= 0)
		return ret;
	page_colors(&c.page);
	if (!c.list && !c.function[0])
		return options_wrong(
			&annotate_options,
			"FUNCTION is missing: `vmmprof report` lists the functions");
	if (c.function[0] && c.function[1]) {
		if (strcmp(c.load.dir, DEFAULT_SESSION))
			return options_wrong(
				&annotate_options,
				"DIR has no effect with --input: both name the session; leave one of them out");
		c.load.dir = c.function[1];
	}
	if (!code_from_open(&c.code, "annotate", c.load.dir))
		return EXIT_ERROR;
	code_from_server(&c.code, DEBUGINFOD_SECONDS, true);
	names_server(&c.code);
	ret = session_load(&c.load, &a);
	if (!ret && !time_option_apply(&c.time, "annotate", &a))
		ret = EXIT_ERROR;
	if (!ret)
		ret = run(&c, &a);
	analysis_close(&a);
	code_from_end(&c.code);
	return ret;
}
