/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A process that makes code, and the files in which it may name it: files of
 * its user or root, below its own root directory, not older than the process.
 */
#ifndef OS_JIT_OWNER_H
#define OS_JIT_OWNER_H

#include <stdbool.h>
#include <sys/types.h>
#include <time.h>

#include <linux/types.h>

struct jit_owner {
	__u32 ns_pid; /* its pid in its own namespace */
	uid_t uid;
	time_t since; /* CLOCK_REALTIME: older files are not its own */
	int root;     /* descriptor of its root directory, to be closed */
};

/*
 * Looks up what /proc shows only while the process lives.  @exec: when it began
 * its program, s of CLOCK_REALTIME, 0: with its process.  False: it is gone, or
 * hidden.
 */
bool jit_owner_find(__u32 pid, time_t exec, struct jit_owner *ret);

/*
 * A regular file of the process's user or root, last written while the process
 * ran, at @path below its root, of inode @ino (0: not known); a descriptor or
 * -errno.
 */
int jit_owner_open(const struct jit_owner *p, const char *path, __u64 ino);

#endif /* OS_JIT_OWNER_H */
