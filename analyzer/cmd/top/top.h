/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * `vmmprof top`: two processes.  One records, as `vmmprof record` does, into a
 * directory in memory whose record files it empties after each interval, and
 * has the terminal.  The other, without rights, reads them and makes the
 * screens.
 */
#ifndef CMD_TOP_TOP_H
#define CMD_TOP_TOP_H

#include "host/inventory.h"
#include "cmd/code_options.h"
#include "cmd/load.h"
#include "cmd/record/options.h"

struct top_options {
	struct record_options record;
	struct session_load load; /* the session's place, guests' bundles */
	struct code_from code;
	int notes; /* the reader's end of what guests gave, -1: none is asked */
	bool batch;
	__u64 interval_ns;
	__u32 times; /* intervals, 0: until told to end */
	__u32 limit; /* functions of each machine, with batch */
};

/* Fills in o as record_parse_options() does. */
int top_parse_options(int argc, char **argv, struct top_options *o);

/* After a DATA event; the first one of all tells when sampling began. */
struct top_tick {
	__u64 until;   /* host TSC: the end of the interval */
	__u64 cpu_ns;  /* of the recorder's process since the last tick */
	__u64 wall_ns; /* since the last tick */
	__u64 lost;    /* samples, of all CPUs, since the last tick */
	__u32 host;    /* the host's map file has grown: read it again */
	__u32 nr_vms;  /* struct top_vm that follow */
	__u32 nr_gone; /* struct top_gone behind them */
	__u32 reserved;
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

/* The process that reads; arg: struct top_options.  Its exit status. */
int top_read(void *arg);

#endif /* CMD_TOP_TOP_H */
