// SPDX-License-Identifier: GPL-2.0-only
/* openat2(), or openat() with O_NOFOLLOW for each name. */

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "format/open_beneath.h"
#include "base/path_walk.h"

bool open_beneath_by_names;

/*
 * Opens a path below a directory, with O_PATH.  -ENOSYS: the kernel lacks
 * openat2().
 */
static int by_openat2(int dirfd, const char *path)
{
	struct open_how how = {
		.flags = O_PATH | O_CLOEXEC,
		.resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS |
			   RESOLVE_NO_MAGICLINKS | RESOLVE_NO_XDEV,
	};
	int fd = syscall(SYS_openat2, dirfd, path, &how, sizeof(how));

	return fd < 0 ? -errno : fd;
}

/* One name in a directory; another file system is another's. */
static int one_name(int dirfd, const char *name, const struct stat *dir)
{
	int fd = openat(dirfd, name, O_PATH | O_CLOEXEC | O_NOFOLLOW);
	struct stat st;
	int err = 0;

	if (fd < 0)
		return -errno;
	if (fstat(fd, &st))
		err = -errno;
	else if (S_ISLNK(st.st_mode))
		err = -ELOOP;
	else if (st.st_dev != dir->st_dev)
		err = -EXDEV;
	if (!err)
		return fd;
	close(fd);
	return err;
}

static int by_names(int dirfd, const char *path)
{
	int at = dirfd, fd = -ENOENT;
	char name[NAME_MAX + 1];
	struct stat dir;
	size_t len;

	if (fstat(dirfd, &dir))
		return -errno;
	if (*path == '/')
		return -EXDEV;
	for (; *path; path += len + strspn(path + len, "/")) {
		len = strcspn(path, "/");
		if (len > NAME_MAX)
			fd = -ENAMETOOLONG;
		else if (len == 2 && !memcmp(path, "..", 2))
			fd = -EXDEV;
		else
			fd = 0;
		if (!fd) {
			memcpy(name, path, len);
			name[len] = '\0';
			fd = one_name(at, name, &dir);
		}
		if (at != dirfd)
			close(at);
		if (fd < 0)
			return fd;
		at = fd;
	}
	return fd;
}

static bool leads_up(const char *path)
{
	for (; *path; path += strcspn(path, "/"), path += strspn(path, "/"))
		if (!strncmp(path, "..", 2) && (!path[2] || path[2] == '/'))
			return true;
	return false;
}

/* EPERM: a container's filter of system calls that does not know openat2(). */
static int find(int dirfd, const char *path)
{
	int fd = -ENOSYS;

	/*
	 * openat2() would allow ".." where the path stays below the directory
	 */
	if (leads_up(path))
		return -EXDEV;
	if (!open_beneath_by_names)
		fd = by_openat2(dirfd, path);
	return fd == -ENOSYS || fd == -EPERM ? by_names(dirfd, path) : fd;
}

/* Opens a file by another path, if that still is the file of @st. */
static int open_again(const struct stat *st, int dirfd, const char *path,
		      int flags)
{
	struct stat now;
	int again;

	again = openat(dirfd, path, flags);
	if (again < 0)
		return -errno;
	if (!fstat(again, &now) && now.st_dev == st->st_dev &&
	    now.st_ino == st->st_ino)
		return again;
	close(again);
	return -EAGAIN;
}

/*
 * Takes over @fd, opened with O_PATH.  Without /proc the file is opened by its
 * path again.
 */
static int reopen(int fd, int dirfd, const char *path, int flags)
{
	char link[40];
	struct stat st;
	int ret;

	if (fd < 0)
		return fd;
	if (fstat(fd, &st)) {
		ret = -errno;
	} else if (!S_ISREG(st.st_mode)) {
		ret = -EINVAL;
	} else {
		flags |= O_RDONLY | O_CLOEXEC | O_NONBLOCK;
		snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
		ret = open(link, flags & ~O_NOFOLLOW);
		if (ret < 0)
			ret = open_again(&st, dirfd, path, flags);
	}
	close(fd);
	return ret;
}

int open_beneath(int dirfd, const char *path)
{
	return reopen(find(dirfd, path), dirfd, path, O_NOFOLLOW);
}

int open_dir_beneath(int dirfd, const char *path)
{
	int at = find(dirfd, path), fd;

	if (at < 0)
		return at;
	fd = openat(at, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
	if (fd < 0)
		fd = -errno;
	close(at);
	return fd;
}

int open_named(int dirfd, const char *path, int flags)
{
	int fd = openat(dirfd, path, O_PATH | O_CLOEXEC | flags);
	struct stat st;

	if (fd < 0)
		return -errno;
	if (flags & O_NOFOLLOW && !fstat(fd, &st) && S_ISLNK(st.st_mode)) {
		close(fd);
		return -ELOOP;
	}
	return reopen(fd, dirfd, path, flags);
}

int open_public_file(const char *path)
{
	struct walked last;
	struct stat st;
	int dir, fd;

	if (*path != '/')
		return -EACCES;
	dir = path_walk(path, true, step_public, &last);
	if (dir < 0)
		return dir;
	fd = open_named(dir, last.name, O_NOFOLLOW);
	close(dir);
	if (fd < 0 || (!fstat(fd, &st) && st.st_mode & 0004))
		return fd;
	close(fd);
	return -EACCES;
}
