/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Finds the VMs of this host from /proc alone: processes that hold a KVM VM,
 * their vCPUs and, where they tell, which thread runs which vCPU.
 */
#ifndef HOST_DISCOVER_H
#define HOST_DISCOVER_H

#include "host/inventory.h"

struct discover_result {
	unsigned int looked; /* processes whose open files could be listed */
	unsigned int denied; /* those that could not: not root */
};

/*
 * Adds all VMs to inv.  root: "" or the prefix of a test's tree; tsc: now.
 * 0 or -errno (no /proc, no memory).
 */
int discover(const char *root, uint64_t tsc, struct inventory *inv,
	     struct discover_result *result);

/*
 * Looks at one process.  1: it holds a VM and is in inv now; 0: it holds
 * none; -EACCES; -ENOENT: it is gone.
 */
int discover_pid(const char *root, uint32_t pid, uint64_t tsc,
		 struct inventory *inv);

/* Reads a thread's name; comm has VMMPROF_COMM bytes.  0 or -ENOENT. */
int discover_comm(const char *root, uint32_t pid, uint32_t tid, char *comm);

#endif /* HOST_DISCOVER_H */
