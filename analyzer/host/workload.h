/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The command to be measured.  It is forked before anything else is opened, so
 * that nothing of the session is its own, and waits until it is let go.
 */
#ifndef VMMPROF_WORKLOAD_H
#define VMMPROF_WORKLOAD_H

#include <stdbool.h>
#include <sys/types.h>

struct vmmprof_workload {
	pid_t pid;  /* 0: there is none */
	int go_fd;  /* closing it without a byte ends the child */
	int err_fd; /* what exec said */
	bool ended;
	int status; /* wait status once it has ended */
};

/* Forks the child.  argv: NULL-terminated, looked up in PATH.  0 or -errno. */
int vmmprof_workload_prepare(char *const *argv, struct vmmprof_workload *w);

/* Lets the child go.  0, or -errno of its exec; it has then ended. */
int vmmprof_workload_start(struct vmmprof_workload *w);

/* Has it ended?  Does not wait. */
bool vmmprof_workload_poll(struct vmmprof_workload *w);

/*
 * Ends it: by closing the pipe if it was never let go, else with SIGTERM.
 * Waits two seconds at most; false: it still runs.
 */
bool vmmprof_workload_end(struct vmmprof_workload *w);

#endif /* VMMPROF_WORKLOAD_H */
