/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Does the timeline agree with other measurements?  For a vCPU: the scheduler's
 * run delay and run time of its thread (schedstat), and the samples that hit
 * others on the CPU it waited for.  For a guest: those samples of all its
 * vCPUs, and the steal in the guest's own /proc/stat.
 *
 * Run delay is not our steal: it begins when the task is enqueued and ends with
 * the scheduler's clock, which a switch may leave behind, so the tolerance has
 * a part for each switch; and it counts a wait when it is over, so ours is
 * without the one that lasts still at the end.
 */
#ifndef MODEL_STEAL_CHECK_H
#define MODEL_STEAL_CHECK_H

#include "model/timeline.h"

#define CHECK_PART	100	 /* 1/100 of the elapsed time, */
#define CHECK_SWITCH_NS 30000	 /* this for each switch, */
#define CHECK_TICK_NS	10000000 /* and a USER_HZ tick a reading */

enum steal_check_kind {
	CHECK_DELAY,   /* steal: run delay of schedstat */
	CHECK_RUN,     /* on a CPU: run time of schedstat */
	CHECK_SAMPLES, /* steal by others: samples of them */
	NR_CHECKS,
	/* the last of a vCPU's is a guest's as well, and one of its own */
	CHECK_STAT = NR_CHECKS, /* steal: guest's /proc/stat */
	NR_ALL_CHECKS
};

/* Why there is nothing to compare with. */
enum nocheck {
	NO_CHECK_NONE,
	NO_CHECK_NO_TIME,   /* no TSC frequency, or not there */
	NO_CHECK_NO_STATE,  /* schedstat not recorded, or all 0 */
	NO_CHECK_NO_SAMPLE, /* no event that counts time, or none */
	NO_CHECK_LOST,	    /* samples were lost */
	NO_CHECK_METHOD,    /* sample-only: it would be itself */
	NO_CHECK_NO_BUNDLE,
	NO_CHECK_NO_STEAL_CLOCK,
	NO_CHECK_NO_READINGS, /* not two of /proc/stat */
	NO_CHECK_NO_CLOCK,    /* none in common with the host */
	NO_CHECK_PART,	      /* a part of the time: they are of all of it */
	NR_NOCHECKS
};

struct steal_check {
	bool known; /* else why not */
	bool agrees;
	__u8 why;		       /* enum nocheck */
	__u64 ours, theirs, tolerance; /* ns */
	/* theirs is of that much more, and less, vCPU time than ours */
	__u64 outside, inside; /* ns */
	__u64 still; /* ns, not in ours: the wait that is not over at the end */
};

struct steal_checks {
	const struct timeline *tl;
	struct steal_check (*vcpu)[NR_CHECKS]; /* by track */
	/* by guest: of the sample check the sum, and /proc/stat */
	struct steal_check (*guest)[2];
	__u64 failed;
};

/*
 * Of a finished timeline; @exact: of its switch records, else of its samples
 * alone.  0 or -ENOMEM; deinit is due in either case.
 */
int steal_checks_init(struct steal_checks *c, const struct timeline *tl,
		      bool exact);
void steal_checks_deinit(struct steal_checks *c);

/*
 * Do they agree?  @tolerance, @outside, @inside: see the struct; ours may be
 * more by what theirs lacks, and less by what it has too much.
 */
struct steal_check steal_check_compare(__u64 ours, __u64 theirs,
				       __u64 tolerance, __u64 outside,
				       __u64 inside);

/*
 * The steal of the guest's own /proc/stat against ours (ns), which may be off
 * by @slack.  0 or -ENOMEM.
 */
int steal_check_stat(const struct timeline *tl, __u32 guest, __u64 ours,
		     __u64 slack, struct steal_check *ret);

/* One word, never NULL. */
const char *steal_check_key(unsigned int kind);
const char *nocheck_key(unsigned int why);

#endif /* MODEL_STEAL_CHECK_H */
