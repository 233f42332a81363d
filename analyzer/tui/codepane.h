/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The instructions of a function over the panels: the text that `vmmprof
 * annotate` writes, of the samples of one row, to scroll in.
 */
#ifndef TUI_CODEPANE_H
#define TUI_CODEPANE_H

#include "tui/panels.h"

/*
 * Show the function sel->of of a selection.  0 or -ENOMEM; code_close()
 * is due in either case.
 */
int code_open(struct panels *p, const struct selection *sel);
void code_close(struct panels *p);

/*
 * The same of the samples there are now, unless there are none of it.  Where
 * one looks at stays.  0 or -ENOMEM.
 */
int code_renew(struct panels *p);

/* As panels_key(), while it is open. */
bool code_key(struct panels *p, const struct tui_event *ev);

void code_draw(struct panels *p, struct grid *g);

#endif /* TUI_CODEPANE_H */
