/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The fallback where BPF is missing: a snapshot of all address spaces by
 * walking the kernel's task list through /proc/kcore.
 */
#ifndef VMMPROF_WALK_H
#define VMMPROF_WALK_H

#include "emit.h"

struct path_walk;

/*
 * Finds init_task (/proc/kallsyms) and the offsets (BTF).  -errno; why, is
 * emitted.
 */
int path_walk_open(struct emit *e, struct path_walk **ret);

/*
 * Emit all address spaces there are now, as MM items with op SNAP.  The list
 * changes while it is read: a walk that finds it torn is repeated; if it is
 * torn each time, the longest one is emitted, and a limitation.
 */
int path_walk_snapshot(struct path_walk *w);

void path_walk_close(struct path_walk *w);

#endif /* VMMPROF_WALK_H */
