/* SPDX-License-Identifier: GPL-2.0-only */
/* Small files of /proc and /sys, read whole. */
#ifndef OS_PROC_FILE_H
#define OS_PROC_FILE_H

#include <stddef.h>
#include <sys/types.h>

#include <linux/types.h>

/*
 * Reads up to size - 1 bytes and appends a NUL.  Returns the bytes read or
 * -errno.
 */
ssize_t proc_file_read(const char *path, char *buf, size_t size);

/* The same for the first line, without its newline. */
ssize_t proc_file_line(const char *path, char *buf, size_t size);

/*
 * When process @pid of the tree at @root ("": /proc itself) began, in ns of
 * CLOCK_BOOTTIME.  0; -ENOENT or such: it is gone; -EINVAL.
 */
int proc_file_began(const char *root, __u32 pid, __u64 *ns);

#endif /* OS_PROC_FILE_H */
