/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Finds the VMs of this host from /proc alone: processes that hold a KVM VM,
 * their vCPUs and, where they tell, which thread runs which vCPU.
 */
#ifndef VMMPROF_DISCOVER_H
#define VMMPROF_DISCOVER_H

#include "host/inventory.h"

struct vmmprof_discover_result {
	unsigned int looked; /* processes whose open files could be listed */
	unsigned int denied; /* those that could not: not root */
};

/*
 * Adds all VMs to inv.  root: "" or the prefix of a test's tree; tsc: now.
 * 0 or -errno (no /proc, no memory).
 */
int vmmprof_discover(const char *root, uint64_t tsc,
		     struct vmmprof_inventory *inv,
		     struct vmmprof_discover_result *result);

/*
 * Looks at one process.  1: it holds a VM and is in inv now; 0: it holds
 * none; -EACCES; -ENOENT: it is gone.
 */
int vmmprof_discover_pid(const char *root, uint32_t pid, uint64_t tsc,
			 struct vmmprof_inventory *inv);

/* Reads a thread's name; comm has VMMPROF_COMM bytes.  0 or -ENOENT. */
int vmmprof_discover_comm(const char *root, uint32_t pid, uint32_t tid,
			  char *comm);

#endif /* VMMPROF_DISCOVER_H */
