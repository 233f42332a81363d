/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The fallback if BPF does not work: a snapshot of all address spaces from a
 * walk through the kernel's task list in /proc/kcore.
 */
#ifndef VMMPROF_WALK_H
#define VMMPROF_WALK_H

#include "emit.h"

struct task_walk;

/*
 * Finds init_task (/proc/kallsyms) and the offsets (BTF).  0 or -errno; the
 * reason of an error is emitted.
 */
int task_walk_open(struct emit *e, struct task_walk **ret);

/*
 * Emit all address spaces there are now, as MM items with op SNAP.  If the list
 * changes during a walk, the walk is repeated.  If it changes each time, the
 * longest walk is emitted, and a limitation.
 */
int task_walk_snapshot(struct task_walk *w);

void task_walk_close(struct task_walk *w);

#endif /* VMMPROF_WALK_H */
