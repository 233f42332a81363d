/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The place of a new session: a directory that is made, or an old session's
 * that is emptied.  Nothing that is not vmmprof's is ever removed.
 */
#ifndef FORMAT_SESSION_DIR_H
#define FORMAT_SESSION_DIR_H

#include <stdbool.h>

#include "base/error.h"

/*
 * Could session_dir_create() succeed?  0: yes.  -EEXIST: there is an
 * old session and no force; -ENOTEMPTY: there is a directory that is no
 * session, or a session with foreign files in it; -ENOTDIR; -ELOOP: it is a
 * symbolic link; others of open(), and of base/path_walk.h: a directory that is there has
 * to be the caller's, for nobody else to write to or to exchange, and links on
 * the way have to be the caller's or root's.  @e: in words, or NULL.
 */
int session_dir_check(const char *path, bool force, struct error *e);

/*
 * Makes the directory (mode 0700), or empties it as check() allows.  *dirfd is
 * then the caller's to close.
 */
int session_dir_create(const char *path, bool force, int *dirfd,
		       struct error *e);

/*
 * Removes a session that was just created and cannot be used.  dirfd: of
 * create(), stays the caller's.
 */
int session_dir_remove(const char *path, int dirfd);

/*
 * ... what is left of one that somebody else began, whatever is in its files: the host
 * may have died.  -ENOTEMPTY: there are foreign files in it, and all stays.
 */
int session_dir_remove_begun(const char *path, int dirfd);

/*
 * Waits until the files of the session in dirfd are on the disk (fsync(2)):
 * what the kernel wrote behind write(2)'s back fails here.  0 or -errno, and
 * the first file that failed in @name.
 */
#define SESSION_FILE_NAME 256
int session_dir_sync(int dirfd, char name[SESSION_FILE_NAME]);

/* Waits for one file of it, or for a directory (".").  0 or -errno. */
int session_dir_sync_file(int dirfd, const char *name);

/* Does something and then @end make the name of a file? */
bool name_ends_with(const char *name, const char *end);

#endif /* FORMAT_SESSION_DIR_H */
