/* SPDX-License-Identifier: GPL-2.0-only */
/* Landlock, landlock(7), if the kernel has it: restricts opening of files. */
#ifndef SANDBOX_LANDLOCK_H
#define SANDBOX_LANDLOCK_H

#include <stdbool.h>

/* The rights that the process keeps. */
struct landlock_may {
	int dir; /* regular files and directories beneath it; -1: none */
	const int *read; /* files and what is beneath directories: reading */
	unsigned int nr_read;
	bool read_all; /* reading anywhere */
	bool connect;  /* to TCP ports */
};

/*
 * For the rest of this process's life: no file is opened, made or removed but
 * as *may says (its descriptors may be of O_PATH; they can be closed
 * afterwards).  Files that are open stay open.  With newer kernels no TCP port
 * is bound, no signal is sent and no abstract socket reached beyond this
 * process.  The process has no_new_privs.  0, also if the kernel has no
 * Landlock, so callers must not rely on it alone; or -errno.
 */
int landlock(const struct landlock_may *may);

#endif /* SANDBOX_LANDLOCK_H */
