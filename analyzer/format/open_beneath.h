/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Opens files below a directory that another user may have made.  Nothing
 * outside of the directory is opened, whatever its links say.  Only regular
 * files are: opening a fifo wakes the process that waits at its other end, and
 * opening a device runs its driver.
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
 * A regular file by a path that the user gave; it may go through links.
 * @flags: 0 or O_NOFOLLOW, of the last name.  The descriptor or -errno, -EINVAL
 * as above.
 */
int open_named(int dirfd, const char *path, int flags);

/*
 * A regular file that everybody may read by this path: others may enter each
 * directory on it and read the file.  A readable file in a directory that only
 * its owner may enter is refused.  @path: absolute.  The descriptor or -errno:
 * -EACCES, -EINVAL as above.
 */
int open_public_file(const char *path);

/*
 * Open name by name instead of with openat2(), which kernels before 5.6 lack
 * and a confined process may not call.  Set in confined processes and by tests.
 */
extern bool open_beneath_by_names;

#endif /* FORMAT_OPEN_BENEATH_H */
