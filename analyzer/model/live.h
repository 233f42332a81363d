/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * An analysis that goes on while its session is recorded: the record files
 * hold what came since the last look, and are emptied after each.  Shown are
 * always the sums of one interval.
 *
 * The rings are emptied one after the other.  What a record's CPU wrote later
 * than the end of the interval waits for the next one: the order of time is
 * that of a finished session.
 */
#ifndef VMMPROF_MODEL_LIVE_H
#define VMMPROF_MODEL_LIVE_H

#include "model/slices.h"

struct vmmprof_live_early {
	__u32 cpu;
	union vmmprof_rec rec;
};

struct vmmprof_live {
	struct vmmprof_analysis a;
	struct vmmprof_timeline tl;
	struct vmmprof_slices slices;
	struct vmmprof_live_early *early; /* records of the next interval */
	size_t nr_early, cap_early;
	__u64 from;	   /* of the interval */
	__u64 samples;	   /* in it */
	unsigned int keep; /* VMMPROF_KEEP_*; 0, or set after init */
};

/*
 * a: open (and the live view's from now on).  @from: when sampling began, host
 * TSC.  0 or -errno; deinit is due in either case.
 */
int vmmprof_live_init(struct vmmprof_live *l, __u64 from);
void vmmprof_live_deinit(struct vmmprof_live *l);

/*
 * Use the records in the session's files: those until @until make the interval
 * that is shown now.  @pause: go on showing the one before.  0 or -errno.
 */
int vmmprof_live_feed(struct vmmprof_live *l, __u64 until, bool pause);

#endif /* VMMPROF_MODEL_LIVE_H */
