// SPDX-License-Identifier: GPL-2.0-only
/* The program `vmmprof`: finds the verb and hands over to it. */

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "cmd/cmd.h"
#include "cmd/options.h"
#include "cmd/complete.h"
#include "cmd/confined.h"
#include <vmmprof/version.h>

static const struct verb verbs[] = {
	{ "record", cmd_record, &record_options,
	  "sample the host and its guests", false },
	{ "top", cmd_top, &top_options,
	  "show what the host and its guests do now", false },
	{ "agent", cmd_agent, &agent_options,
	  "sample all the time, for stores of metrics and profiles", false },
	{ "push", cmd_push, &push_options,
	  "send profiles to a store of profiles", false },
	{ "report", cmd_report, &report_options,
	  "show what ran, on the host and in each guest", true },
	{ "annotate", cmd_annotate, &annotate_options,
	  "show the instructions of a function with their samples", true },
	{ "steal", cmd_steal, &steal_options,
	  "show where each vCPU's time went, and who took it", true },
	{ "exits", cmd_exits, &exits_options,
	  "show VM exits by their reason, and what causes them", true },
	{ "timeline", cmd_timeline, &timeline_options,
	  "show vCPUs' states over time", true },
	{ "export", cmd_export, &export_options,
	  "write a session in another program's format", true },
	{ "diff", cmd_diff, &diff_options, "compare two sessions", true },
	{ "script", cmd_script, &script_options,
	  "print the records, one line each", true },
	{ "guests", cmd_guests, &guests_options,
	  "list VMs, their vCPUs and threads", true },
	{ "doctor", cmd_doctor, &doctor_options,
	  "what this host can do, and what is in the way", false },
	{ "selftest", cmd_selftest, &selftest_options,
	  "sample a VM of known work, and say whether that is right", false },
	{ 0 },
};

static void usage(FILE *out)
{
	const struct verb *v;

	fputs("usage: vmmprof VERB [OPTIONS]\n"
	      "       vmmprof --help | --version\n"
	      "\n"
	      "Profiles a KVM host and the programs in its guests, from the host.\n"
	      "\n",
	      out);
	for (v = verbs; v->name; v++)
		fprintf(out, "  %-8s %s\n", v->name, v->help);
	fputs("\n`vmmprof VERB --help` lists a verb's options.\n", out);
}

static const struct verb *find_verb(const char *name)
{
	const struct verb *v;

	for (v = verbs; v->name && strcmp(v->name, name); v++)
		;
	return v->name ? v : NULL;
}

/* Could all that was printed be written? */
static int written(void)
{
	if (!fflush(stdout) && !ferror(stdout))
		return EXIT_OK;
	fprintf(stderr, "vmmprof: %s\n", strerror(errno));
	return EXIT_ERROR;
}

int main(int argc, char **argv)
{
	const struct verb *verb;
	char name[32];

	/* a file that cannot grow (ulimit -f) is an error, no end */
	signal(SIGXFSZ, SIG_IGN);
	if (argc < 2) {
		usage(stderr);
		return EXIT_USAGE;
	}
	if (!strcmp(argv[1], "--version") || !strcmp(argv[1], "-V")) {
		puts("vmmprof " VMMPROF_VERSION);
		return written();
	}
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h") ||
	    (!strcmp(argv[1], "help") && argc == 2)) {
		usage(stdout);
		return written();
	}
	/* for shells, and for the manual */
	if (!strcmp(argv[1], "--complete"))
		return complete(verbs, argc - 2, argv + 2);
	if (!strcmp(argv[1], "--synopsis") && argc == 3 && find_verb(argv[2])) {
		options_synopsis(find_verb(argv[2])->options, stdout);
		return EXIT_OK;
	}
	/* `vmmprof help VERB` is `vmmprof VERB --help` */
	if (!strcmp(argv[1], "help")) {
		static char option[] = "--help";

		argv[1] = argv[2];
		argv[2] = option;
		argc = 3;
	}
	verb = find_verb(argv[1]);
	if (!verb) {
		fprintf(stderr,
			"vmmprof: there is no verb '%s': `vmmprof --help` lists them\n",
			argv[1]);
		return EXIT_USAGE;
	}
	/* getopt_long() begins its errors with it */
	snprintf(name, sizeof(name), "vmmprof %s", verb->name);
	argv[1] = name;
	if (verb->reads)
		return confined(verb->run, verb->options, argc - 1, argv + 1);
	return verb->run(argc - 1, argv + 1);
}
