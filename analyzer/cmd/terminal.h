/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The terminal of a verb that shows panels.  The reader has no terminal:
 * through a socket it sends screens to its parent and receives keys.
 */
#ifndef CMD_TERMINAL_H
#define CMD_TERMINAL_H

#include "tui/panels.h"

/*
 * In the parent: serve the reader until it closes its end, or no longer needs
 * the terminal.
 */
void terminal_serve(int fd);

/*
 * In the reader: show the panels until the user leaves.  Returns the exit
 * status; an error is printed.
 */
int terminal_run(const char *verb, struct panels *p);

/* The parts of both, for a caller (top) that has more to do meanwhile. */

/* Is there a terminal?  False: with a message. */
bool terminal_there(const char *verb);

/* Take it over; screen_close() restores it.  False: with a message. */
bool terminal_open(void);

/* Send the keys that were pressed.  *sent: there were some.  0 or -errno. */
int terminal_keys(int fd, bool *sent);

/* Receive the next screen, and show it.  False: there is none. */
bool terminal_screen(int fd, struct grid *g, bool show);

/* Called in the reader for a DATA event, to read its data.  0 or -errno. */
typedef int terminal_data(void *arg, int fd);

/*
 * In the reader: each event is answered by a screen.  0: the user leaves, or
 * -errno; -EPIPE: the other end is closed.
 */
int terminal_loop(int fd, struct panels *p, terminal_data *data, void *arg);

#endif /* CMD_TERMINAL_H */
