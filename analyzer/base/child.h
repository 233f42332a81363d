/* SPDX-License-Identifier: GPL-2.0-only */
/* A process that does one thing for the one that starts it. */
#ifndef BASE_CHILD_H
#define BASE_CHILD_H

#include <sys/types.h>

/* fork(2); the new process is killed when its parent ends.  -errno: none. */
pid_t child_fork(void);

/*
 * Runs run(sock, arg) in such a process and ends it with status 0.  @sock is one
 * end of a pair of sockets of @type (SOCK_SEQPACKET or SOCK_STREAM); the caller
 * gets the other one as *sock and closes it.  Whichever side ends, the other one reads the end (0 bytes).
 * What else the parent has open stays open: run() closes what it does not need.
 * Its number, for waitpid(2); or -errno, and then *sock is -1.
 */
pid_t child_begin(int type, void (*run)(int sock, void *arg), void *arg,
		  int *sock);

#endif /* BASE_CHILD_H */
