/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Does the timeline agree with what others measured?  The scheduler's run
 * delay and run time of the vCPU's thread (schedstat), and the samples that hit
 * others on the CPU that a vCPU waited for.
 *
 * Run delay is not our steal: it begins when the task is enqueued and ends
 * with the scheduler's clock, which a switch may leave behind, so the
 * tolerance has a part for each switch.
 */
#ifndef VMMPROF_MODEL_CROSSCHECK_H
#define VMMPROF_MODEL_CROSSCHECK_H

#include "timeline.h"

#define VMMPROF_CHECK_PART	100   /* 1/100 of the elapsed time, */
#define VMMPROF_CHECK_SWITCH_NS 30000 /* and this for each switch */

enum vmmprof_crosscheck_kind {
	VMMPROF_CHECK_DELAY,   /* steal: run delay of schedstat */
	VMMPROF_CHECK_RUN,     /* on a CPU: run time of schedstat */
	VMMPROF_CHECK_SAMPLES, /* steal by others: samples of them */
	VMMPROF_NR_CHECKS
};

struct vmmprof_crosscheck {
	bool known; /* else there is nothing to compare with */
	bool agrees;
	__u64 ours, theirs, tolerance; /* ns */
};

/* Of a track of a finished timeline with switch records. */
struct vmmprof_crosscheck vmmprof_crosscheck(const struct vmmprof_timeline *tl,
					     __u32 track,
					     enum vmmprof_crosscheck_kind kind);

/* One word, never NULL. */
const char *vmmprof_crosscheck_key(unsigned int kind);

#endif /* VMMPROF_MODEL_CROSSCHECK_H */
