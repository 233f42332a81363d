// SPDX-License-Identifier: GPL-2.0-only
/* Opens sessions with the rights of their owner. */

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <sys/fsuid.h>
#include <unistd.h>

#include "format/open_beneath.h"
#include "format/session_open.h"
#include "base/path_walk.h"

int session_dir_open(const char *path)
{
	return path_open(path, step_own, O_RDONLY | O_DIRECTORY, 0);
}

/* Can nobody but root and the caller have put files there? */
static bool is_own(const struct stat *dir)
{
	return (!dir->st_uid || dir->st_uid == geteuid()) &&
	       !(dir->st_mode & 0022);
}

/*
 * With the file system user id the kernel drops the capabilities over files,
 * and restores them with it.
 */
static bool be(uid_t uid)
{
	setfsuid(uid);
	return setfsuid(-1) == (int)uid;
}

int owner_rights_begin(const struct stat *dir)
{
	if (geteuid() || !dir->st_uid)
		return 0;
	/*
	 * drop root's groups; they are not restored, the process gives them up
	 * anyway
	 */
	if (setgroups(0, NULL))
		return -errno;
	setfsgid(dir->st_gid);
	if (setfsgid(-1) == (int)dir->st_gid && be(dir->st_uid))
		return 0;
	owner_rights_end();
	return -EPERM;
}

void owner_rights_end(void)
{
	be(geteuid());
	setfsgid(getegid());
}

int session_file_open(int dirfd, const struct stat *dir, const char *name)
{
	int fd = open_beneath(dirfd, name);
	struct stat st;

	if (fd < 0 || is_own(dir) || (!fstat(fd, &st) && st.st_nlink == 1))
		return fd;
	close(fd);
	return -VMMPROF_ENAMES;
}
