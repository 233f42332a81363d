/* SPDX-License-Identifier: GPL-2.0-only */
/* Processes that do one thing for whoever records, and have nothing else. */
#ifndef SANDBOX_HELPER_H
#define SANDBOX_HELPER_H

#include <stddef.h>
#include <sys/types.h>

/* What a helper finds open, beside /dev/null as 0, 1 and 2. */
#define HELPER_A 3
#define HELPER_B 4

/*
 * Runs run(arg) in a new process, which then ends.  It has @a and @b open and
 * nothing else of the caller's, ends with the caller, and not by the terminal.
 * Its number or -errno.
 */
pid_t helper_begin(int a, int b, void (*run)(void *arg), void *arg);

/*
 * In it: reads foreign bytes from now on, without rights and with that much
 * memory.  Does not return if that cannot be had.
 */
void helper_confine(size_t memory);

/*
 * Gives up the rights, for helper_confine(): the analyzer's by libseccomp
 * (sandbox/helper_confine.c), vmmprof-guest's by a filter of its own.  0 or -errno.
 */
int helper_give_up(void);

#endif /* SANDBOX_HELPER_H */
