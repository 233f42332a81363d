/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * `vmmprof top`: the messages between recorder and reader, beside keys and
 * screens (tui/wire.h).
 */
#ifndef CMD_TOP_PROTOCOL_H
#define CMD_TOP_PROTOCOL_H

#include "host/inventory.h"

/* Follows a DATA event; .until of the first one is the start of sampling. */
struct top_tick {
	__u64 until;   /* host TSC: the end of the interval */
	__u64 cpu_ns;  /* of the recorder's process since the last tick */
	__u64 wall_ns; /* since the last tick */
	__u64 lost;    /* samples, of all CPUs, since the last tick */
	__u32 host;    /* the host's map file has grown: read it again */
	__u32 nr_gone; /* struct top_gone that follow */
	__u32 nr_vms;  /* struct top_vm behind them */
	__u32 more;    /* of the agent: the window goes on */
	__u64 real_ns; /* ... CLOCK_REALTIME when it began */
};

struct top_vm {
	__u32 pid;
	char name[VM_NAME];
};

/* A vCPU's thread that has ended. */
struct top_gone {
	__u32 pid, tid;
};

/*
 * The reader's answer to a tick, before its screen: this head, then struct
 * top_want of each guest; the same head, then struct refresh_code of
 * each function of a guest whose code is wanted.
 */
struct top_wants {
	__u32 nr;
};

#define TOP_MAX_WANTS 4096

/* Samples of the interval, and those that newer maps could name. */
struct top_want {
	__u32 pid;
	__u32 samples, unknown;
};

#endif /* CMD_TOP_PROTOCOL_H */
