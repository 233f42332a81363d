/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Gets the symbols of mapped files from two other processes: the opener opens a
 * file, the parser reads it (os/file_protocol.h).  Only file_broker_wait()
 * waits for them.  If a file crashes the parser, or takes too long, the parser
 * is replaced and continues with the next file.
 */
#ifndef OS_FILE_BROKER_H
#define OS_FILE_BROKER_H

#include <poll.h>
#include <stdbool.h>

#include "os/file_protocol.h"
#include "os/mapping.h"

/* The result for one file. */
struct file_broker_answer {
	__u32 index;
	/*
	 * 0; an error of opening or reading (elffile_read()); -EBADE: it
	 * crashed the parser; -ETIMEDOUT: it took too long; -EFBIG; or an
	 * error of .ask().
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
	/* May it be read?  0, or an error for the answer. */
	int (*ask)(void *arg, const struct file_owner *owner);
	/* 0 or -errno, which the calling function returns. */
	int (*answer)(void *arg, const struct file_broker_answer *answer);
	void *arg;
	struct file_have have;
	bool unwind; /* unwind tables are wanted */
	/*
	 * Files are opened, but read only while file_broker_wait() waits, or if
	 * half as many are open as may be.
	 */
	bool sparing;
};

struct file_broker;

/* *cfg must outlive it and may change until the first file.  0 or -errno. */
int file_broker_create(const struct file_broker_config *cfg,
		       struct file_broker **ret);

/* Ends both processes; files that wait get no answer. */
void file_broker_destroy(struct file_broker *d);

/*
 * Asks for the file of a mapping; @index: the caller's number of it.  0;
 * -ENOBUFS: too many wait; -ENOMEM.
 */
int file_broker_add(struct file_broker *d, const struct mmap_event *ev,
		    __u32 index);

/*
 * Hands over the answers that have come; does not wait.  0 or -errno of
 * .answer().
 */
int file_broker_run(struct file_broker *d);

/* The same until all are there, or for @ms. */
int file_broker_wait(struct file_broker *d, unsigned int ms);

/* Answers -ETIMEDOUT for all files that still wait. */
int file_broker_give_up(struct file_broker *d);

/* When to call file_broker_run(): two descriptors, always the same. */
int file_broker_pollfds(const struct file_broker *d, struct pollfd *fds,
			int max);

#endif /* OS_FILE_BROKER_H */
