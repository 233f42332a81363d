/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What was sampled of the tiny VM, as numbers, beside what is known of it.
 * selftest/checks.h judges them.
 */
#ifndef SELFTEST_FIGURES_H
#define SELFTEST_FIGURES_H

#include <stdbool.h>

#include "model/exit_check.h"
#include "model/steal_check.h"
#include "selftest/guest.h"

/* Exit reasons that are told apart, of either vendor. */
enum known_exit {
	KNOWN_CPUID,
	KNOWN_IO,
	KNOWN_HLT,
	KNOWN_NMI,
	KNOWN_IRQ,
	KNOWN_OTHER,
	KNOWN_EXITS
};

/* Of one sampled run. */
struct figures {
	/* known */
	bool svm;
	bool hardware; /* the event's interrupts are NMIs */
	bool ref;      /* the event counts at the TSC's speed */
	bool emulated; /* the host is a VM itself */
	bool no_ept;
	__u32 khz;
	__u64 rounds;
	struct guest_params params;
	__u64 period;	   /* as the module was told */
	__u64 guest_ticks; /* from the first entry to the last exit */

	/* the module's own counts */
	__u64 samples, lost, lost_other, throttled;
	__u64 count; /* of the event */

	/* samples of the CPU; the following are of the vCPU's thread */
	__u64 all, wrong_interrupt; /* NMI for timer, or the other way round */
	__u64 longest_gap;	    /* ticks from one to the next */
	__u64 strangers; /* of this process's other threads, but with a guest */
	__u64 own;
	__u64 guest;		    /* taken for the guest's */
	__u64 in_loop[GUEST_LOOPS]; /* of these */
	__u64 in_exits, in_rest;    /* at other places of its code */
	__u64 outside;		    /* where it has no code */
	__u64 wrong_cr3, wrong_cpl; /* in loops */
	__u64 contradictions[NR_CONTRAS];
	/* taken for the host's, in the kernel with the VM's state there */
	__u64 handling[KNOWN_EXITS]; /* by the exit's reason */

	/* call chains of samples in loops */
	bool chains_taken; /* the module was asked to */
	__u64 chains, chains_right, chains_wrong, chains_none;

	/* VM exits, counted */
	bool exits_counted;
	__u64 exits[KNOWN_EXITS];
	__u64 exits_open, exits_missed;
	__u64 exit_ticks;
	__u64 outs, hlts; /* seen by this program */

	/* asleep in HLT, by the timeline; the guest's own account is in .params */
	__u64 slept;	 /* OUT records of a halted vCPU */
	__u64 asleep;	 /* ticks until it was woken */
	__u64 woken;	 /* ticks from then on until it ran */
	__u64 polled;	 /* ticks that KVM waited beside, by samples */
	__u64 preempted; /* others had its CPU meanwhile */

	/* its thread's time */
	bool has_track;
	struct steal_check delay, run;
	__u64 elapsed_ns;
};

#define COST_PAIRS 11

/* A fixed amount of work with and without sampling, in turns; ticks. */
struct cost_figures {
	unsigned int pairs;
	__u64 without[COST_PAIRS], with[COST_PAIRS];
	__u64 samples[COST_PAIRS];
};

#endif /* SELFTEST_FIGURES_H */
