/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The directory of a session that is to be read, and whose it is.  Sessions may
 * come from elsewhere or from other users of this machine: of another user's
 * session root reads only what that user may read.
 */
#ifndef FORMAT_SESSION_OPEN_H
#define FORMAT_SESSION_OPEN_H

#include <stdbool.h>
#include <sys/stat.h>

/*
 * Open it: a directory, named by the user or by a link that root or the user
 * made.  The descriptor or an error of base/path_walk.h.
 */
int session_dir_open(const char *path);

/*
 * Root opens files of another user's session with that user's rights: so a
 * link, hard or symbolic, to a file of somebody else cannot be followed.
 * Between these two nothing else is opened.  @dir: the session's directory.  0
 * or -errno: then nothing may be opened.
 */
int owner_rights_begin(const struct stat *dir);
void owner_rights_end(void);

/*
 * A file of a session by its name below @dirfd, which is @dir; as
 * open_beneath(), -VMMPROF_ENAMES for a file with several names (hard links).
 */
int session_file_open(int dirfd, const struct stat *dir, const char *name);

#endif /* FORMAT_SESSION_OPEN_H */
