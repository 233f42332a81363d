// SPDX-License-Identifier: GPL-2.0-only
/* vmmprof annotate: the instructions of a function with their samples. */

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/choose.h"
#include "cmd/cmd.h"
#include "cmd/confined.h"
#include "cmd/code_options.h"
#include "cmd/load.h"
#include "cmd/session_error.h"
#include "code/select.h"
#include "view/annotate.h"
#include "view/safe.h"

#define NAME_BYTES 4096

struct annotate_cmd {
	struct session_load load;
	const char *function, *guest, *event, *process;
	struct code_from code;
	bool json, intel;
	bool list; /* of code that is hot, nothing else */
};

/* Which cells the user means; by string id and process id: 0 not yet asked. */
struct choice {
	struct report *report;
	const struct annotate_cmd *c;
	struct selection sel;
	__u8 *functions, *processes;
};

enum { CHOICE_YES = 1, CHOICE_NO };

static void annotate_usage(FILE *out)
{
	fputs("usage: vmmprof annotate [OPTIONS] FUNCTION\n"
	      "\n"
	      "Show the instructions of a function with the samples of each, with source lines\n"
	      "where there is debugging information, and their text where it is at hand.\n"
	      "\n"
	      "  -i, --input DIR            the session (default: " DEFAULT_SESSION
	      ")\n"
	      "      --stdio                text (default)\n"
	      "      --json                 the same as JSON\n"
	      "      --guest NAME           in this guest only (default: host and all guests)\n"
	      "      --process NAME|PID     in processes of this name or PID only\n"
	      "  -e, --event EVENT          samples of this event (default: the first one)\n"
	      "  -M, --syntax att|intel     how instructions are written (default: att)\n"
	      "      --code-from FILE       a program, library or vmlinux that ran, copied here,\n"
	      "                             of a guest for example; known by its build-id\n"
	      "      --debuginfod=WHICH     ask the servers of $DEBUGINFOD_URLS for files that are\n"
	      "                             not here: those of the host (default), all (those of\n"
	      "                             guests, too), no\n"
	      "      --code-list            print which code of the guest of --guest is hot, for\n"
	      "                             `vmmprof-guest code` there\n"
	      "      --guest-bundle NAME=FILE\n"
	      "                             take the bundle of guest NAME from FILE\n"
	      "  -h, --help                 this text\n",
	      out);
}

static bool parse_syntax(struct annotate_cmd *c, const char *arg)
{
	c->intel = !strcmp(arg, "intel");
	if (c->intel || !strcmp(arg, "att"))
		return true;
	fprintf(stderr, "vmmprof annotate: -M wants att or intel, not '%s'\n",
		arg);
	return false;
}

/* What is left is the function's name. */
static int end_options(struct annotate_cmd *c, bool ok, int argc, char **argv)
{
	if (ok && c->list && !c->guest) {
		fputs("vmmprof annotate: --code-list: of which guest? Name it with --guest\n",
		      stderr);
		ok = false;
	}
	if (ok && optind < argc && !c->list)
		c->function = argv[optind++];
	else if (ok && !c->list)
		fputs("vmmprof annotate: which function? `vmmprof report` lists them\n",
		      stderr);
	return load_options_end("annotate", ok && (c->function || c->list),
				argc, argv);
}

/* -1: go on; else the exit status. */
static int parse_options(struct annotate_cmd *c, int argc, char **argv)
{
	enum {
		OPT_STDIO = 256,
		OPT_JSON,
		OPT_GUEST,
		OPT_PROCESS,
		OPT_CODE,
		OPT_SERVER,
		OPT_LIST,
		OPT_BUNDLE
	};
	static const struct option options[] = {
		{ "input", required_argument, NULL, 'i' },
		{ "stdio", no_argument, NULL, OPT_STDIO },
		{ "json", no_argument, NULL, OPT_JSON },
		{ "guest", required_argument, NULL, OPT_GUEST },
		{ "process", required_argument, NULL, OPT_PROCESS },
		{ "event", required_argument, NULL, 'e' },
		{ "syntax", required_argument, NULL, 'M' },
		{ "code-from", required_argument, NULL, OPT_CODE },
		{ "debuginfod", required_argument, NULL, OPT_SERVER },
		{ "code-list", no_argument, NULL, OPT_LIST },
		{ "guest-bundle", required_argument, NULL, OPT_BUNDLE },
		{ "help", no_argument, NULL, 'h' },
		{ NULL, 0, NULL, 0 },
	};
	bool ok = true, help = false;
	int opt;

	optind = 0;
	while (ok && !help &&
	       (opt = getopt_long(argc, argv, "i:e:M:h", options, NULL)) !=
		       -1) {
		if (opt == 'i')
			c->load.dir = optarg;
		else if (opt == OPT_STDIO || opt == OPT_JSON)
			c->json = opt == OPT_JSON;
		else if (opt == OPT_GUEST)
			c->guest = optarg;
		else if (opt == OPT_PROCESS)
			c->process = optarg;
		else if (opt == 'e')
			c->event = optarg;
		else if (opt == 'M')
			ok = parse_syntax(c, optarg);
		else if (opt == OPT_CODE)
			ok = code_from_add(&c->code, "annotate", optarg);
		else if (opt == OPT_SERVER)
			ok = code_from_which(&c->code, "annotate", optarg);
		else if (opt == OPT_LIST)
			c->list = true;
		else if (opt == OPT_BUNDLE)
			ok = load_bundle_option(&c->load, "annotate", optarg);
		else if (opt == 'h')
			help = true;
		else
			ok = false;
	}
	if (help) {
		annotate_usage(stdout);
		return EXIT_OK;
	}
	return end_options(c, ok, argc, argv);
}

