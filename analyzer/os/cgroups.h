/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * CGROUP items: the control group of each process, where it is not its parent's
 * as far as that is known.  The analyzer derives container names from them.
 */
#ifndef OS_CGROUPS_H
#define OS_CGROUPS_H

#include "format/item_writer.h"

struct cgroups;

/* @w must outlive it.  0 or -ENOMEM. */
int cgroups_create(struct item_writer *w, struct cgroups **ret);
/* NULL is allowed. */
void cgroups_destroy(struct cgroups *cg);

/*
 * Read /proc/PID/cgroup of a process that lives, and write an item valid from
 * @ns on unless it is in the group last known of it, or else of its parent
 * @ppid.  A process that is gone is no error.  0, -ENOMEM or the writer's.
 */
int cgroups_read(struct cgroups *cg, __u32 pid, __u32 ppid, __u64 ns);

/*
 * A process began, in @ppid's group; executed another program (a container's
 * first process was moved before that); ended.  Nothing is read yet.
 * 0 or -ENOMEM.
 */
int cgroups_fork(struct cgroups *cg, __u32 pid, __u32 ppid);
void cgroups_exec(struct cgroups *cg, __u32 pid);
void cgroups_gone(struct cgroups *cg, __u32 pid);

/*
 * Read the groups of those that began since the last call and still live, for
 * @ns, which is now.  At most 1024 of them: the rest keeps the group of the
 * parent.  0, -ENOMEM or the writer's error.
 */
int cgroups_look(struct cgroups *cg, __u64 ns);

#endif /* OS_CGROUPS_H */
