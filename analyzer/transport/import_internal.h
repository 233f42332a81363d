/* SPDX-License-Identifier: GPL-2.0-only */
/* Shared by the processes that are the first to read what a guest sent. */
#ifndef TRANSPORT_IMPORT_INTERNAL_H
#define TRANSPORT_IMPORT_INTERNAL_H

#include <stdint.h>

#include "base/error.h"

/* How such a process ends. */
enum {
	IMPORT_DONE,
	IMPORT_NONE, /* it is not a bundle, or not code */
	IMPORT_TOO_LARGE,
	IMPORT_NOT_CONFINED,
};

/* In it: bounds of memory, time and files.  Sanitizers map terabytes. */
int import_limits(void);

/*
 * Runs it until @deadline_ns; 0 or -errno as import_bundle() has it.  @what:
 * was sent, for the words in @e.
 */
int import_run(int (*run)(void *), void (*meanwhile)(void *), void *arg,
	       uint64_t deadline_ns, const char *what, struct error *e);

#endif /* TRANSPORT_IMPORT_INTERNAL_H */
