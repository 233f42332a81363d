/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The command to be measured.  It is forked before anything else is opened, so
 * that it inherits nothing of the session, and waits until it may start.
 */
#ifndef HOST_WORKLOAD_H
#define HOST_WORKLOAD_H

#include <stdbool.h>
#include <sys/types.h>

struct workload {
	pid_t pid;  /* 0: there is none */
	int go_fd;  /* closing it without a byte ends the child */
	int err_fd; /* errno of a failed exec */
	bool ended;
	int status; /* wait status once it has ended */
};

/* Forks the child.  argv: NULL-terminated, looked up in PATH.  0 or -errno. */
int workload_prepare(char *const *argv, struct workload *w);

/* Lets the child start.  0, or -errno of its exec; it has then ended. */
int workload_start(struct workload *w);

/* Has it ended?  Does not wait. */
bool workload_poll(struct workload *w);

/*
 * Ends it: by closing the pipe if it was never started, else with SIGTERM.
 * Waits two seconds at most; false: it still runs.
 */
bool workload_end(struct workload *w);

#endif /* HOST_WORKLOAD_H */
