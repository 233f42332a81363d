/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Confines a process that reads what a guest wrote: it can only read, compute,
 * and write to descriptors that are already open.
 */
#ifndef SANDBOX_CONFINE_H
#define SANDBOX_CONFINE_H

#include <stdint.h>
#include <sys/types.h>

#define VMMPROF_NOBODY 65534

/*
 * For the rest of this process's life: no root (the user nobody, without
 * groups), no capabilities, no core dump, no new process, and of the system
 * calls only those in confine.c; any other one kills it with SIGSYS.  It cannot
 * open files or make memory executable.  It ends with its parent.  0, or -errno
 * if the kernel refused something; then nothing may be read.
 */
int confine_self(void);

/*
 * The same for the opener (opener.h), which may also open files by their paths
 * for reading, with the rights of the user that it is now.
 */
int confine_opener(void);

/* Standard input, output and error are /dev/null; 0 or -errno. */
int confine_stdio(void);

/* As confine_self(), but it may outlive its parent, in order to tidy up. */
int confine_outlive(void);

/*
 * For a process that asks others on the network and keeps what they answer in
 * the directory @dir, which must belong to the user that is left: no root, no
 * capabilities, no program, no other process, no file by its path but beneath
 * @dir and, for reading, of the system's libraries and settings and what
 * @read[] names (O_PATH; where the kernel has Landlock).  Threads, sockets of
 * the internet and Unix, and memory are left.  0 or -errno.
 */
int confine_network(int dir, const int *read, unsigned int nr);

/*
 * Runs run(arg) in a new process and waits for it.  The caller runs
 * meanwhile(arg) (NULL: nothing), which must end by itself.  The process is
 * killed (SIGKILL) if it still runs at @deadline_ns of CLOCK_MONOTONIC.
 * Returns its exit status, or -EBADE if it was killed for what it did (a
 * forbidden system call, a crash), -EINTR with *signal set if by another
 * signal; -errno if it was not started.  Ctrl-C ends the process, not the
 * caller.
 */
int confine_run_until(int (*run)(void *), void (*meanwhile)(void *), void *arg,
		      uint64_t deadline_ns, int *signal);

/*
 * The same without waiting: the number of the new process, or -errno.  Ctrl-C
 * does not end it.  confine_look(): -EAGAIN, it still runs; otherwise it has
 * ended, or was killed because @deadline_ns is over, and this is what
 * confine_run_until() returns.
 */
pid_t confine_start(int (*run)(void *), void *arg);
int confine_look(pid_t pid, uint64_t deadline_ns, int *signal);

/*
 * Closes all descriptors from @low on except those in @keep (-1 is ignored), so
 * that a process does not keep what its parent has open.
 */
void confine_files(int low, const int *keep, unsigned int nr);

/*
 * As confine_run_until() without a deadline, but with a stream socket between
 * both processes.  While the new one runs, the caller runs serve_fn(arg, fd),
 * which returns when the other end is closed, or earlier.  fd is closed
 * afterwards.
 */
int confine_run_served(int (*run)(void *), void *arg,
		       void (*serve_fn)(void *arg, int fd), int *signal);

/* For the new process: its end of that socket; -1: there is none. */
int confine_channel(void);

#endif /* SANDBOX_CONFINE_H */
