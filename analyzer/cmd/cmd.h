/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The verbs.  Each gets its own arguments (argv[0] is "vmmprof VERB"), prints
 * its own errors and returns the program's exit status.
 */
#ifndef CMD_CMD_H
#define CMD_CMD_H

#define EXIT_OK	   0
#define EXIT_ERROR 1 /* could not be done */
#define EXIT_USAGE 2 /* wrong use of the command line */

int cmd_record(int argc, char **argv);
int cmd_top(int argc, char **argv);
int cmd_report(int argc, char **argv);
int cmd_steal(int argc, char **argv);
int cmd_timeline(int argc, char **argv);
int cmd_export(int argc, char **argv);
int cmd_diff(int argc, char **argv);
int cmd_script(int argc, char **argv);
int cmd_annotate(int argc, char **argv);
int cmd_guests(int argc, char **argv);
int cmd_doctor(int argc, char **argv);

#endif /* CMD_CMD_H */
