/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The verbs.  Each gets its own arguments (argv[0] is "vmmprof VERB"), prints
 * its own errors and returns the program's exit status.
 */
#ifndef CMD_CMD_H
#define CMD_CMD_H

#include <stdbool.h>

#define EXIT_OK	   0
#define EXIT_ERROR 1 /* could not be done */
#define EXIT_USAGE 2 /* wrong use of the command line */

struct options; /* cmd/options.h */

struct verb {
	const char *name;
	int (*run)(int argc, char **argv);
	const struct options *options;
	const char *help;
	bool reads; /* what guests wrote: in a process without rights */
};

int cmd_record(int argc, char **argv);
int cmd_top(int argc, char **argv);
int cmd_agent(int argc, char **argv);
int cmd_push(int argc, char **argv);
int cmd_report(int argc, char **argv);
int cmd_steal(int argc, char **argv);
int cmd_exits(int argc, char **argv);
int cmd_timeline(int argc, char **argv);
int cmd_export(int argc, char **argv);
int cmd_diff(int argc, char **argv);
int cmd_script(int argc, char **argv);
int cmd_annotate(int argc, char **argv);
int cmd_guests(int argc, char **argv);
int cmd_doctor(int argc, char **argv);
int cmd_selftest(int argc, char **argv);

/* Their options. */
extern const struct options record_options, top_options, report_options,
	steal_options, exits_options, timeline_options, export_options,
	diff_options, script_options, annotate_options, guests_options,
	doctor_options, selftest_options, agent_options, push_options;

#endif /* CMD_CMD_H */
