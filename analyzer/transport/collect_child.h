/* SPDX-License-Identifier: GPL-2.0-only */
/* The process that talks to one guest, and its reports to the parent. */
#ifndef TRANSPORT_COLLECT_CHILD_H
#define TRANSPORT_COLLECT_CHILD_H

#include <stdbool.h>

#include "transport/transport.h"

enum collect_stage {
	COLLECT_LAST,	 /* no more reports */
	COLLECT_WATCHES, /* it has begun */
	COLLECT_FETCHED, /* the bundle is there, code may be asked for */
};

/* One datagram from the child.  A guest may control the child: check it. */
struct collect_report {
	uint32_t stage; /* enum collect_stage */
	uint32_t how;	/* enum vmmprof_reach */
	int32_t error;
	uint32_t no_unwind; /* 1: see channel */
	uint64_t sent, received;
	uint64_t done_ns;   /* CLOCK_MONOTONIC of this report */
	uint64_t code_size; /* bytes of code, in the last report */
	char text[CHANNEL_TEXT];
};

struct collect_child {
	const struct target *target;
	uint32_t allow; /* 1 << enum vmmprof_reach */
	uint32_t watch_limit;
	uint64_t begin_ns, end_ns;
	const struct guest_program *program;
	int out, sock;
	int have;	    /* see channel */
	bool unwind;	    /* so */
	int code;	    /* so; -1: nobody will ask for code */
	uint64_t max_bytes; /* of the bundle */
	bool at_once; /* fetch a bundle at once, without watching before */
};

/*
 * Runs in a forked process; the return value is its exit status.  In order:
 * finds a way in, gives up privileges, watches, reports; waits for a byte of
 * the parent, fetches, reports; if code may be asked for, waits for a datagram
 * of a byte and the list, fetches the code, reports.  If the parent is gone, it
 * tidies up in the guest.
 */
int collect_child(const struct collect_child *how);

#endif /* TRANSPORT_COLLECT_CHILD_H */
