/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Text on a terminal goes through a pager, as with git: VMMPROF_PAGER, PAGER, or
 * less.  It has the user's rights: the process that the user started runs it,
 * not the reader, whose output it is given.
 */
#ifndef CMD_PAGER_H
#define CMD_PAGER_H

#include <stdbool.h>

#include "cmd/options.h"

/* What verbs with text have in common. */
struct page_options {
	bool no_pager;
	enum { COLOR_AUTO, COLOR_ALWAYS, COLOR_NEVER } color;
};

extern const struct option_spec page_options[];

/* In the reader, before the text: is it to have colours? */
void page_colors(const struct page_options *o);

/*
 * Start a pager, and let standard output, and errors that a terminal has, go
 * into it: if a verb with @o prints text to a terminal by this command line.
 * True if there is one.
 */
bool pager_start(const struct options *o, int argc, char **argv);

/* All is written: wait until the user has read it.  Does nothing without one. */
void pager_end(void);

bool pager_runs(void);

#endif /* CMD_PAGER_H */
