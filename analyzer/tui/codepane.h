/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The instructions of a function over the panels: the text that `vmmprof
 * annotate` writes, of the samples of one row, to scroll in.
 */
#ifndef VMMPROF_TUI_CODEPANE_H
#define VMMPROF_TUI_CODEPANE_H

#include "tui/panels.h"

/*
 * Show the function sel->of of a selection.  0 or -ENOMEM; vmmprof_code_close()
 * is due in either case.
 */
int vmmprof_code_open(struct vmmprof_panels *p,
		      const struct vmmprof_selection *sel);
void vmmprof_code_close(struct vmmprof_panels *p);

/*
 * The same of the samples there are now, unless there are none of it.  Where
 * one looks at stays.  0 or -ENOMEM.
 */
int vmmprof_code_renew(struct vmmprof_panels *p);

/* As vmmprof_panels_key(), while it is open. */
bool vmmprof_code_key(struct vmmprof_panels *p,
		      const struct vmmprof_tui_event *ev);

void vmmprof_code_draw(struct vmmprof_panels *p, struct vmmprof_grid *g);

#endif /* VMMPROF_TUI_CODEPANE_H */
