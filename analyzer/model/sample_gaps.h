/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The sample-only method (Yamamoto et al. 2015, sections 3.5 and 4.2): a
 * running vCPU has one sample each period.  A period without one (a "blank
 * slot" there) counts as a virtual sample: of halt if the last exit reason of
 * the vCPU was HLT, else of steal.  The thief is whoever was sampled on the CPU
 * where the vCPU was sampled last.
 *
 * A gap of n periods between two of its samples has n - 1 virtual samples, so
 * that jitter of the sampling makes no gaps.
 */
#ifndef MODEL_SAMPLE_GAPS_H
#define MODEL_SAMPLE_GAPS_H

#include "model/timeline_state.h"

void sample_gaps_deinit(struct sample_gaps *b);

/* A track is new.  0 or -ENOMEM. */
int sample_gaps_track(struct timeline *tl, __u32 track);

/*
 * A sample on a CPU, if the method is on; @track: whose thread it is, or VMMPROF_NONE.  0 or
 * -ENOMEM.
 */
int sample_gaps_sample(struct timeline *tl, __u32 track, __u32 pcpu,
		       const struct vmmprof_rec_sample *s,
		       const struct resolved *w);

/* The gaps until the end of the measurement.  0 or -ENOMEM. */
int sample_gaps_end(struct timeline *tl);

#endif /* MODEL_SAMPLE_GAPS_H */
