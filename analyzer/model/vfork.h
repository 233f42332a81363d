/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Page tables with two users: a vfork child runs on its parent's until it
 * executes a file or ends.  The CR3 alone does not tell which of them it was:
 * the parent waits, but its other threads do not.
 */
#ifndef VMMPROF_MODEL_VFORK_H
#define VMMPROF_MODEL_VFORK_H

#include <stdbool.h>

#include "model/processes.h"

struct vmmprof_vfork {
	__u32 pid;     /* the parent */
	__u64 from;    /* ns, inclusive: the fork */
	__u64 end;     /* ns, exclusive: the child's exec or exit */
	__u64 max_end; /* largest end of this and those of pid before it */
};

struct vmmprof_vforks {
	struct vmmprof_vfork *forks; /* sorted by pid, from */
	size_t nr;
};

/*
 * Find the forks of a checked bundle whose child got no page table of its own.
 * One whose end was not seen does not count.  0 or -ENOMEM with nothing to
 * release.
 */
int vmmprof_vforks_init(struct vmmprof_vforks *vs,
			const struct vmmprof_bundle *b,
			const struct vmmprof_procs *ps);
void vmmprof_vforks_deinit(struct vmmprof_vforks *vs);

/*
 * Does a child use the page table of pid at ns (CLOCK_MONOTONIC of the
 * machine)?  False for VMMPROF_TIME_UNKNOWN.
 */
bool vmmprof_vforks_shared(const struct vmmprof_vforks *vs, __u32 pid,
			   __u64 ns);

#endif /* VMMPROF_MODEL_VFORK_H */
