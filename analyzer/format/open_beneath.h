/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Files below a directory that somebody else may have made: nothing outside of
 * it is opened, whatever its links say, and of what is no regular file (fifo,
 * device, socket) nothing at all: opening a fifo wakes who waits at its other
 * end, opening a device runs its driver.
 */
#ifndef FORMAT_OPEN_BENEATH_H
#define FORMAT_OPEN_BENEATH_H

#include <stdbool.h>

/*
 * A regular file for reading.  @path: names below @dirfd with slashes between,
 * none of them "..", a link or on another file system.  The descriptor
 * (O_NONBLOCK) or -errno: -ELOOP for a link, -EINVAL for what is no regular
 * file, -EXDEV for a path that leads out.
 */
int open_beneath(int dirfd, const char *path);

/* The same of a directory, for reading its entries; -ENOTDIR: it is none. */
int open_dir_beneath(int dirfd, const char *path);

/*
 * A regular file by a path of the user's, who may name links.  @flags: 0 or
 * O_NOFOLLOW, of the last name.  The descriptor or -errno, -EINVAL as above.
 */
int open_named(int dirfd, const char *path, int flags);

/*
 * A regular file that everybody may read by this path: each directory on it may
 * be passed by others, and the file may be read by them.  So a file of somebody
 * in a directory that nobody else may enter is none.  @path: absolute.  The
 * descriptor or -errno: -EACCES, -EINVAL as above.
 */
int open_public_file(const char *path);

/*
 * Name by name instead of openat2(), which kernels before 5.6 lack and which a
 * confined process may not call.  Set there, and by the tests.
 */
extern bool open_beneath_by_names;

#endif /* FORMAT_OPEN_BENEATH_H */
