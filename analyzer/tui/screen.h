/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The terminal, by ncurses: shows grids and reads keys.  It is restored
 * whatever ends the program.
 */
#ifndef TUI_SCREEN_H
#define TUI_SCREEN_H

#include "tui/grid.h"
#include "tui/wire.h"

/*
 * Take over the terminal on standard input and output; only once in a process.
 * Until screen_close(), signals that end the program (also a crash) first
 * restore it, unless they are blocked.  0; -ENOTTY: there is no terminal;
 * -ENOENT: its type (TERM) is not known; -ENOTSUP: it can only print lines.
 */
int screen_open(void);
void screen_close(void);

/* Its size, as a RESIZE event. */
void screen_size(struct tui_event *ev);

/*
 * The next event that has arrived.  True: there was one.  Call it also if
 * poll(2) was interrupted: the size may have changed.
 */
bool screen_key(struct tui_event *ev);

void screen_show(const struct grid *g);

#endif /* TUI_SCREEN_H */
