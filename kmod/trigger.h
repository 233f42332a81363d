/* SPDX-License-Identifier: GPL-2.0-only */
/* What makes a CPU take samples: perf counters of the session's events. */
#ifndef VMMPROF_TRIGGER_H
#define VMMPROF_TRIGGER_H

#include <linux/cpuhotplug.h>
#include <linux/wait.h>
#include <vmmprof/ioctl.h>

#include "sample.h"

/*
 * The counters of a session.  Zero but for the first four members before
 * vmmprof_trigger_create(); these do not change as long as it has not been
 * released.
 */
struct vmmprof_trigger {
	u32 nr_events;
	struct vmmprof_event events[VMMPROF_MAX_EVENTS];
	struct vmmprof_cpu **cpus; /* by CPU number, NULL: not asked for */
	wait_queue_head_t *wait;   /* woken when broken is set */

	enum cpuhp_state hp; /* ours while counters exist; 0: none */
	bool creating;	     /* the first counters are being created */
	bool armed;	     /* a CPU that comes arms its own */
	bool broken;	     /* a CPU that came back could not be armed */
	u32 bad_event;	     /* why create failed */
	u32 bad_cpu;
};

/* 0 or -EINVAL: a type, flag or period that we do not take. */
int vmmprof_event_check(const struct vmmprof_event *event);

/* One of them needs the hardware's PMU. */
bool vmmprof_needs_pmu(const struct vmmprof_event *events, u32 nr);

/*
 * Create the counters of every online CPU that is asked for, not counting yet;
 * from now on also of every CPU that comes.  On failure nothing is left and
 * bad_event, bad_cpu say where.  Only one trigger at a time.
 * Context: may sleep, the session's lock held, as for all that follows.
 */
int vmmprof_trigger_create(struct vmmprof_trigger *t);

/*
 * Arm them; a CPU that comes from now on arms its own.  -ENOSPC: a counter
 * found no place on the PMU; the statistics say which (VMMPROF_EV_ERROR).
 */
int vmmprof_trigger_enable(struct vmmprof_trigger *t);

/*
 * While armed: the periods of all events are @factor times as long from now on.
 * The counters are released and made anew; one that finds no place is like one of
 * a CPU that came (broken).  -EINVAL: an event does not take it, nothing was
 * changed; another -errno: there are no counters any more.
 */
int vmmprof_trigger_widen(struct vmmprof_trigger *t, u32 factor);

/* Disarm and release all; no callback runs when this returns. */
void vmmprof_trigger_release(struct vmmprof_trigger *t);

/* Read one counter.  The caller holds the CPU hotplug lock. */
void vmmprof_trigger_stat(struct vmmprof_counter *c,
			  struct vmmprof_event_stat *stat);

#endif /* VMMPROF_TRIGGER_H */
