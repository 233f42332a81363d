/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The timeline: from the records, in the order of time, to the state of each
 * vCPU at each instant, who had the CPU it waited for, and what runs on each
 * CPU.  Memory is bounded by the number of vCPUs, CPUs and programs, whatever
 * the recording's length.
 *
 * Between the beginning and the end of the measurement each tick of a vCPU is
 * in exactly one state.
 */
#ifndef MODEL_TIMELINE_H
#define MODEL_TIMELINE_H

#include "model/timeline_state.h"

/* For whom the sample-only method (model/sample_gaps.h) looks at samples. */
enum gaps_for {
	GAPS_WITHOUT_SWITCHES, /* if the session has no switch records */
	GAPS_ALWAYS,
	/* always; of samples those in guest mode alone are a vCPU's own */
	GAPS_AS_PUBLISHED,
};

/* Prepare for a pass over a.  0 or -errno; deinit is due in either case. */
int timeline_init(struct timeline *tl, struct analysis *a, enum gaps_for gaps);
void timeline_deinit(struct timeline *tl);

/* record_fn: arg is the timeline. */
int timeline_record(struct analysis *a, void *arg, const union rec *rec,
		    const struct resolved *where);

/*
 * After the pass: account for the time up to the end, and add records in an
 * impossible order to the session's problems.  0 or -ENOMEM.
 */
int timeline_finish(struct timeline *tl);

/* The measurement begins, before the first record.  0 or -errno. */
int timeline_begin(struct timeline *tl, __u64 tsc);

/*
 * For a pass that goes on while it is measured: all records until @tsc have
 * been; account for all tracks until then.  0 or -ENOMEM.
 */
int timeline_until(struct timeline *tl, __u64 tsc);

/* The thread has ended. */
void timeline_gone(struct timeline *tl, __u32 pid, __u32 tid);

/* What is known of tasks may have changed. */
void timeline_forget_names(struct timeline *tl);

/* LOST records of the files that come next.  0 or -errno. */
int timeline_losses(struct timeline *tl);

/* Ticks of the host's TSC in seconds; 0 if its frequency is not known. */
static inline double timeline_seconds(const struct timeline *tl, __u64 ticks)
{
	return tl->khz ? ticks / (tl->khz * 1000.0) : 0;
}

/* Does the session have switch records? */
bool timeline_exact(const struct timeline *tl);

/* The cgroup's quota held the vCPU's VM back during the measurement. */
bool timeline_throttled(const struct timeline *tl, const struct track *t);

#endif /* MODEL_TIMELINE_H */
