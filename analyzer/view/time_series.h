/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A session's entries in the order of time: each in parts, by bins of the
 * host's time.  The parts of an entry sum to its samples.
 *
 * Time by switch records is exact to a bin; its samples are whole ones, so what
 * is shorter than half a sampling period comes when it has become one.
 */
#ifndef VMMPROF_VIEW_OVERTIME_H
#define VMMPROF_VIEW_OVERTIME_H

#include "view/entries.h"
#include "model/slices.h"

/* Bins are made wider rather than to have more parts than about so many. */
#define VMMPROF_OVERTIME_PARTS 1000000

struct vmmprof_overtime_part {
	__u32 entry; /* its number */
	__u32 bin;
	__u64 samples; /* at least 1 */
};

struct vmmprof_overtime {
	/* by machine, vCPU, bin and process */
	struct vmmprof_overtime_part *parts;
	size_t nr, cap;
	__u32 nr_bins;
	double bin_ns;
};

/*
 * @es: of @r, by vmmprof_entries_init_maps(); @s: of the pass it was made of.
 * The sums of the profile and the timeline are those of one bin then.  0 or
 * -ENOMEM; deinit is due in either case.
 */
int vmmprof_overtime_init(struct vmmprof_overtime *o,
			  const struct vmmprof_report *r,
			  const struct vmmprof_entries *es,
			  const struct vmmprof_slices *s);
void vmmprof_overtime_deinit(struct vmmprof_overtime *o);

#endif /* VMMPROF_VIEW_OVERTIME_H */
