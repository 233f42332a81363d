// SPDX-License-Identifier: GPL-2.0-only
/* The program `vmmprof`: finds the verb and hands over to it. */

#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "cmd/cmd.h"
#include "cmd/confined.h"
#include <vmmprof/version.h>

static const struct verb {
	const char *name;
	int (*run)(int argc, char **argv);
	const char *help;
	bool reads; /* what guests wrote: in a process without rights */
} verbs[] = {
	{ "record", cmd_record, "sample the host and its guests", false },
	{ "top", cmd_top, "show what the host and its guests do now", false },
	{ "report", cmd_report, "show what ran, on the host and in each guest",
	  true },
	{ "annotate", cmd_annotate,
	  "show the instructions of a function with their samples", true },
	{ "steal", cmd_steal,
	  "show where each vCPU's time went, and who took it", true },
	{ "timeline", cmd_timeline, "show vCPUs' states over time", true },
	{ "export", cmd_export, "write a session in another program's format",
	  true },
	{ "diff", cmd_diff, "compare two sessions", true },
	{ "script", cmd_script, "print the records, one line each", true },
	{ "guests", cmd_guests, "list VMs, their vCPUs and threads", true },
	{ "doctor", cmd_doctor, "what this host can do, and what is in the way",
	  false },
};

static void usage(FILE *out)
{
	size_t i;

	fputs("usage: vmmprof VERB [OPTIONS]\n"
	      "       vmmprof --help | --version\n"
	      "\n"
	      "Profiles a KVM host and the programs in its guests, from the host.\n"
	      "\n",
	      out);
	for (i = 0; i < sizeof(verbs) / sizeof(verbs[0]); i++)
		fprintf(out, "  %-8s %s\n", verbs[i].name, verbs[i].help);
	fputs("\n`vmmprof VERB --help` lists a verb's options.\n", out);
}

static const struct verb *find_verb(const char *name)
{
	size_t i;

	for (i = 0; i < sizeof(verbs) / sizeof(verbs[0]); i++)
		if (!strcmp(name, verbs[i].name))
			return &verbs[i];
	return NULL;
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
		return EXIT_OK;
	}
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h") ||
	    (!strcmp(argv[1], "help") && argc == 2)) {
		usage(stdout);
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
		return confined(verb->run, argc - 1, argv + 1);
	return verb->run(argc - 1, argv + 1);
}
