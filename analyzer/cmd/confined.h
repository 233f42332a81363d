/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Verbs that read what guests wrote run in a separate process, the reader,
 * which gives up its rights before it reads the first byte.
 */
#ifndef CMD_CONFINED_H
#define CMD_CONFINED_H

#include "cmd/analysis_open.h"

struct options; /* cmd/options.h */

/*
 * Run a verb in a reader.  Returns the program's exit status.  If somebody
 * ended the reader by a signal, the program ends by the same signal.
 */
int confined(int (*run)(int argc, char **argv), const struct options *options,
	     int argc, char **argv);

/* Ends the program by this signal, as if nobody had caught it. */
int confined_end_by(int sig);

/*
 * Why such a process, which reads @what, did not end by itself: @err and @sig
 * of confine_run_served().  @more: what else is to be done about an attack.
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
 * Before confined_begin(): somebody sits before this reader, or ends it when he
 * has seen enough (panels, top).  Its CPU time has no bound.
 */
void confined_endless(void);

/*
 * To be called in the reader before anything is read: open the session and the
 * bundles of options, then give up all rights.  False, with a message: do not
 * read.
 */
bool confined_begin(const char *verb, const char *dir,
		    const struct bundle_option *options, size_t nr_options);

#endif /* CMD_CONFINED_H */
