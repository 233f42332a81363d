/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Does the timeline agree with what others measured?  Of a vCPU: the
 * scheduler's run delay and run time of its thread (schedstat), and the samples
 * that hit others on the CPU it waited for.  Of a guest: those samples of all
 * its vCPUs, which are everyone else's share of its CPUs, and the steal of the
 * guest's own /proc/stat.
 *
 * Run delay is not our steal: it begins when the task is enqueued and ends
 * with the scheduler's clock, which a switch may leave behind, so the
 * tolerance has a part for each switch; and it counts a wait when it is over,
 * so ours is without the one that lasts still at the end.
 */
#ifndef VMMPROF_MODEL_CROSSCHECK_H
#define VMMPROF_MODEL_CROSSCHECK_H

#include "model/timeline.h"

#define VMMPROF_CHECK_PART	100	 /* 1/100 of the elapsed time, */
#define VMMPROF_CHECK_SWITCH_NS 30000	 /* this for each switch, */
#define VMMPROF_CHECK_TICK_NS	10000000 /* and a USER_HZ tick a reading */

enum vmmprof_crosscheck_kind {
	VMMPROF_CHECK_DELAY,   /* steal: run delay of schedstat */
	VMMPROF_CHECK_RUN,     /* on a CPU: run time of schedstat */
	VMMPROF_CHECK_SAMPLES, /* steal by others: samples of them */
	VMMPROF_NR_CHECKS,
	/* the last of a vCPU's is a guest's as well, and one of its own */
	VMMPROF_CHECK_STAT = VMMPROF_NR_CHECKS, /* steal: guest's /proc/stat */
	VMMPROF_NR_ALL_CHECKS
};

/* Why there is nothing to compare with. */
enum vmmprof_nocheck {
	VMMPROF_NOCHECK_NONE,
	VMMPROF_NOCHECK_NO_TIME,   /* no TSC frequency, or not there */
	VMMPROF_NOCHECK_NO_STATE,  /* schedstat not recorded, or all 0 */
	VMMPROF_NOCHECK_NO_SAMPLE, /* no event that counts time, or none */
	VMMPROF_NOCHECK_LOST,	   /* samples were lost */
	VMMPROF_NOCHECK_METHOD,	   /* sample-only: it would be itself */
	VMMPROF_NOCHECK_NO_BUNDLE,
	VMMPROF_NOCHECK_NO_STEAL_CLOCK,
	VMMPROF_NOCHECK_NO_READINGS, /* not two of /proc/stat */
	VMMPROF_NOCHECK_NO_CLOCK,    /* none in common with the host */
	VMMPROF_NR_NOCHECKS
};

struct vmmprof_crosscheck {
	bool known; /* else why not */
	bool agrees;
	__u8 why;		       /* enum vmmprof_nocheck */
	__u64 ours, theirs, tolerance; /* ns */
	/* theirs is of that much more, and less, vCPU time than ours */
	__u64 outside, inside; /* ns */
	__u64 still; /* ns, not in ours: the wait that is not over at the end */
};

struct vmmprof_crosschecks {
	const struct vmmprof_timeline *tl;
	struct vmmprof_crosscheck (*vcpu)[VMMPROF_NR_CHECKS]; /* by track */
	/* by guest: of the sample check the sum, and /proc/stat */
	struct vmmprof_crosscheck (*guest)[2];
	__u64 failed;
};

/*
 * Of a finished timeline; @exact: of its switch records, else of its samples
 * alone.  0 or -ENOMEM; deinit is due in either case.
 */
int vmmprof_crosschecks_init(struct vmmprof_crosschecks *c,
			     const struct vmmprof_timeline *tl, bool exact);
void vmmprof_crosschecks_deinit(struct vmmprof_crosschecks *c);

/*
 * Do they agree?  @tolerance, @outside, @inside: see the struct; ours may be
 * more by what theirs lacks, and less by what it has too much.
 */
struct vmmprof_crosscheck vmmprof_crosscheck_compare(__u64 ours, __u64 theirs,
						     __u64 tolerance,
						     __u64 outside,
						     __u64 inside);

/*
 * The steal of the guest's own /proc/stat against ours (ns), which may be off
 * by @slack.  0 or -ENOMEM.
 */
int vmmprof_crosscheck_stat(const struct vmmprof_timeline *tl, __u32 guest,
			    __u64 ours, __u64 slack,
			    struct vmmprof_crosscheck *ret);

/* One word, never NULL. */
const char *vmmprof_crosscheck_key(unsigned int kind);
const char *vmmprof_nocheck_key(unsigned int why);

#endif /* VMMPROF_MODEL_CROSSCHECK_H */
