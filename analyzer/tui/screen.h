/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The terminal, by ncurses: shows grids, reads keys, and is left as it was
 * found whatever ends the program.
 */
#ifndef TUI_SCREEN_H
#define TUI_SCREEN_H

#include "tui/grid.h"
#include "tui/wire.h"

/*
 * Take the terminal on standard input and output; once a process.  From now on
 * until screen_close() signals that end the program (a crash too) give
 * it back first, unless they are blocked.  0; -ENOTTY: there is none, -ENOENT:
 * nothing is known of its type (TERM), -ENOTSUP: it can only print lines.
 */
int screen_open(void);
void screen_close(void);

/* Its size, as a RESIZE event. */
void screen_size(struct tui_event *ev);

/*
 * The next event that is there.  True: there was one.  Call it also when
 * poll(2) was interrupted: its size may have changed.
 */
bool screen_key(struct tui_event *ev);

void screen_show(const struct grid *g);

#endif /* TUI_SCREEN_H */
