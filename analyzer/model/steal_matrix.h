/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Who took how much of whose time: victims by thieves, in ticks.  The sums of
 * its lines are what the accounts of the vCPUs say, to the tick.
 */
#ifndef MODEL_STEAL_MATRIX_H
#define MODEL_STEAL_MATRIX_H

#include "model/timeline_state.h"

/* What the lines and columns are. */
enum matrix_by {
	MATRIX_VM,	/* VMs by VMs; the host's programs are one thief */
	MATRIX_VCPU,	/* vCPUs by vCPUs, and other owners */
	MATRIX_UNIT,	/* VMs by owners: VM, container, unit, process */
	MATRIX_PROCESS, /* VMs by VMs, programs and kernel threads */
};

struct matrix_victim {
	__u32 guest;
	__u32 track;	       /* VMMPROF_NONE: all vCPUs of the guest */
	__u64 time;	       /* ticks of its account */
	__u64 lost;	       /* of them stolen: the sum of its cells */
	size_t cell, nr_cells; /* its first cell; how many */
};

struct matrix_thief {
	__u32 owner; /* VMMPROF_NONE: all host programs outside of VMs */
	__u32 thief; /* VMMPROF_NONE: all of the owner's (vCPU: all others) */
	__u64 took;  /* the sum of its cells */
};

struct matrix_cell {
	__u32 victim, thief; /* indices in .victims and .thieves */
	__u64 ticks;
	__u64 longest; /* ticks that one thread took at one go */
};

struct steal_matrix {
	struct matrix_victim *victims; /* who lost most first */
	struct matrix_thief *thieves;  /* who took most first */
	struct matrix_cell *cells;     /* by victim, largest first */
	size_t nr_victims, nr_thieves, nr_cells;
	size_t cap_victims, cap_thieves, cap_cells;
	__u64 lost, time; /* sums of all victims */
};

/*
 * From a finished timeline; @exact: by switch records, else by samples alone.
 * 0 or -ENOMEM; deinit is due in either case.
 */
int steal_matrix_init(struct steal_matrix *m, const struct timeline *tl,
		      bool exact, enum matrix_by by);
void steal_matrix_deinit(struct steal_matrix *m);

#endif /* MODEL_STEAL_MATRIX_H */
