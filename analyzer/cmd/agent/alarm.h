/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The alarm of `vmmprof agent`: a VM has lost more than so much of its time, for so
 * long, that the newest records are to become a session (cmd/agent/frozen.h).  The
 * reader says each second whether it is so; the recorder, when to do it.
 */
#ifndef CMD_AGENT_ALARM_H
#define CMD_AGENT_ALARM_H

#include <stdbool.h>
#include <stddef.h>

#include <linux/types.h>

#include "cmd/agent/protocol.h"

struct timeline;

struct alarm_limit {
	__u32 percent; /* of the time of a VM's vCPUs; more is too much */
	__u64 for_ns;  /* on end */
};

/* Looks on end at which a VM had lost more than that since the look before. */
struct alarm_streak {
	__u64 ns, steal, all; /* the latter in ticks */
};

/*
 * One more look, @ns after the one before, at a VM that lost @steal of its @all ticks
 * meanwhile.  True: the streak is as long as the limit says.
 */
bool alarm_streak_add(struct alarm_streak *s, const struct alarm_limit *limit,
		      __u64 ns, __u64 steal, __u64 all);

/* The reader's: all VMs'.  { 0 } but for .limit; a limit of 0 percent: none. */
struct alarm {
	struct alarm_limit limit;
	struct alarm_vm {
		__u64 steal, all; /* of the window, until the look before */
		__u64 new_steal, new_all;
		struct alarm_streak streak;
	} * vms; /* by the number of the guest */
	size_t cap;
	__u64 until; /* of the look before, host TSC; 0: there was none */
};

/*
 * Looks at what the vCPUs of @tl had in a window until @until (host TSC).  @anew: it
 * is the window's first look.  *ret: the VM that loses the greatest part of those whose
 * streak is long enough.  0 or -ENOMEM.
 */
int alarm_look(struct alarm *a, const struct timeline *tl, __u64 until,
	       bool anew, struct agent_alarm *ret);
void alarm_deinit(struct alarm *a);

/* The recorder's: when an alarm is for a session.  { 0 } but for .again_ns. */
struct alarm_turn {
	__u64 again_ns; /* one that lasts is for another one after that */
	__u64 last_ns;	/* of the last session; see .any */
	bool any, on, wanted;
};

/*
 * Is there an alarm at @now (CLOCK_MONOTONIC)?  True: it is for a session, because it
 * has just begun, or has lasted for .again_ns since the last one.
 */
bool alarm_turn_look(struct alarm_turn *t, bool on, __u64 now);

/*
 * True: the session that is wanted is to be made now.  Half of .again_ns is between
 * two of them; until then it waits.
 */
bool alarm_turn_take(struct alarm_turn *t, __u64 now);

#endif /* CMD_AGENT_ALARM_H */
