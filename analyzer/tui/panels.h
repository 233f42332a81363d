/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The panels of `vmmprof report --tui` and `vmmprof top`: above, VMs and vCPUs
 * (or the processes, or functions, of the one that was entered) with their
 * states; below, the hottest functions of the row chosen above.  The
 * instructions of a function are shown over both.  This is a state machine:
 * keys in, a grid of characters out.  It does not use a terminal.
 *
 * All numbers come from view/steal.h and view/table.h, and from view/annotate.h
 * if the pass kept addresses.
 */
#ifndef TUI_PANELS_H
#define TUI_PANELS_H

#include "tui/panels_state.h"

/*
 * tl, slices and names stay the caller's and must outlive the panels, as must
 * .files if the caller sets it afterwards.  0 or -ENOMEM; deinit is due in
 * either case.
 */
int panels_init(struct panels *p, struct timeline *tl, struct slices *slices,
		struct names *names);
void panels_deinit(struct panels *p);

/* Take an event.  False: the user wants to leave. */
bool panels_key(struct panels *p, const struct tui_event *ev);

void panels_draw(struct panels *p, struct grid *g);

/*
 * To be called if the numbers or the stretch of time changed: makes all rows.
 */
void panels_refresh(struct panels *p);

/*
 * Shows the same instructions again from the current samples; if the function
 * has none now, nothing changes.  The position in the text stays.  0 or -ENOMEM.
 */
int panels_renew_code(struct panels *p);

/*
 * Show call chains below the rows of functions: what trees_state.h calls the caller's
 * of @how, which stays so until deinit.  Before the first screen.
 */
void panels_chains(struct panels *p, const struct trees *how);

#endif /* TUI_PANELS_H */
