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

/* What the rows are of. */
struct panels_interval {
	const char *host; /* its name, safe to print */
	__u64 begin;	  /* since sampling began, ticks */
	__u64 span;	  /* ticks */
	__u64 own_ns;	  /* CPU time that showing it took */
	__u64 lost;	  /* samples */
	__u64 samples;
};

/* The same as one object of JSON in one line. */
int panels_list_json(struct panels *p, const struct panels_interval *now,
		     __u32 limit, FILE *out);

#endif /* TUI_LISTING_H */
