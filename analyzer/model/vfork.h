/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Page tables with two users: a vfork child runs on its parent's until it
 * executes a file or ends.  The CR3 alone does not tell which of the two ran:
 * the parent's thread waits, but its other threads do not.
 */
#ifndef MODEL_VFORK_H
#define MODEL_VFORK_H

#include <stdbool.h>

#include "model/processes.h"

struct vfork_pair {
	__u32 pid;     /* the parent */
	__u64 from;    /* ns, inclusive: the fork */
	__u64 end;     /* ns, exclusive: the child's exec or exit */
	__u64 max_end; /* largest end of this and those of pid before it */
};

struct vforks {
	struct vfork_pair *forks; /* sorted by pid, from */
	size_t nr;
};

/*
 * Find the forks of a checked bundle whose child got no page table of its own.
 * One whose end was not seen does not count.  0 or -ENOMEM with nothing to
 * release.
 */
int vforks_init(struct vforks *vs, const struct bundle *b,
		const struct procs *ps);
void vforks_deinit(struct vforks *vs);

/*
 * Does a child use the page table of pid at ns (CLOCK_MONOTONIC of the
 * machine)?  False for TIME_UNKNOWN.  *h is narrowed to times of that answer.
 */
bool vforks_shared(const struct vforks *vs, __u32 pid, __u64 ns,
		   struct holds *h);

#endif /* MODEL_VFORK_H */
