/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * VM exits, counted: for each vCPU and exit reason their number, time and a
 * histogram, while a session samples.  No record is written.
 */
#ifndef VMMPROF_EXITS_H
#define VMMPROF_EXITS_H

#include <vmmprof/ioctl.h>

struct vmmprof_exit_table;

/* Watch for KVM's tracepoints.  Context: module init, exit. */
int vmmprof_exits_init(void);
void vmmprof_exits_exit(void);

/* Probes of KVM's tracepoints can be called in this kernel. */
bool vmmprof_exits_usable(void);

/*
 * A table for a session.  0, -ENOMEM, or -EOPNOTSUPP: not in this kernel.
 * Context: may sleep.
 */
int vmmprof_exits_create(struct vmmprof_exit_table **ret);

/*
 * Exits are counted from now on; of a KVM that comes later, too.  0 or -errno:
 * none is then.  Context: may sleep.
 */
int vmmprof_exits_start(struct vmmprof_exit_table *t);

/*
 * Nothing is counted any more when this returns.  NULL is allowed, and one that
 * was not started.  Context: may sleep.
 */
void vmmprof_exits_stop(struct vmmprof_exit_table *t);

/*
 * Copy up to @nr entries from number @from on to @to.  Returns how many; sets
 * *@missed.  Context: stopped.
 */
u32 vmmprof_exits_read(const struct vmmprof_exit_table *t, u32 from, u32 nr,
		       struct vmmprof_exit *to, u64 *missed);

/* Of one that is stopped, or NULL.  Context: may sleep. */
void vmmprof_exits_destroy(struct vmmprof_exit_table *t);

#endif /* VMMPROF_EXITS_H */
