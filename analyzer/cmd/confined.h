/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Verbs that read what guests wrote run in a process of their own, which gives
 * up its rights before it reads the first byte.
 */
#ifndef CMD_CONFINED_H
#define CMD_CONFINED_H

#include "model/analysis.h"

/*
 * Run a verb in such a process.  Returns the program's exit status; ends the
 * program by the signal that ended the process, if that was somebody's wish.
 */
int confined(int (*run)(int argc, char **argv), int argc, char **argv);

/*
 * Why such a process, which reads @what, did not end by itself: @err and @sig of
 * confine_run_served().  @more: what else is to be done about an attack.
 */
void confined_say_end(const char *verb, const char *what, int err, int sig,
		      const char *more);

/*
 * Before confined_begin(): open another session and its bundles, too.
 * False, with a message: do not read.
 */
bool confined_also(const char *verb, const char *dir,
		   const struct bundle_option *options, size_t nr_options);

/*
 * In that process, before anything is read: open the session and the bundles
 * of options, then give up all rights.  False, with a message: do not read.
 */
bool confined_begin(const char *verb, const char *dir,
		    const struct bundle_option *options, size_t nr_options);

#endif /* CMD_CONFINED_H */
