/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Stretches of a CPU in which switch records were lost, found by a pass of
 * their own: a LOST record tells of them only when they are over, and other
 * CPUs' records of that time have been used by then.
 */
#ifndef VMMPROF_MODEL_LOSSES_H
#define VMMPROF_MODEL_LOSSES_H

#include "format/session.h"

#define VMMPROF_LOSSES_MAX 65536

struct vmmprof_loss {
	__u64 from; /* the last record before it on this CPU; 0: none */
	__u64 to;   /* when the LOST record was written */
	__u64 nr;
	__u32 cpu;
	/* SWITCH records alone, from the first to the last of them */
	bool names;
};

struct vmmprof_losses {
	struct vmmprof_loss *loss; /* by from */
	size_t nr, cap;
};

/* 0 or -errno; deinit is due in either case. */
int vmmprof_losses_init(struct vmmprof_losses *l, struct vmmprof_session *s);
void vmmprof_losses_deinit(struct vmmprof_losses *l);

#endif /* VMMPROF_MODEL_LOSSES_H */
