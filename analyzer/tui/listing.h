/* SPDX-License-Identifier: GPL-2.0-only */
/* The rows of the panels as lines for scripts: `vmmprof top --batch`. */
#ifndef TUI_LISTING_H
#define TUI_LISTING_H

#include <stdio.h>

#include "tui/panels.h"

/*
 * Write the rows of all VMs and vCPUs, then the @limit hottest functions of
 * the host and of each VM.  Names come last in a line.  The caller checks
 * ferror(out).  0 or -ENOMEM.
 */
int panels_list(struct panels *p, __u32 limit, FILE *out);

#endif /* TUI_LISTING_H */
