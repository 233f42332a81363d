// SPDX-License-Identifier: GPL-2.0-only
/*
 * The place of a new session: a directory that is made, or an old session's
 * that is emptied.  Nothing that is not vmmprof's is ever removed.
 */

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <vmmprof/file.h>

#include "sessiondir.h"

#define DIR_FLAGS (O_RDONLY | O_DIRECTORY | O_CLOEXEC)

/* Is it "cpu-N.rec"? */
static bool is_records(const char *name)
{
	size_t digits;

	if (strncmp(name, "cpu-", 4))
		return false;
	digits = strspn(name + 4, "0123456789");
	return digits && !strcmp(name + 4 + digits, ".rec");
}

static bool ends_with(const char *name, const char *end)
{
	size_t len = strlen(name), end_len = strlen(end);

	return len > end_len && !strcmp(name + len - end_len, end);
}

/* .part: of a recorder that died while it was fetched */
static bool is_bundle(const char *name)
{
	return ends_with(name, ".bundle") || ends_with(name, ".bundle.part");
}

static bool is_ours(const char *name)
{
	return !strcmp(name, "info") || !strcmp(name, "host") ||
	       is_records(name);
}

/* Opens a directory for reading its entries; dirfd stays the caller's. */
static DIR *open_entries(int dirfd, const char *name)
{
	int fd = openat(dirfd, name, DIR_FLAGS | O_NOFOLLOW);
	DIR *dir;

	if (fd < 0)
		return NULL;
	dir = fdopendir(fd);
	if (!dir)
		close(fd);
	return dir;
}

enum verdict {
	FOREIGN, /* ends the walk with -ENOTEMPTY */
	KEEP,
	REMOVE,
};

/* Walks a directory and does with each entry what judge says. */
static int walk(int parent, const char *name,
		enum verdict (*judge)(const char *name))
{
	DIR *dir = open_entries(parent, name);
	struct dirent *e;
	int ret = 0;

	if (!dir)
		return -errno;
	while (!ret && (e = readdir(dir))) {
		enum verdict v;

		if (!strcmp(e->d_name, ".") || !strcmp(e->d_name, ".."))
			continue;
		v = judge(e->d_name);
		if (v == FOREIGN)
			ret = -ENOTEMPTY;
		else if (v == REMOVE && unlinkat(dirfd(dir), e->d_name, 0))
			ret = -errno;
	}
	closedir(dir);
	return ret;
}

static enum verdict nothing_is_known(const char *name)
{
	(void)name;
	return FOREIGN;
}

static enum verdict session_is_known(const char *name)
{
	return is_ours(name) || !strcmp(name, "guests") ? KEEP : FOREIGN;
}

static enum verdict bundles_are_known(const char *name)
{
	return is_bundle(name) ? KEEP : FOREIGN;
}

static enum verdict remove_bundles(const char *name)
{
	return is_bundle(name) ? REMOVE : FOREIGN;
}

static enum verdict remove_all_but_info(const char *name)
{
	if (!strcmp(name, "info"))
		return KEEP;
	return is_ours(name) ? REMOVE : FOREIGN;
}

/* Does the directory hold an info file that begins as it should? */
static bool has_info(int dirfd)
{
	struct vmmprof_file_hdr hdr;
	bool ret;
	int fd;

	fd = openat(dirfd, "info",
		    O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	if (fd < 0)
		return false;
	ret = read(fd, &hdr, sizeof(hdr)) == sizeof(hdr) &&
	      !memcmp(hdr.magic, VMMPROF_MAGIC, sizeof(hdr.magic)) &&
	      hdr.kind == VMMPROF_FILE_INFO;
	close(fd);
	return ret;
}

/* 0: empty; 1: a session that may be removed; or as vmmprof_sessiondir_check */
static int inspect(int dirfd, bool force)
{
	int ret = walk(dirfd, ".", nothing_is_known);

	if (ret != -ENOTEMPTY)
		return ret;
	if (!has_info(dirfd))
		return -ENOTEMPTY;
	if (!force)
		return -EEXIST;
	ret = walk(dirfd, ".", session_is_known);
	if (!ret)
		ret = walk(dirfd, "guests", bundles_are_known);
	return ret && ret != -ENOENT ? ret : 1;
}

/* Can path be made?  Its parent has to be there and writable. */
static int check_parent(const char *path)
{
	char parent[PATH_MAX];
	size_t len = strlen(path);

	if (len >= sizeof(parent))
		return -ENAMETOOLONG;
	memcpy(parent, path, len + 1);
	return access(dirname(parent), W_OK | X_OK) ? -errno : 0;
}

int vmmprof_sessiondir_check(const char *path, bool force)
{
	int fd = open(path, DIR_FLAGS);
	int ret;

	if (fd < 0)
		return errno == ENOENT ? check_parent(path) : -errno;
	ret = inspect(fd, force);
	close(fd);
	return ret < 0 ? ret : 0;
}

/* info goes last: what is left of an interrupted removal is still a session */
static int remove_session(int dirfd)
{
	int ret = walk(dirfd, "guests", remove_bundles);

	if (!ret && unlinkat(dirfd, "guests", AT_REMOVEDIR))
		return -errno;
	if (ret && ret != -ENOENT)
		return ret;
	ret = walk(dirfd, ".", remove_all_but_info);
	if (!ret && unlinkat(dirfd, "info", 0))
		ret = -errno;
	return ret;
}

int vmmprof_sessiondir_create(const char *path, bool force, int *dirfd)
{
	int ret;

	if (mkdir(path, 0700) && errno != EEXIST)
		return -errno;
	*dirfd = open(path, DIR_FLAGS);
	if (*dirfd < 0)
		return -errno;
	ret = inspect(*dirfd, force);
	if (ret == 1)
		ret = remove_session(*dirfd);
	if (ret)
		close(*dirfd);
	return ret;
}

int vmmprof_sessiondir_remove(const char *path, int dirfd)
{
	int ret = remove_session(dirfd);

	if (!ret && rmdir(path))
		ret = -errno;
	return ret;
}
