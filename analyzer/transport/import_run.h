/* SPDX-License-Identifier: GPL-2.0-only */
/* What the processes share that read what a guest sent, first of all. */
#ifndef VMMPROF_TRANSPORT_IMPORT_RUN_H
#define VMMPROF_TRANSPORT_IMPORT_RUN_H

#include <stdint.h>

/* How such a process ends. */
enum {
	VMMPROF_IMPORT_DONE,
	VMMPROF_IMPORT_NONE, /* what was sent is none */
	VMMPROF_IMPORT_TOO_LARGE,
	VMMPROF_IMPORT_NOT_CONFINED,
};

/* In it: bounds of memory, time and files.  Sanitizers map terabytes. */
int vmmprof_import_limits(void);

/* Runs it until @deadline_ns; 0 or -errno as vmmprof_import() has it. */
int vmmprof_import_run(int (*run)(void *), void (*meanwhile)(void *), void *arg,
		       uint64_t deadline_ns);

#endif /* VMMPROF_TRANSPORT_IMPORT_RUN_H */
