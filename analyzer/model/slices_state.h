/* SPDX-License-Identifier: GPL-2.0-only */
/* What slices hold: slices.h. */
#ifndef MODEL_SLICES_STATE_H
#define MODEL_SLICES_STATE_H

#include "model/timeline.h"

#define VMMPROF_SLICES 512

struct slices {
	struct timeline *tl;
	__u64 from, width; /* ticks of the host TSC; width 0: one slice */
	__u64 span;	   /* of that one, after slices_finish() */
	struct slice_count {
		__u64 key;
		__u64 n;
	} * counts;
	size_t nr, cap;
	struct hash by_key; /* of all kinds but SLICE_SAMPLES and SLICE_OWN */
	struct slice_recent *recent; /* NULL: none yet */
	/* samples of one slice, that are not among the counts yet */
	struct slice_now {
		size_t slice;
		size_t behind; /* slices before it may have some in .counts */
		__u32 *of;     /* by number */
		__u32 *met;    /* numbers that have any */
		size_t nr, nr_met;
	} by_bucket, by_class;
	size_t twice; /* counts whose keys may be there already */
	/* ticks on a CPU that are of no class yet, the oldest first */
	struct slice_unsampled {
		struct {
			size_t slice;
			__u64 ticks;
		} * at;
		size_t nr, cap;
	} * unsampled; /* by track */
	size_t nr_unsampled;
	/* of the time that was looked at last */
	__u64 at_from, at_ticks;
	size_t at;
	/* samples whose bucket is not known yet */
	bool queues;
	__u16 slice_of[PROFILE_QUEUE]; /* by place in the profile's queue */
};

/* What a count is of. */
enum slice_kind {
	SLICE_SAMPLES, /* of a bucket of the profile */
	SLICE_STATE,   /* ticks of a track in a state, with its thief */
	SLICE_OWN,     /* a track's own samples of a class (enum on_cpu) */
	SLICE_IDLE,    /* ticks of a track idle in its guest, on its CPU */
	SLICE_ON, /* ticks of a track on its CPU of a class, without idle */
};

#define SLICE_SHIFT 50 /* of its number in a key */

#endif /* MODEL_SLICES_STATE_H */
