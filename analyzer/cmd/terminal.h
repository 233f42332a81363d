/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The terminal of a verb that shows panels.  The process that reads what
 * guests wrote has no terminal: it sends screens to its parent through a
 * socket and gets keys.
 */
#ifndef VMMPROF_CMD_TERMINAL_H
#define VMMPROF_CMD_TERMINAL_H

#include "../tui/panels.h"

/*
 * In the parent: until the other end is closed, or says that it has done with
 * the terminal.
 */
void vmmprof_terminal_serve(int fd);

/*
 * In the reader: let the panels be used until the user leaves.  Returns the
 * exit status, with a message.
 */
int vmmprof_terminal_run(const char *verb, struct vmmprof_panels *p);

#endif /* VMMPROF_CMD_TERMINAL_H */
