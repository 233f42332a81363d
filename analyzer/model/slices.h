/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a pass counts, kept apart by slices of the host's time, so that the same
 * tables can be made of any stretch of it: samples of each bucket, ticks of
 * each vCPU's states with their thieves, and its own samples.
 *
 * Memory is bounded by buckets (one for each address, if addresses are kept),
 * vCPUs and thieves times the number of slices, whatever the recording's
 * length.
 */
#ifndef MODEL_SLICES_H
#define MODEL_SLICES_H

#include "model/slices_state.h"

/*
 * Prepare for a pass: call slices_record() instead of
 * timeline_record().  @from, @to: what is measured, in host TSC.
 */
void slices_init(struct slices *s, struct timeline *tl, __u64 from, __u64 to);
void slices_deinit(struct slices *s);

/* record_fn: arg is the slices; the timeline's too.  0 or -errno. */
int slices_record(struct analysis *a, void *arg, const union rec *rec,
		  const struct resolved *where);

/*
 * Until slices_queue_end(), which is due before anything looks at the counts: the
 * pass is one of samples that the profile queues, and they are counted when by
 * then the memory to touch is in the CPU's cache.
 */
void slices_queue_begin(struct slices *s);
/* 0 or -ENOMEM */
int slices_queue_end(struct slices *s);

/* After timeline_finish(), or at an end of a stretch.  0 or -ENOMEM. */
int slices_finish(struct slices *s, __u64 tsc);

/*
 * Merge each two slices into one of twice the width; the upper half of the
 * slices is then empty.  Counts have other numbers then.  0 or -ENOMEM.
 */
int slices_halve(struct slices *s);

/*
 * Of samples, where time goes back, there may be several counts of one key, which sum
 * to what it has: make them one.  0 or -ENOMEM.
 */
int slices_trim(struct slices *s);

/*
 * Forget all counts, and the sums of the profile and the timeline: another
 * stretch of time begins at @from.  For passes of one slice.
 */
void slices_clear(struct slices *s, __u64 from);

/*
 * Set the profile, and the vCPUs' and thieves' sums of the timeline, to those
 * of slices first..last.  Both must have been counted in slices from their
 * beginning, and the pass be over (or its sums not be needed).
 */
void slices_apply(struct slices *s, size_t first, size_t last);

/* That of a count. */
static inline size_t slices_of(const struct slice_count *c)
{
	return c->key >> SLICE_SHIFT;
}

struct slice_cell {
	enum slice_kind kind;
	__u32 track, state, thief, class, bucket; /* as the kind has them */
	size_t slice;
	__u64 n;
};

/* Count i of .nr. */
struct slice_cell slices_cell(const struct slices *s, size_t i);

/* The slice of a time; the last one's are also all later ones. */
size_t slices_at(const struct slices *s, __u64 tsc);

/* Where a slice ends; the last one never does. */
__u64 slices_end(const struct slices *s, size_t slice);

/*
 * Ticks in each slice that vCPUs waited, and that they were there: of guest
 * (index, VMMPROF_NONE: all), and of one track unless it is VMMPROF_NONE.
 */
void slices_steal(const struct slices *s, __u32 guest, __u32 track,
		  __u64 steal[VMMPROF_SLICES], __u64 all[VMMPROF_SLICES]);

#endif /* MODEL_SLICES_H */
