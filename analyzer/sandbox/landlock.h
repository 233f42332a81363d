/* SPDX-License-Identifier: GPL-2.0-only */
/* Landlock, landlock(7): no file by its path, where the kernel has it. */
#ifndef SANDBOX_LANDLOCK_H
#define SANDBOX_LANDLOCK_H

#include <stdbool.h>

/* What is left of the user's rights. */
struct landlock_may {
	int dir; /* regular files and directories beneath it; -1: none */
	const int *read; /* files and what is beneath directories: reading */
	unsigned int nr_read;
	bool read_all; /* reading anywhere */
	bool connect;  /* to TCP ports */
};

/*
 * For the rest of this process's life: no file is opened, made or removed but
 * as *may says (the descriptors may be of O_PATH, and are of no use to it
 * later).  Files that are open stay so.  With newer kernels no TCP port is
 * bound, no signal is sent and no abstract socket reached beyond this process.
 * The process has no_new_privs.  0, also where the kernel has no Landlock: then
 * other measures must do; or -errno.
 */
int landlock(const struct landlock_may *may);

#endif /* SANDBOX_LANDLOCK_H */