/* A name as the session has it, or as it is shown. */
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
				ch->c->function) ?
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

/* The places; 0 or -ENOMEM. */
static int choose(const struct annotate_cmd *c, struct report *r,
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

	safe_text(text, sizeof(text), c->function);
	fprintf(stderr,
		"vmmprof annotate: no sample is in a function '%s'%s\n"
		"`vmmprof report` lists the functions, `vmmprof report --guest NAME` a guest's.\n",
		text,
		c->guest || c->process || c->event ? " of those asked for" :
						     "");
	return EXIT_ERROR;
}

static int show(struct annotate_cmd *c, struct report *r)
{
	struct annotate an = {
		.report = r,
		.function = c->function,
		.files = code_from_files(&c->code),
		.intel = c->intel,
	};
	bool none = false;
	int ret;

	ret = names_init(&r->names, r->a);
	if (!ret)
		ret = choose(c, r, &an);
	none = !ret && !an.places.nr;
	if (!ret && !none)
		ret = c->json ? annotate_json(&an, stdout) :
				annotate_text(&an, stdout);
	if (!ret && (fflush(stdout) || ferror(stdout)))
		ret = errno ? -errno : -EIO;
	hot_places_deinit(&an.places);
	names_deinit(&r->names);
	if (none)
		return none_found(c);
	if (!ret)
		return EXIT_OK;
	fprintf(stderr, "vmmprof annotate: %s\n", session_strerror(-ret));
	return EXIT_ERROR;
}

/* What `vmmprof record` asks a guest for that it can reach. */
static int print_list(const struct annotate_cmd *c, struct analysis *a,
		      __u32 machine)
{
	static char list[CODE_LIST_MAX];
	int n = code_select(a, machine, list);
	char text[256];

	if (n > 0 && fwrite(list, n, 1, stdout) == 1 && !fflush(stdout))
		return EXIT_OK;
	safe_text(text, sizeof(text), c->guest);
	fprintf(stderr, "vmmprof annotate: --code-list: %s%s\n",
		n ? "" : "no function of its bundle is sampled in guest ",
		n < 0 ? strerror(-n) :
		n     ? strerror(errno) :
			text);
	return EXIT_ERROR;
}

static int run(struct annotate_cmd *c, struct analysis *a)
{
	struct report r = {
		.dir = c->load.dir,
		.a = a,
		.guest = VMMPROF_ANY,
		.vcpu = VMMPROF_ANY,
		.pid = VMMPROF_ANY,
		.event = VMMPROF_ANY,
	};
	size_t warned = a->session.problems.nr;
	int ret;

	ret = analysis_run(a, KEEP_ADDR, NULL, NULL);
	print_warnings(&a->session.problems, warned);
	if (ret)
		return load_failed("annotate", ret);
	if (!choose_guest("annotate", a, c->guest, &r.guest) ||
	    !choose_session_event("annotate", a, c->event, &r.event))
		return EXIT_ERROR;
	return c->list ? print_list(c, a, r.guest) : show(c, &r);
}

int cmd_annotate(int argc, char **argv)
{
	struct annotate_cmd c = { .load.verb = "annotate",
				  .load.dir = DEFAULT_SESSION };
	struct analysis a;
	int ret;

	ret = parse_options(&c, argc, argv);
	if (ret >= 0)
		return ret;
	if (!code_from_open(&c.code, "annotate", c.load.dir))
		return EXIT_ERROR;
	code_from_server(&c.code, DEBUGINFOD_SECONDS, true);
	ret = session_load(&c.load, &a);
	if (!ret)
		ret = run(&c, &a);
	analysis_close(&a);
	code_from_end(&c.code);
	return ret;
}
