/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A process that makes code, and the files in which it may say so: those of its
 * user or root, below its own root directory, that are not older than it.
 */
#ifndef VMMPROF_OS_JIT_OWNER_H
#define VMMPROF_OS_JIT_OWNER_H

#include <stdbool.h>
#include <sys/types.h>
#include <time.h>

#include <linux/types.h>

struct vmmprof_jitowner {
	__u32 ns_pid; /* its number as it knows it */
	uid_t uid;
	time_t since; /* CLOCK_REALTIME: older files are not its own */
	int root;     /* descriptor of its root directory, to be closed */
};

/*
 * What has to be known while it lives.  @exec: when it began its program, s of
 * CLOCK_REALTIME, 0: with its process.  False: it is gone, or hidden.
 */
bool vmmprof_jitowner_find(__u32 pid, time_t exec,
			   struct vmmprof_jitowner *ret);

/*
 * A regular file of the process's user or root, last written while the process
 * ran, at @path below its root, of inode @ino (0: not known); a descriptor or
 * -errno.
 */
int vmmprof_jitowner_open(const struct vmmprof_jitowner *p, const char *path,
			  __u64 ino);

#endif /* VMMPROF_OS_JIT_OWNER_H */
