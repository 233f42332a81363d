/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a pass counts, kept apart by slices of the host's time, so that the
 * same tables can be made of any stretch of it: samples of each cell, ticks of
 * each vCPU's states with who took them, and its own samples.
 *
 * Memory is bounded by cells (where addresses are kept: a cell each), vCPUs and
 * culprits times the number of slices, whatever the recording's length.
 */
#ifndef VMMPROF_MODEL_SLICES_H
#define VMMPROF_MODEL_SLICES_H

#include "model/timeline.h"

#define VMMPROF_SLICES 512

struct vmmprof_slices {
	struct vmmprof_timeline *tl;
	__u64 from, width; /* ticks of the host TSC; width 0: one slice */
	__u64 span;	   /* of that one, after vmmprof_slices_finish() */
	struct vmmprof_slice_count {
		__u64 key;
		__u64 n;
	} * counts;
	size_t nr, cap;
	struct vmmprof_hash by_key;
	__u64 *idle; /* by track: its idle ticks counted so far */
	size_t nr_idle;
};

/*
 * Prepare for a pass: call vmmprof_slices_record() instead of
 * vmmprof_timeline_record().  @from, @to: what is measured, in host TSC.
 */
void vmmprof_slices_init(struct vmmprof_slices *s, struct vmmprof_timeline *tl,
			 __u64 from, __u64 to);
void vmmprof_slices_deinit(struct vmmprof_slices *s);

/* vmmprof_record_fn: arg is the slices; the timeline's too.  0 or -errno. */
int vmmprof_slices_record(struct vmmprof_analysis *a, void *arg,
			  const union vmmprof_rec *rec,
			  const struct vmmprof_where *where);

/* After vmmprof_timeline_finish(), or at an end of a stretch.  0 or -ENOMEM. */
int vmmprof_slices_finish(struct vmmprof_slices *s, __u64 tsc);

/*
 * Make of each two slices one, of twice the width: the upper half of them is
 * empty then.  0 or -ENOMEM.
 */
int vmmprof_slices_halve(struct vmmprof_slices *s);

/*
 * Forget all counts, and the sums of the profile and the timeline: another
 * stretch of time begins at @from.  For passes of one slice.
 */
void vmmprof_slices_clear(struct vmmprof_slices *s, __u64 from);

/*
 * Let the profile, and the vCPUs' and culprits' sums of the timeline, be of
 * slices first..last only.  Both must have been counted in slices from their
 * beginning, and the pass be over (or its sums not be needed).
 */
void vmmprof_slices_apply(struct vmmprof_slices *s, size_t first, size_t last);

#define VMMPROF_SLICE_SHIFT 50 /* of its number in a key */

/* That of a count. */
static inline size_t vmmprof_slices_of(const struct vmmprof_slice_count *c)
{
	return c->key >> VMMPROF_SLICE_SHIFT;
}

/* The slice of a time; the last one's are also all later ones. */
size_t vmmprof_slices_at(const struct vmmprof_slices *s, __u64 tsc);

/*
 * Ticks in each slice that vCPUs waited, and that they were there: of guest
 * (index, VMMPROF_NONE: all), and of one track unless it is VMMPROF_NONE.
 */
void vmmprof_slices_steal(const struct vmmprof_slices *s, __u32 guest,
			  __u32 track, __u64 steal[VMMPROF_SLICES],
			  __u64 all[VMMPROF_SLICES]);

#endif /* VMMPROF_MODEL_SLICES_H */
