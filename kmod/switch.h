/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Switch records: when a vCPU's thread had a CPU, waited for one or slept, and
 * who had the CPU meanwhile.  One instance, of the running session.
 */
#ifndef VMMPROF_SWITCH_H
#define VMMPROF_SWITCH_H

#include "sample.h"

struct vmmprof_switch;

/* Find the scheduler's tracepoints.  Context: module init. */
void vmmprof_switch_init(void);

/*
 * Memory for a session whose rings are @cpus, by CPU number (NULL: no records
 * from there).  0, -ENOMEM, or -ENODEV: this kernel lacks a tracepoint.
 * Context: may sleep.
 */
int vmmprof_switch_create(struct vmmprof_switch **ret,
			  struct vmmprof_cpu **cpus);

/* Records from now on.  0 or -errno: none then.  Context: may sleep. */
int vmmprof_switch_start(struct vmmprof_switch *sw);

/*
 * No record comes any more when this returns, and @sw is free.  NULL is
 * allowed.  Context: may sleep.
 */
void vmmprof_switch_destroy(struct vmmprof_switch *sw);

#endif /* VMMPROF_SWITCH_H */
