/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Symbols of mapped files, got by two other processes: one opens, one reads
 * (os/file_protocol.h).  Nothing here waits for them but vmmprof_filedesk_wait().  A
 * reader that a file crashes, or keeps for too long, is replaced, and the next
 * file goes on.
 */
#ifndef VMMPROF_OS_FILE_BROKER_H
#define VMMPROF_OS_FILE_BROKER_H

#include <poll.h>
#include <stdbool.h>

#include "os/file_protocol.h"
#include "os/proc_maps.h"

/* What came of one file. */
struct vmmprof_filedesk_answer {
	__u32 index;
	/*
	 * 0; what opening or reading gave (vmmprof_elf_read()); -EBADE: it
	 * crashed its reader; -ETIMEDOUT: it took too long; -EFBIG; or what
	 * .ask() said.
	 */
	int err;
	bool opened; /* owner is known */
	struct vmmprof_file_owner owner;
	struct vmmprof_file_parsed parsed;
	const void *memory; /* its tables, only during the call */
	__u64 ns;	    /* CPU time that reading took */
};

struct vmmprof_filedesk_config {
	size_t memory; /* bytes of one file's tables */
	__u64 file_ns; /* CPU time that one file may take */
	/* May it be read?  0 or what the answer says. */
	int (*ask)(void *arg, const struct vmmprof_file_owner *owner);
	/* 0 or -errno: given back by what called. */
	int (*answer)(void *arg, const struct vmmprof_filedesk_answer *answer);
	void *arg;
	const __u8 (*have)[20]; /* sorted: build-ids that need no symbols */
	size_t nr_have;
};

struct vmmprof_filedesk;

/* *cfg must outlive it and may change until the first file.  0 or -errno. */
int vmmprof_filedesk_create(const struct vmmprof_filedesk_config *cfg,
			    struct vmmprof_filedesk **ret);

/* Ends both processes; files that wait get no answer. */
void vmmprof_filedesk_destroy(struct vmmprof_filedesk *d);

/*
 * Asks for the file of a mapping, which is @index to the caller.  0; -ENOBUFS:
 * too many wait; -ENOMEM.
 */
int vmmprof_filedesk_add(struct vmmprof_filedesk *d,
			 const struct vmmprof_mmap_event *ev, __u32 index);

/* Gives the answers that are there; does not wait.  0 or -errno of .answer(). */
int vmmprof_filedesk_run(struct vmmprof_filedesk *d);

/* The same until all are there, or for @ms. */
int vmmprof_filedesk_wait(struct vmmprof_filedesk *d, unsigned int ms);

/* Answers -ETIMEDOUT for all that wait: there is no time for them. */
int vmmprof_filedesk_give_up(struct vmmprof_filedesk *d);

/* When to call vmmprof_filedesk_run(): two descriptors, always the same. */
int vmmprof_filedesk_pollfds(const struct vmmprof_filedesk *d,
			     struct pollfd *fds, int max);

#endif /* VMMPROF_OS_FILE_BROKER_H */
