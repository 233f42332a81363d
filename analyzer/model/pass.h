/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A pass over a session: all records merged, and each one resolved, counted and told
 * of.  In two steps where nobody asks for every sample: those that say nothing new
 * are counted file by file, and of these a timeline is told in runs; all others in the
 * order of time.
 */
#ifndef MODEL_PASS_H
#define MODEL_PASS_H

#include "model/slices.h"
#include "model/timeline.h"

/*
 * The pass.  keep: KEEP_*; fn may be NULL and ends the pass by a non-zero value,
 * which is returned.  0 or -ENOMEM otherwise.
 */
int analysis_run(struct analysis *a, unsigned int keep, record_fn *fn,
		 void *arg);

/* The same of a timeline just made, and its end.  0 or -errno. */
int timeline_run(struct timeline *tl, unsigned int keep);

/*
 * The same of slices, between slices_queue_begin() and slices_queue_end(), without the
 * end of the timeline: all records are told to @fn, which hands them to
 * slices_record(), but for samples that are counted before.
 */
int slices_run(struct slices *s, unsigned int keep, record_fn *fn, void *arg);

#endif /* MODEL_PASS_H */
