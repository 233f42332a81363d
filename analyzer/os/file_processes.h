/* SPDX-License-Identifier: GPL-2.0-only */
/* The opener and the parser as processes: begun, watched, ended. */
#ifndef VMMPROF_OS_FILE_PROCESSES_H
#define VMMPROF_OS_FILE_PROCESSES_H

#include <stddef.h>
#include <sys/types.h>

#include <linux/types.h>

#define VMMPROF_FILESTAFF_ENDING 8

struct vmmprof_filestaff {
	struct vmmprof_filestaff_process {
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
	/* killed, and not gone yet: a file system may keep them */
	pid_t ending[VMMPROF_FILESTAFF_ENDING];
};

/* CLOCK_MONOTONIC, ns. */
__u64 vmmprof_filestaff_now(void);

/* Nothing is begun yet.  0 or -errno. */
int vmmprof_filestaff_init(struct vmmprof_filestaff *s, size_t size);
void vmmprof_filestaff_deinit(struct vmmprof_filestaff *s);

/* Has it begun, if it does not run.  0 or -errno. */
int vmmprof_filestaff_opener(struct vmmprof_filestaff *s);

/* The same; for files from number @first on, and what it needs not read. */
int vmmprof_filestaff_parser(struct vmmprof_filestaff *s, __u32 first,
			     const void *have, size_t nr_have);

/* Kills it; waits for nothing. */
void vmmprof_filestaff_end_opener(struct vmmprof_filestaff *s);
void vmmprof_filestaff_end_parser(struct vmmprof_filestaff *s);

/* Notices what has ended by itself: its pid is 0 then. */
void vmmprof_filestaff_reap(struct vmmprof_filestaff *s);

/* CPU time of the parser, ns; what it was at last once it is gone. */
__u64 vmmprof_filestaff_cpu(struct vmmprof_filestaff *s);

/* Gives the first @size bytes of the memory back. */
void vmmprof_filestaff_wipe(struct vmmprof_filestaff *s, size_t size);

#endif /* VMMPROF_OS_FILE_PROCESSES_H */
