/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The panels of `vmmprof report --tui` and `vmmprof top`: above, VMs and vCPUs
 * (or the processes, or functions, of the one that was entered) with their
 * states; below, the hottest functions of the row chosen above; over them the
 * instructions of a function.  A state machine: keys in, a grid of characters
 * out; it knows no terminal.
 *
 * All numbers are those of steal and table, and of
 * annotate if the pass kept addresses.
 */
#ifndef TUI_PANELS_H
#define TUI_PANELS_H

#include "tui/panels_state.h"

/*
 * tl, slices and names are the caller's and stay, so do .files, if he sets
 * them afterwards.  0 or -ENOMEM; deinit is due in either case.
 */
int panels_init(struct panels *p, struct timeline *tl, struct slices *slices,
		struct names *names);
void panels_deinit(struct panels *p);

/* Take an event.  False: the user wants to leave. */
bool panels_key(struct panels *p, const struct tui_event *ev);

void panels_draw(struct panels *p, struct grid *g);

/* There are new numbers, or another stretch of time: make all rows again. */
void panels_refresh(struct panels *p);

/*
 * The instructions that are shown, of the samples there are now, unless the
 * function has none.  The lines in sight stay.  0 or -ENOMEM.
 */
int panels_renew_code(struct panels *p);

#endif /* TUI_PANELS_H */
