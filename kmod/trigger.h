/* SPDX-License-Identifier: GPL-2.0-only */
/* What makes a CPU take samples: perf counters of the session's events. */
#ifndef VMMPROF_TRIGGER_H
#define VMMPROF_TRIGGER_H

#include <vmmprof/ioctl.h>

struct vmmprof_counter;
struct vmmprof_session;

/* 0 or -EINVAL: a type, flag or period that we do not take. */
int vmmprof_event_check(const struct vmmprof_event *event);

/* One of them needs the hardware's PMU. */
bool vmmprof_needs_pmu(const struct vmmprof_event *events, u32 nr);

/*
 * Create the counters of every online CPU of the session, not counting yet;
 * from now on also of every CPU that comes.  On failure nothing is left and
 * s->bad_event, s->bad_cpu say where.  Only one session at a time.
 * Context: may sleep, s->lock held, as for all that follows.
 */
int vmmprof_trigger_create(struct vmmprof_session *s);

/*
 * Arm them; a CPU that comes while s->state is VMMPROF_RUNNING, which it has to
 * be by now, arms its own.  -ENOSPC: a counter found no place on the PMU; the session's
 * statistics say which (VMMPROF_EV_ERROR).
 */
int vmmprof_trigger_enable(struct vmmprof_session *s);

/* Disarm and release all; no callback runs when this returns. */
void vmmprof_trigger_release(struct vmmprof_session *s);

/* Read one counter.  The caller holds the CPU hotplug lock. */
void vmmprof_trigger_stat(struct vmmprof_counter *c,
			  struct vmmprof_event_stat *stat);

#endif /* VMMPROF_TRIGGER_H */
