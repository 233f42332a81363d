/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Files opened before the process gave up its rights, and found again by name
 * afterwards: a process without rights could not open files of a session that
 * only root may read.
 */
#ifndef FORMAT_PREOPEN_H
#define FORMAT_PREOPEN_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Open the directory of a session and the files in it that a session has: info,
 * host, cpu-N.rec and the bundles of guests, no others, as session_open.h
 * does.  Errors are kept, too, and returned later.  Call it once for a
 * directory.  0 or -ENOMEM.
 */
int preopen_session(const char *dir);

/*
 * Is that session root's, with all that was opened of it, and may nobody else
 * write to them?
 */
bool preopen_is_roots(const char *dir);

/*
 * Bytes that all regular files which were opened have on their disk: holes in
 * them do not count.
 */
uint64_t preopen_bytes(void);

/* Open one file. */
int preopen_file(const char *path);

/*
 * A file that another process opened and sent, under a name that no path has.
 * Takes the descriptor.  0 or -ENOMEM.
 */
int preopen_add(const char *name, int fd);

/*
 * Was a file of that name opened before?  It is relative to a session's open
 * directory, or, with AT_FDCWD, as it was given.  Then *fd is a new descriptor
 * of it, read position at the beginning, O_CLOEXEC and O_NONBLOCK; or the error
 * of opening it.  Of a session's directory everything else is -ENOENT.
 */
bool preopen_find(int dirfd, const char *name, int *fd);

#endif /* FORMAT_PREOPEN_H */
