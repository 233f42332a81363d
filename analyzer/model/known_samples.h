/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Counts samples of which all is remembered (context, function and bucket) file by
 * file, before the records of all CPUs are sorted among each other.  For their counts
 * their order does not matter; all others are counted in the order of time, so
 * buckets are numbered as if there were no such samples.
 */
#ifndef MODEL_KNOWN_SAMPLES_H
#define MODEL_KNOWN_SAMPLES_H

#include "format/merge.h"
#include "model/analysis.h"
#include "model/sample_runs.h"
#include "model/slices.h"

struct known_samples {
	struct analysis *a;
	struct merge *m;
	struct merge_taker taker;
	struct sample_runs *runs; /* NULL: nobody is told of samples */
	struct slices *slices;	  /* NULL: none */
	size_t slice;		  /* of them: where samples are counted */
	int err;
};

/*
 * Before a pass over @m by @keep (KEEP_*); all are lent.  @runs: who is told of the
 * samples, NULL: nobody; @slices: they are counted in these, too, whose queue the
 * profile's is; NULL: they are not.
 */
void known_samples_begin(struct known_samples *k, struct analysis *a,
			 unsigned int keep, struct merge *m,
			 struct sample_runs *runs, struct slices *slices);

/* All records were returned.  0, or the first error there was. */
int known_samples_end(struct known_samples *k);

#endif /* MODEL_KNOWN_SAMPLES_H */
