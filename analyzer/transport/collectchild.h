/* SPDX-License-Identifier: GPL-2.0-only */
/* The process that talks to one guest, and what it tells its parent. */
#ifndef VMMPROF_COLLECTCHILD_H
#define VMMPROF_COLLECTCHILD_H

#include "transport.h"

/* One datagram from the child; the parent believes no more than it must. */
struct vmmprof_collect_report {
	uint32_t watching; /* 1: begun; 0: the last report */
	uint32_t how;	   /* enum vmmprof_reach */
	int32_t error;
	uint32_t pad;
	uint64_t sent, received;
	uint64_t done_ns; /* CLOCK_MONOTONIC of this report */
	char text[VMMPROF_CHANNEL_TEXT];
};

struct vmmprof_collect_child {
	const struct vmmprof_target *target;
	uint32_t allow; /* 1 << enum vmmprof_reach */
	uint32_t watch_limit;
	uint64_t begin_ns, end_ns;
	int program, out, sock;
	int have; /* see vmmprof_channel */
};

/*
 * Finds a way in, gives up privileges, watches, reports; fetches as soon as
 * the parent sends a byte, reports.  A parent that is gone: tidies up in the
 * guest.  Runs in a forked process; the return value is its exit status.
 */
int vmmprof_collect_child(const struct vmmprof_collect_child *how);

#endif /* VMMPROF_COLLECTCHILD_H */
