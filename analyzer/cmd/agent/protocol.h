/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * `vmmprof agent`: what the reader answers to a tick (cmd/top/protocol.h).  At the
 * end of a window its metrics and profile are in the files that both have open,
 * and what is wanted of guests follows, as of `top`.
 */
#ifndef CMD_AGENT_PROTOCOL_H
#define CMD_AGENT_PROTOCOL_H

#include <linux/types.h>

/* The VM that loses most, if one has lost so much for so long: cmd/agent/alarm.h. */
struct agent_alarm {
	__u32 pid;	/* of its VMM; 0: none does */
	__u32 permille; /* of its vCPUs' time */
};

#define AGENT_PROFILES_MAX 100000 /* of a window; their number is in its name */

struct agent_done {
	__u64 cpu_ns;		  /* of the reader, since it began */
	__u32 window;		  /* it has ended */
	__u32 profile;		  /* its profiles could be made */
	__u32 switches;		  /* switch records: there are VMs' times */
	__u32 profiles;		  /* how many there are */
	__u64 folded;		  /* stacks of them that did not fit */
	struct agent_alarm alarm; /* each tick */
};

/* The files, in memory: the recorder empties them before a window's last tick. */
struct agent_files {
	int metrics, profile;
};

#endif /* CMD_AGENT_PROTOCOL_H */
