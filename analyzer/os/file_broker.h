/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Symbols of mapped files, got by two other processes: one opens, one reads
 * (os/file_protocol.h).  Nothing here waits for them but file_broker_wait().  A
 * reader that a file crashes, or keeps for too long, is replaced, and the next
 * file goes on.
 */
#ifndef OS_FILE_BROKER_H
#define OS_FILE_BROKER_H

#include <poll.h>
#include <stdbool.h>

#include "os/file_protocol.h"
#include "os/mapping.h"

/* What came of one file. */
struct file_broker_answer {
	__u32 index;
	/*
	 * 0; what opening or reading gave (elffile_read()); -EBADE: it
	 * crashed its reader; -ETIMEDOUT: it took too long; -EFBIG; or what
	 * .ask() said.
	 */
	int err;
	bool opened; /* owner is known */
	struct file_owner owner;
	struct file_parsed parsed;
	const void *memory; /* its tables, only during the call */
	__u64 ns;	    /* CPU time that reading took */
};

struct file_broker_config {
	size_t memory; /* bytes of one file's tables */
	__u64 file_ns; /* CPU time that one file may take */
	/* May it be read?  0 or what the answer says. */
	int (*ask)(void *arg, const struct file_owner *owner);
	/* 0 or -errno: given back by what called. */
	int (*answer)(void *arg, const struct file_broker_answer *answer);
	void *arg;
	const __u8 (*have)[20]; /* sorted: build-ids that need no symbols */
	size_t nr_have;
};

struct file_broker;

/* *cfg must outlive it and may change until the first file.  0 or -errno. */
int file_broker_create(const struct file_broker_config *cfg,
		       struct file_broker **ret);

/* Ends both processes; files that wait get no answer. */
void file_broker_destroy(struct file_broker *d);

/*
 * Asks for the file of a mapping, which is @index to the caller.  0; -ENOBUFS:
 * too many wait; -ENOMEM.
 */
int file_broker_add(struct file_broker *d, const struct mmap_event *ev,
		    __u32 index);

/* Gives the answers that are there; does not wait.  0 or -errno of .answer(). */
int file_broker_run(struct file_broker *d);

/* The same until all are there, or for @ms. */
int file_broker_wait(struct file_broker *d, unsigned int ms);

/* Answers -ETIMEDOUT for all that wait: there is no time for them. */
int file_broker_give_up(struct file_broker *d);

/* When to call file_broker_run(): two descriptors, always the same. */
int file_broker_pollfds(const struct file_broker *d, struct pollfd *fds,
			int max);

#endif /* OS_FILE_BROKER_H */
