// SPDX-License-Identifier: GPL-2.0-only
/* State machine of a vCPU's thread; see the header. */

#include "model/vcpu_state.h"

/* KVM_MP_STATE_HALTED (linux/kvm.h) */
#define MP_STATE_HALTED 3

enum vcpu_event state_of_out(const struct vmmprof_rec_switch *out)
{
	if (out->hdr.flags & VMMPROF_W_RUNNABLE)
		return EV_OUT_PREEMPTED;
	if ((out->hdr.flags & VMMPROF_W_VCPU) &&
	    out->mp_state == MP_STATE_HALTED)
		return EV_OUT_HALT;
	return EV_OUT_BLOCKED;
}

static enum vcpu_state after_out(enum vcpu_event event)
{
	switch (event) {
	case EV_OUT_PREEMPTED:
		return STATE_PREEMPTED;
	case EV_OUT_HALT:
		return STATE_HALT;
	default:
		return STATE_BLOCKED;
	}
}

static struct step stay(enum vcpu_state now)
{
	return (struct step){ .before = now, .after = now };
}

/* @fits: the state before is one that the event can end. */
static struct step change(enum vcpu_state now, bool fits, enum vcpu_state after)
{
	return (struct step){
		.before = fits ? now : STATE_UNKNOWN,
		.after = after,
		.missing = !fits && now != STATE_UNKNOWN,
	};
}

struct step state_step(enum vcpu_state now, enum vcpu_event event,
		       bool same_cpu)
{
	bool here = now == STATE_ON_CPU && same_cpu;

	switch (event) {
	case EV_OUT_PREEMPTED:
	case EV_OUT_HALT:
	case EV_OUT_BLOCKED:
		return change(now, here, after_out(event));
	case EV_IN:
		return change(now, state_waits(now), STATE_ON_CPU);
	case EV_WAKE:
		/*
		 * Without effect on one that is runnable already.  After a
		 * loss it may be running as well.
		 */
		if (!state_sleeps(now))
			return stay(now);
		return change(now, true, STATE_WOKEN);
	case EV_MIGRATE:
		if (now != STATE_ON_CPU)
			return stay(now);
		return change(now, false, STATE_UNKNOWN);
	case EV_SEEN:
		return here ? stay(now) : change(now, false, STATE_ON_CPU);
	case EV_NOT_HERE:
		if (now != STATE_ON_CPU)
			return stay(now);
		return change(now, false, STATE_UNKNOWN);
	}
	return stay(now);
}

enum vcpu_state state_first(const struct vmmprof_info_vcpu_state *start,
			    enum vcpu_event event, __u64 tsc)
{
	bool runnable, asleep;

	if (!start)
		return STATE_UNKNOWN;
	/*
	 * Later events say nothing of the time before, except that the thread
	 * existed.
	 */
	runnable = start->state == VMMPROF_VCPU_RUNNABLE || tsc < start->tsc;
	asleep = tsc >= start->tsc && (start->state == VMMPROF_VCPU_HALTED ||
				       start->state == VMMPROF_VCPU_ASLEEP);
	switch (event) {
	case EV_OUT_PREEMPTED:
	case EV_OUT_HALT:
	case EV_OUT_BLOCKED:
	case EV_SEEN:
		return runnable ? STATE_ON_CPU : STATE_UNKNOWN;
	case EV_IN:
		return runnable ? STATE_PREEMPTED : STATE_UNKNOWN;
	default:
		break;
	}
	if (!asleep)
		return STATE_UNKNOWN;
	return start->state == VMMPROF_VCPU_HALTED ? STATE_HALT : STATE_BLOCKED;
}

const char *state_key(unsigned int state)
{
	static const char *const key[] = { "unknown", "on-cpu", "preempted",
					   "woken",   "halt",	"blocked" };

	return state < NR_STATES ? key[state] : "?";
}
