/* SPDX-License-Identifier: GPL-2.0-only */
/* vmmprof report --tui: the session as panels. */
#ifndef CMD_REPORT_TUI_H
#define CMD_REPORT_TUI_H

#include "cmd/code_options.h"

/*
 * Read the open session and show it until the user leaves.  @event: the one to
 * begin with, NULL: the first that has samples; @code: open.  Returns the exit
 * status, with a message.
 */
int report_tui(struct analysis *a, const char *dir, const char *event,
	       struct code_from *code);

#endif /* CMD_REPORT_TUI_H */
