/* SPDX-License-Identifier: GPL-2.0-only */
/* A guest's memory, read by a process without rights. */
#ifndef INTROSPECT_READ_APART_H
#define INTROSPECT_READ_APART_H

#include <sys/types.h>

#include "introspect/bundle.h"

/* What that process is given. */
struct guest_look {
	int memory; /* /proc/PID/mem of the VMM, opened O_RDONLY */
	int out;    /* the bundle is written there, from its position on */
	/* what was read before, from its position on: guest_bundle_write() */
	int before;
	/* guest_found.kernel of the reading that wrote @before; NULL: none */
	const struct guest_kernel *kernel;
	bool unwind; /* the kernel's tables for call chains, too */
	__u32 pid;   /* of the VMM, for the layout */
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
	/* for guest_look.kernel of that guest alone; banner "": nothing of use */
	struct guest_kernel kernel;
	__u64 reads, bytes; /* of the guest's memory */
};

/* A process that reads. */
struct guest_reading {
	pid_t pid; /* 0: none */
	__u32 vmm; /* guest_look.pid */
	__u64 deadline_ns;
	struct guest_found *found; /* shared with it */
};

/*
 * Begins to read a guest in a new process that has no rights but the descriptors
 * of @look, and ends at @deadline_ns of CLOCK_MONOTONIC.  What @look has, the
 * caller may release afterwards.  0, or -errno with words in @e (NULL: nobody
 * reads them); then there is nothing to end.
 */
int guest_reading_begin(const struct guest_look *look, __u64 deadline_ns,
			struct guest_reading *r, struct error *e);

/*
 * What came of it.  -EAGAIN: it still reads.  0; or -errno with words in
 * ret->error: as guest_kernel_open() and guest_bundle_write(); -EBADE: the
 * process crashed or took too long; what it wrote is then of no use.
 */
int guest_reading_look(struct guest_reading *r, struct guest_found *ret);

/*
 * The layout of the kernel, which is known before all is read.  False: not yet, or
 * this kernel has none.
 */
bool guest_reading_layout(const struct guest_reading *r,
			  struct vmmprof_guest_layout *ret);

/* A file in memory for guest_look.out, or -errno. */
int guest_reading_open(void);

/*
 * Seals what one that went well has written there, so that the next one, which has
 * it as guest_look.before, cannot change it.  0; -EFBIG: no reader of ours writes
 * as much; or -errno.
 */
int guest_reading_keep(int out);

/* Ends it, if it still reads.  r->pid may be 0. */
void guest_reading_end(struct guest_reading *r);

/* All of it; waits for the process's end.  As guest_reading_look(). */
int guest_read_apart(const struct guest_look *look, __u64 deadline_ns,
		     struct guest_found *ret);

#endif /* INTROSPECT_READ_APART_H */
