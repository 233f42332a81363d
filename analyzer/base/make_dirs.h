/* SPDX-License-Identifier: GPL-2.0-only */
/* Directories of ours below the user's home or /var/cache. */
#ifndef BASE_MAKE_DIRS_H
#define BASE_MAKE_DIRS_H

/*
 * Makes the directory and what is missing above it, for this user alone.
 * Directories that exist already are no error.  Failures are not reported: the
 * caller sees them when it opens the directory.
 */
void make_dirs(const char *path);

#endif /* BASE_MAKE_DIRS_H */
