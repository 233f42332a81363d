/* SPDX-License-Identifier: GPL-2.0-only */
/* vmmprof report --tui: the session as panels. */
#ifndef CMD_REPORT_TUI_H
#define CMD_REPORT_TUI_H

#include "cmd/code_options.h"

/* How call chains are shown; as the options of vmmprof report. */
struct report_tui_chains {
	bool wanted;	    /* by an option: a session without any is refused */
	bool inlines;	    /* functions inlined in others are frames */
	unsigned int order; /* enum chain_order */
	bool children;
	double percent; /* of branches, at least */
};

/*
 * Read the open session and show it until the user leaves.  @event: the one to
 * begin with, NULL: the first that has samples; @code: open.  Returns the exit
 * status, with a message.
 */
int report_tui(struct analysis *a, const char *dir, const char *event,
	       const struct report_tui_chains *how, struct code_from *code);

/* Says that chains were asked for and there are none.  An exit status. */
int report_no_chains(void);

#endif /* CMD_REPORT_TUI_H */
