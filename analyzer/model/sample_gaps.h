/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The sample-only method (Yamamoto et al. 2015, sections 3.5 and 4.2): a vCPU
 * has one sample each period; a period without one is a blank slot there and a
 * virtual sample here: halt if the last exit reason of the vCPU was HLT, else steal.  Who took it
 * is who was sampled on the CPU where the vCPU was sampled last.
 *
 * A gap of n periods between two of its samples has n - 1 virtual samples, so that
 * jitter of the sampling makes none.
 */
#ifndef MODEL_SAMPLE_GAPS_H
#define MODEL_SAMPLE_GAPS_H

#include "model/thief.h"
#include "model/track.h"

struct timeline;

struct vcpu_gaps {
	__u64 last;   /* its last sample */
	__u64 seen;   /* samples of others since then on its CPU */
	__u64 excess; /* of seen over what gaps before had */
	__u32 pcpu;   /* VMMPROF_NONE: not sampled yet */
	__u32 next, prev;
	bool crowded; /* there were too many on its CPU */
	__u16 exit;   /* the last exit reason known, EXIT_NONE */
	/* sums, in virtual samples */
	__u64 own, steal, halt;
	__u64 unknown;		       /* before any exit reason is known */
	__u64 exits[EXIT_REASONS + 1]; /* behind the steal */
};

struct sample_gaps {
	bool guest_only;
	struct vcpu_gaps *by_track; /* by track */
	size_t nr, cap;
	struct thieves stolen; /* its entries are the timeline's */
	/* by process of the resolver, others and main threads: VMMPROF_NONE */
	__u32 (*by_proc)[2];
	size_t nr_procs, cap_procs;
	__u64 crowded; /* times one was beyond SAMPLE_GAPS_MAX */
};

void sample_gaps_deinit(struct sample_gaps *b);

/* A track is new.  0 or -ENOMEM. */
int sample_gaps_track(struct timeline *tl, __u32 track);

/*
 * A sample on a CPU; @track: whose thread it is, or VMMPROF_NONE.  0 or
 * -ENOMEM.
 */
int sample_gaps_sample(struct timeline *tl, __u32 track, __u32 pcpu,
		       const struct vmmprof_rec_sample *s,
		       const struct resolved *w);

/* The gaps until the end of the measurement.  0 or -ENOMEM. */
int sample_gaps_end(struct timeline *tl);

#endif /* MODEL_SAMPLE_GAPS_H */
