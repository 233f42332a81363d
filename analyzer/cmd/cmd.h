/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The verbs.  Each gets its own arguments (argv[0] is "vmmprof VERB"), prints
 * its own errors and returns the program's exit status.
 */
#ifndef VMMPROF_CMD_H
#define VMMPROF_CMD_H

#define VMMPROF_EXIT_OK	   0
#define VMMPROF_EXIT_ERROR 1 /* could not be done */
#define VMMPROF_EXIT_USAGE 2 /* wrong use of the command line */

int vmmprof_cmd_record(int argc, char **argv);
int vmmprof_cmd_top(int argc, char **argv);
int vmmprof_cmd_report(int argc, char **argv);
int vmmprof_cmd_steal(int argc, char **argv);
int vmmprof_cmd_timeline(int argc, char **argv);
int vmmprof_cmd_export(int argc, char **argv);
int vmmprof_cmd_diff(int argc, char **argv);
int vmmprof_cmd_script(int argc, char **argv);
int vmmprof_cmd_annotate(int argc, char **argv);
int vmmprof_cmd_guests(int argc, char **argv);
int vmmprof_cmd_doctor(int argc, char **argv);

#endif /* VMMPROF_CMD_H */
