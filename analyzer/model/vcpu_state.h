/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The state machine of a vCPU's thread: what a record says of the time before
 * it and of the time after it.  A record that does not fit the state before
 * means that records are missing; that time is then counted as unknown.
 */
#ifndef MODEL_VCPU_STATE_H
#define MODEL_VCPU_STATE_H

#include <stdbool.h>

#include <vmmprof/record.h>
#include <vmmprof/session.h>

enum vcpu_state {
	STATE_UNKNOWN = 0,
	STATE_ON_CPU,
	STATE_PREEMPTED, /* runnable since it had a CPU */
	STATE_WOKEN,	 /* runnable since it slept */
	STATE_HALT,	 /* asleep in KVM_RUN, mp_state HALTED */
	STATE_BLOCKED,	 /* any other sleep */
	NR_STATES,
	/* the time before the first record, not yet accounted */
	STATE_FIRST = NR_STATES,
};

enum vcpu_event {
	EV_OUT_PREEMPTED,
	EV_OUT_HALT,
	EV_OUT_BLOCKED,
	EV_IN,
	EV_WAKE,
	EV_MIGRATE,
	EV_SEEN,     /* a sample proves that it has this CPU */
	EV_NOT_HERE, /* something else has the CPU it was on */
};

struct step {
	__u8 before;  /* enum vcpu_state until now */
	__u8 after;   /* from now on */
	bool missing; /* a record that must have been was not seen */
};

/*
 * The event's effect.  @now: not FIRST; @same_cpu: it comes from the CPU that
 * the thread was last known to be on.  before == after: nothing changed.
 */
struct step state_step(enum vcpu_state now, enum vcpu_event event,
		       bool same_cpu);

/*
 * The state from the beginning of the measurement to the first event of a
 * thread, at @tsc.  @start: what /proc said of it at the start.
 */
enum vcpu_state state_first(const struct vmmprof_info_vcpu_state *start,
			    enum vcpu_event event, __u64 tsc);

/* What an OUT record is. */
enum vcpu_event state_of_out(const struct vmmprof_rec_switch *out);

static inline bool state_waits(unsigned int state)
{
	return state == STATE_PREEMPTED || state == STATE_WOKEN;
}

static inline bool state_sleeps(unsigned int state)
{
	return state == STATE_HALT || state == STATE_BLOCKED;
}

/* One word, never NULL. */
const char *state_key(unsigned int state);

#endif /* MODEL_VCPU_STATE_H */
