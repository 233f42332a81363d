/* SPDX-License-Identifier: GPL-2.0-only */
/* Small files of /proc and /sys, read whole. */
#ifndef OS_PROC_FILE_H
#define OS_PROC_FILE_H

#include <stddef.h>
#include <sys/types.h>

/*
 * Reads up to size - 1 bytes and appends a NUL.  Returns the bytes read or
 * -errno.
 */
ssize_t proc_file_read(const char *path, char *buf, size_t size);

/* The same for the first line, without its newline. */
ssize_t proc_file_line(const char *path, char *buf, size_t size);

#endif /* OS_PROC_FILE_H */
