/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A profile of pprof as stores of profiles take it: one kind of time, stacks
 * without labels, no larger than they allow.
 */
#ifndef VIEW_PPROF_STACKS_H
#define VIEW_PPROF_STACKS_H

#include <stdio.h>

#include "view/stack_list.h"

/* What Grafana Pyroscope takes, by its defaults. */
#define PPROF_STACKS_MAX 16000
#define PPROF_BYTES_MAX	 (4u << 20) /* before it is packed */

struct pprof_head {
	const char *type; /* "cpu"; its unit is nanoseconds */
	const char *root; /* the outermost frame of what is folded */
	__u64 period_ns;
	__u64 real_ns, duration_ns;
};

/* What it has, and what did not fit. */
struct pprof_size {
	__u32 stacks;
	__u64 folded,
		folded_ns; /* stacks that are one, [other], and its time */
};

/*
 * Writes the profile, gzipped.  Sorts @l; stacks of least time that do not fit are
 * one, "[other]" below the root, so the sum is that of all.  0, -ENOMEM or -EIO.
 */
int pprof_stacks_put(struct stack_list *l, const struct pprof_head *h,
		     struct pprof_size *size, FILE *out);

#endif /* VIEW_PPROF_STACKS_H */
