/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * CGROUP items: the control group of each process, where it is not its
 * parent's as far as that is known.  The reader makes container names of them.
 */
#ifndef VMMPROF_OS_CGROUPS_H
#define VMMPROF_OS_CGROUPS_H

#include "format/item_writer.h"

struct vmmprof_cgroups;

/* @w must outlive it.  0 or -ENOMEM. */
int vmmprof_cgroups_create(struct vmmprof_itemwriter *w,
			   struct vmmprof_cgroups **ret);
/* NULL is allowed. */
void vmmprof_cgroups_destroy(struct vmmprof_cgroups *cg);

/*
 * Read /proc/PID/cgroup of a process that lives, and write an item valid from
 * @ns on unless it is in the group last known of it, or else of its parent
 * @ppid.  A process that is gone is no error.  0, -ENOMEM or the writer's.
 */
int vmmprof_cgroups_read(struct vmmprof_cgroups *cg, __u32 pid, __u32 ppid,
			 __u64 ns);

/*
 * A process began, in @ppid's group; executed another program (a container's
 * first process was moved before that); ended.  Nothing is read yet.
 * 0 or -ENOMEM.
 */
int vmmprof_cgroups_fork(struct vmmprof_cgroups *cg, __u32 pid, __u32 ppid);
void vmmprof_cgroups_exec(struct vmmprof_cgroups *cg, __u32 pid);
void vmmprof_cgroups_gone(struct vmmprof_cgroups *cg, __u32 pid);

/*
 * Read the groups of those that began since the last call and still live,
 * for @ns, which is now.  Bounded: of more than 1024 the rest keeps its
 * parent's.  0, -ENOMEM or the writer's error.
 */
int vmmprof_cgroups_look(struct vmmprof_cgroups *cg, __u64 ns);

#endif /* VMMPROF_OS_CGROUPS_H */
