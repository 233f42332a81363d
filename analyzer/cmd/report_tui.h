/* SPDX-License-Identifier: GPL-2.0-only */
/* vmmprof report --tui: the session as panels. */
#ifndef VMMPROF_CMD_REPORTTUI_H
#define VMMPROF_CMD_REPORTTUI_H

#include "cmd/code_options.h"

/*
 * Read the open session and show it until the user leaves.  @event: the one to
 * begin with, NULL: the first that has samples; @code: open.  Returns the exit
 * status, with a message.
 */
int vmmprof_report_tui(struct vmmprof_analysis *a, const char *dir,
		       const char *event, struct vmmprof_code_from *code);

#endif /* VMMPROF_CMD_REPORTTUI_H */
