/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The state machine of a vCPU's thread: what a record says of the time before
 * it and of the time after it.  A record that does not fit the state before
 * means that records are missing; that time is then unknown, never a guess.
 */
#ifndef VMMPROF_MODEL_VCPUSTATE_H
#define VMMPROF_MODEL_VCPUSTATE_H

#include <stdbool.h>

#include <vmmprof/record.h>
#include <vmmprof/session.h>

enum vmmprof_state {
	VMMPROF_ST_UNKNOWN = 0,
	VMMPROF_ST_ON_CPU,
	VMMPROF_ST_PREEMPTED, /* runnable since it had a CPU */
	VMMPROF_ST_WOKEN,     /* runnable since it slept */
	VMMPROF_ST_HALT,      /* asleep in KVM_RUN, mp_state HALTED */
	VMMPROF_ST_BLOCKED,   /* any other sleep */
	VMMPROF_NR_STATES,
	/* the time before the first record, not yet accounted */
	VMMPROF_ST_FIRST = VMMPROF_NR_STATES,
};

enum vmmprof_vcpu_event {
	VMMPROF_EV_OUT_PREEMPTED,
	VMMPROF_EV_OUT_HALT,
	VMMPROF_EV_OUT_BLOCKED,
	VMMPROF_EV_IN,
	VMMPROF_EV_WAKE,
	VMMPROF_EV_MIGRATE,
	VMMPROF_EV_SEEN,     /* a sample proves that it has this CPU */
	VMMPROF_EV_NOT_HERE, /* something else has the CPU it was on */
};

struct vmmprof_step {
	__u8 before;  /* enum vmmprof_state until now */
	__u8 after;   /* from now on */
	bool missing; /* a record that must have been was not seen */
};

/*
 * The event's effect.  @now: not FIRST; @same_cpu: it comes from the CPU that
 * the thread was last known to be on.  before == after: nothing changed.
 */
struct vmmprof_step vmmprof_state_step(enum vmmprof_state now,
				       enum vmmprof_vcpu_event event,
				       bool same_cpu);

/*
 * The state from the beginning of the measurement to the first event of a
 * thread, at @tsc.  @start: what /proc said of it at the start.
 */
enum vmmprof_state
vmmprof_state_first(const struct vmmprof_info_vcpu_state *start,
		    enum vmmprof_vcpu_event event, __u64 tsc);

/* What an OUT record is. */
enum vmmprof_vcpu_event
vmmprof_state_of_out(const struct vmmprof_rec_switch *out);

static inline bool vmmprof_state_waits(unsigned int state)
{
	return state == VMMPROF_ST_PREEMPTED || state == VMMPROF_ST_WOKEN;
}

static inline bool vmmprof_state_sleeps(unsigned int state)
{
	return state == VMMPROF_ST_HALT || state == VMMPROF_ST_BLOCKED;
}

/* One word, never NULL. */
const char *vmmprof_state_key(unsigned int state);

#endif /* VMMPROF_MODEL_VCPUSTATE_H */
