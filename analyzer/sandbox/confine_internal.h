/* SPDX-License-Identifier: GPL-2.0-only */
/* What filters of several kinds of processes share. */
#ifndef SANDBOX_CONFINE_INTERNAL_H
#define SANDBOX_CONFINE_INTERNAL_H

#include <seccomp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A system call that is allowed if (argument & mask) == value. */
struct confine_argument {
	int nr;
	unsigned int arg; /* 0 to 5 */
	uint64_t mask, value;
};

/* Allow these.  0 or -errno, as all that follow. */
int confine_allow_if(scmp_filter_ctx ctx, const struct confine_argument *a,
		     size_t nr);

/*
 * Allow what is of this process alone: flags of its files without signals,
 * memory that is not executable, its limits read, a signal to itself.
 */
int confine_allow_own(scmp_filter_ctx ctx);

/*
 * Load a filter, for all threads, with the rules that @add_rules adds; it gets
 * @opens.  @otherwise: what becomes of other system calls.
 */
int confine_filter(uint32_t otherwise,
		   int (*add_rules)(scmp_filter_ctx ctx, bool opens),
		   bool opens);

/*
 * Root becomes nobody, without groups and capabilities; a user has none of
 * these any more either.
 */
int confine_rights(void);

#endif /* SANDBOX_CONFINE_INTERNAL_H */
