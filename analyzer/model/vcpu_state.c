// SPDX-License-Identifier: GPL-2.0-only
/* State machine of a vCPU's thread; see the header. */

#include "model/vcpu_state.h"

/* KVM_MP_STATE_HALTED (linux/kvm.h) */
#define MP_STATE_HALTED 3

enum vmmprof_vcpu_event
vmmprof_state_of_out(const struct vmmprof_rec_switch *out)
{
	if (out->hdr.flags & VMMPROF_W_RUNNABLE)
		return VMMPROF_EV_OUT_PREEMPTED;
	if ((out->hdr.flags & VMMPROF_W_VCPU) &&
	    out->mp_state == MP_STATE_HALTED)
		return VMMPROF_EV_OUT_HALT;
	return VMMPROF_EV_OUT_BLOCKED;
}

static enum vmmprof_state after_out(enum vmmprof_vcpu_event event)
{
	switch (event) {
	case VMMPROF_EV_OUT_PREEMPTED:
		return VMMPROF_ST_PREEMPTED;
	case VMMPROF_EV_OUT_HALT:
		return VMMPROF_ST_HALT;
	default:
		return VMMPROF_ST_BLOCKED;
	}
}

static struct vmmprof_step stay(enum vmmprof_state now)
{
	return (struct vmmprof_step){ .before = now, .after = now };
}

/* @fits: the state before is one that the event can end. */
static struct vmmprof_step change(enum vmmprof_state now, bool fits,
				  enum vmmprof_state after)
{
	return (struct vmmprof_step){
		.before = fits ? now : VMMPROF_ST_UNKNOWN,
		.after = after,
		.missing = !fits && now != VMMPROF_ST_UNKNOWN,
	};
}

struct vmmprof_step vmmprof_state_step(enum vmmprof_state now,
				       enum vmmprof_vcpu_event event,
				       bool same_cpu)
{
	bool here = now == VMMPROF_ST_ON_CPU && same_cpu;

	switch (event) {
	case VMMPROF_EV_OUT_PREEMPTED:
	case VMMPROF_EV_OUT_HALT:
	case VMMPROF_EV_OUT_BLOCKED:
		return change(now, here, after_out(event));
	case VMMPROF_EV_IN:
		return change(now, vmmprof_state_waits(now), VMMPROF_ST_ON_CPU);
	case VMMPROF_EV_WAKE:
		/*
		 * Without effect on one that is runnable already.  After a
		 * loss it may be running as well.
		 */
		if (!vmmprof_state_sleeps(now))
			return stay(now);
		return change(now, true, VMMPROF_ST_WOKEN);
	case VMMPROF_EV_MIGRATE:
		if (now != VMMPROF_ST_ON_CPU)
			return stay(now);
		return change(now, false, VMMPROF_ST_UNKNOWN);
	case VMMPROF_EV_SEEN:
		return here ? stay(now) : change(now, false, VMMPROF_ST_ON_CPU);
	case VMMPROF_EV_NOT_HERE:
		if (now != VMMPROF_ST_ON_CPU)
			return stay(now);
		return change(now, false, VMMPROF_ST_UNKNOWN);
	}
	return stay(now);
}

enum vmmprof_state
vmmprof_state_first(const struct vmmprof_info_vcpu_state *start,
		    enum vmmprof_vcpu_event event, __u64 tsc)
{
	bool runnable, asleep;

	if (!start)
		return VMMPROF_ST_UNKNOWN;
	/* What it was later says nothing of before, but that it was there. */
	runnable = start->state == VMMPROF_VCPU_RUNNABLE || tsc < start->tsc;
	asleep = tsc >= start->tsc && (start->state == VMMPROF_VCPU_HALTED ||
				       start->state == VMMPROF_VCPU_ASLEEP);
	switch (event) {
	case VMMPROF_EV_OUT_PREEMPTED:
	case VMMPROF_EV_OUT_HALT:
	case VMMPROF_EV_OUT_BLOCKED:
	case VMMPROF_EV_SEEN:
		return runnable ? VMMPROF_ST_ON_CPU : VMMPROF_ST_UNKNOWN;
	case VMMPROF_EV_IN:
		return runnable ? VMMPROF_ST_PREEMPTED : VMMPROF_ST_UNKNOWN;
	default:
		break;
	}
	if (!asleep)
		return VMMPROF_ST_UNKNOWN;
	return start->state == VMMPROF_VCPU_HALTED ? VMMPROF_ST_HALT :
						     VMMPROF_ST_BLOCKED;
}

const char *vmmprof_state_key(unsigned int state)
{
	static const char *const key[] = { "unknown", "on-cpu", "preempted",
					   "woken",   "halt",	"blocked" };

	return state < VMMPROF_NR_STATES ? key[state] : "?";
}
