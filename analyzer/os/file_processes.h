/* SPDX-License-Identifier: GPL-2.0-only */
/* The opener and the parser as processes: started, watched, ended. */
#ifndef OS_FILE_PROCESSES_H
#define OS_FILE_PROCESSES_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include <linux/types.h>

#include "os/file_protocol.h"

#define FILESTAFF_ENDING 8

struct file_processes {
	struct file_processes_process {
		pid_t pid;  /* 0: none */
		int signal; /* that ended the last one, 0: none */
	} opener, parser;
	/*
	 * The same for every process that comes: to the opener, from the
	 * parser, between both.  [0] is ours, or the opener's.
	 */
	int opener_ends[2], parser_ends[2], between[2];
	int ask, answer; /* ours */
	void *memory;	 /* of the parser and us */
	size_t size;
	__u64 cpu; /* of the parser, when it was looked at */
	/* killed, but not ended yet: they may be blocked in a file system */
	pid_t ending[FILESTAFF_ENDING];
};

/* Starts no process yet.  0 or -errno. */
int file_processes_init(struct file_processes *s, size_t size);
void file_processes_deinit(struct file_processes *s);

/* Has it begun, if it does not run.  0 or -errno. */
int file_processes_opener(struct file_processes *s);

/*
 * The same; for files from number @first on, what it needs not read, and whether
 * unwind tables are wanted.
 */
int file_processes_parser(struct file_processes *s, __u32 first,
			  const struct file_have *have, bool unwind);

/* Kills it; waits for nothing. */
void file_processes_end_opener(struct file_processes *s);
void file_processes_end_parser(struct file_processes *s);

/* Notices what has ended by itself: its pid is 0 then. */
void file_processes_reap(struct file_processes *s);

/* CPU time of the parser, ns; what it was at last once it is gone. */
__u64 file_processes_cpu(struct file_processes *s);

/* Gives the first @size bytes of the memory back. */
void file_processes_wipe(struct file_processes *s, size_t size);

#endif /* OS_FILE_PROCESSES_H */
