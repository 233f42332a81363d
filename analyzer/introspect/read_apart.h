/* SPDX-License-Identifier: GPL-2.0-only */
/* A guest's memory, read by a process without rights. */
#ifndef INTROSPECT_READ_APART_H
#define INTROSPECT_READ_APART_H

#include "introspect/bundle.h"

/* What that process is given. */
struct guest_look {
	int memory; /* /proc/PID/mem of the VMM, opened O_RDONLY */
	int out;    /* the bundle is written there, from its position on */
	__u32 pid;  /* of the VMM, for the layout */
	const struct guest_slot *slots;
	size_t nr_slots;
	__u64 cr3, rip; /* of a moment at CPL 0: guest_kernel_open() */
};

/* What it says.  A guest may control it: text is a string, no more. */
struct guest_found {
	struct error error; /* code 0: the bundle is whole */
	struct guest_bundle_stat stat;
	/* size 0: not known; else checked as the module checks it */
	struct vmmprof_guest_layout layout;
	__u64 reads, bytes; /* of the guest's memory */
};

/*
 * Reads a guest in a new process that has no rights but these descriptors, and
 * waits for it, at most up to @deadline_ns of CLOCK_MONOTONIC.  0; or -errno
 * with words in ret->error: as guest_kernel_open() and guest_bundle_write();
 * -EBADE: the process crashed or took too long; what it wrote is then of no use.
 */
int guest_read_apart(const struct guest_look *look, __u64 deadline_ns,
		     struct guest_found *ret);

#endif /* INTROSPECT_READ_APART_H */
