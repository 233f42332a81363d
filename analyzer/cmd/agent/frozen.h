/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Sessions that `vmmprof agent` makes of the newest records by itself, when there is
 * an alarm (cmd/agent/alarm.h): a directory of them, of which the oldest are removed.
 * A process of its own copies the records, so that the recorder goes on.
 */
#ifndef CMD_AGENT_FROZEN_H
#define CMD_AGENT_FROZEN_H

#include <sys/types.h>

#include "base/error.h"
#include "cmd/agent/alarm.h"

#define FROZEN_NAME 96 /* of a session: when, and of which VM */

struct frozen {
	const char *records; /* the directory of cmd/agent/kept.h */
	const char *dir;     /* where the sessions are */
	__u32 keep;	     /* how many at most */
	struct alarm_turn turn;
	char vm[FROZEN_NAME]; /* of the alarm that the next session is for */
	__u32 permille;
	/* the session that is made */
	pid_t child; /* 0: none */
	__u64 began_ns;
	char name[FROZEN_NAME];
	char lost[FROZEN_NAME + 32]; /* who lost how much, for messages */
	__u64 made, failed;	     /* since the agent began */
};

/*
 * Makes the directory if only its last part is missing.  0, -EPERM (others may write
 * there), or -errno.
 */
int frozen_open(const char *dir);

/*
 * Once a second: what the reader said.  @vm: any bytes, the name of the VM that has
 * lost too much; "": it has none; NULL: there is no alarm.
 */
void frozen_alarm(struct frozen *f, const char *vm, __u32 permille, __u64 now);

/*
 * Begins a session if one is due, at @now (CLOCK_MONOTONIC), and looks for the end
 * of the one that is made; says what became of it.
 */
void frozen_work(struct frozen *f, __u64 now);

/* Ends the process that copies, and removes what it left. */
void frozen_end(struct frozen *f);

/* The name of the session of a time (CLOCK_REALTIME, in seconds) and a VM. */
void frozen_name(char buf[FROZEN_NAME], time_t at, const char *vm);

/*
 * Removes the oldest sessions but @keep - 1, then makes session @name.  What is no
 * session, or has something else in it, stays and does not count.  0, or -errno with
 * words in @e.
 */
int frozen_make(const char *records, const char *dir, const char *name,
		__u32 keep, struct error *e);

#endif /* CMD_AGENT_FROZEN_H */
