/* SPDX-License-Identifier: GPL-2.0-only */
/* Landlock, landlock(7): no file by its path, where the kernel has it. */
#ifndef SANDBOX_LANDLOCK_H
#define SANDBOX_LANDLOCK_H

/*
 * For the rest of this process's life: no file is opened, made or removed, but
 * by @dirfd (-1: none) for whatever is beneath it, where the user's rights
 * decide; reading elsewhere is left alone if @reads.  Files that are open stay
 * so.  With newer kernels no TCP port is bound (nor connected to, without
 * @reads), no signal is sent and no abstract socket reached beyond this process.  The process
 * has no_new_privs.  0, also where the kernel has no Landlock: then other
 * measures must do; or -errno.
 */
int landlock(int dirfd, int reads);

#endif /* SANDBOX_LANDLOCK_H */
