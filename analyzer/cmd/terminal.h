/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The terminal of a verb that shows panels.  The process that reads what
 * guests wrote has no terminal: it sends screens to its parent through a
 * socket and gets keys.
 */
#ifndef CMD_TERMINAL_H
#define CMD_TERMINAL_H

#include "tui/panels.h"

/*
 * In the parent: until the other end is closed, or says that it has done with
 * the terminal.
 */
void terminal_serve(int fd);

/*
 * In the reader: let the panels be used until the user leaves.  Returns the
 * exit status, with a message.
 */
int terminal_run(const char *verb, struct panels *p);

/* What follows are the parts of both, for who has more to do meanwhile. */

/* Is there a terminal?  False: with a message. */
bool terminal_there(const char *verb);

/* Take it; screen_close() gives it back.  False: with a message. */
bool terminal_open(void);

/* Send the keys that are there.  *sent: there were some.  0 or -errno. */
int terminal_keys(int fd, bool *sent);

/* Receive the next screen, and show it.  False: there is none. */
bool terminal_screen(int fd, struct grid *g, bool show);

/* Called in the reader for a DATA event, to read what follows.  0 or -errno. */
typedef int terminal_data(void *arg, int fd);

/*
 * In the reader: each event is answered by a screen.  0: the user leaves, or
 * -errno; -EPIPE: the other end is closed.
 */
int terminal_loop(int fd, struct panels *p, terminal_data *data, void *arg);

#endif /* CMD_TERMINAL_H */
