/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Processes that do one thing for the recorder and have no other descriptors.
 */
#ifndef SANDBOX_HELPER_H
#define SANDBOX_HELPER_H

#include <stddef.h>
#include <sys/types.h>

/* What is open in a helper, beside /dev/null as 0, 1 and 2. */
#define HELPER_A 3
#define HELPER_B 4

/*
 * Runs run(arg) in a new process, which then ends.  It has only @a and @b of
 * the caller's descriptors.  It ends when the caller ends, but not by signals
 * of the terminal.  Its pid or -errno.
 */
pid_t helper_begin(int a, int b, void (*run)(void *arg), void *arg);

/*
 * To be called in that process before it reads foreign bytes: gives up all
 * rights and limits the memory.  Ends the process if that fails.
 */
void helper_confine(size_t memory);

/*
 * Gives up the rights, for helper_confine(): the analyzer's by libseccomp
 * (sandbox/helper_confine.c), vmmprof-guest's by a filter of its own.  0 or
 * -errno.
 */
int helper_give_up(void);

#endif /* SANDBOX_HELPER_H */
