// SPDX-License-Identifier: GPL-2.0-only
/* A table of names and descriptors, filled before and read after. */

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "preopen.h"
#include "vec.h"

static struct preopened {
	char *name;
	bool at_cwd;
	dev_t dev; /* of its directory, unless at_cwd */
	ino_t ino;
	int fd;
} * table;
static size_t nr, cap;

/* Takes the descriptor, or -errno.  @st: of its directory; NULL: at_cwd. */
static int add(const char *name, const struct stat *st, int fd)
{
	char *copy = strdup(name);

	if (!copy || vmmprof_vec_grow(&table, &cap, nr, sizeof(*table))) {
		free(copy);
		if (fd >= 0)
			close(fd);
		return -ENOMEM;
	}
	table[nr++] = (struct preopened){ copy, !st, st ? st->st_dev : 0,
					  st ? st->st_ino : 0, fd };
	return 0;
}

/* The readers' own flags; they look at the type of the file. */
static int open_for_reading(int dirfd, const char *name, int flags)
{
	int fd = openat(dirfd, name, O_RDONLY | O_CLOEXEC | O_NONBLOCK | flags);

	return fd < 0 ? -errno : fd;
}

/* All entries of one directory; prefix: what stands before their names. */
static int add_entries(int dirfd, const char *prefix)
{
	int fd = openat(dirfd, *prefix ? prefix : ".",
			O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *e;
	struct stat st;
	char name[512];
	int ret = 0;

	if (!dir) {
		if (fd >= 0)
			close(fd);
		return 0;
	}
	if (fstat(dirfd, &st))
		ret = -errno;
	while (!ret && (e = readdir(dir))) {
		if (e->d_type != DT_REG && e->d_type != DT_UNKNOWN)
			continue;
		snprintf(name, sizeof(name), "%s%s", prefix, e->d_name);
		ret = add(name, &st, open_for_reading(dirfd, name, O_NOFOLLOW));
	}
	closedir(dir);
	return ret;
}

int vmmprof_preopen_session(const char *dir)
{
	int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int ret;

	ret = add(dir, NULL, fd < 0 ? -errno : fd);
	if (fd < 0)
		return ret;
	if (!ret)
		ret = add_entries(fd, "");
	if (!ret)
		ret = add_entries(fd, "guests/");
	return ret;
}

int vmmprof_preopen_file(const char *path)
{
	return add(path, NULL, open_for_reading(AT_FDCWD, path, 0));
}

int vmmprof_preopen_add(const char *name, int fd)
{
	return add(name, NULL, fd);
}

static bool is_at(const struct preopened *p, bool at_cwd, const struct stat *st)
{
	return p->at_cwd == at_cwd &&
	       (at_cwd || (p->dev == st->st_dev && p->ino == st->st_ino));
}

bool vmmprof_preopen_find(int dirfd, const char *name, int *fd)
{
	bool at_cwd = dirfd == AT_FDCWD;
	struct stat st;
	size_t i;

	if (!nr || (!at_cwd && fstat(dirfd, &st)))
		return false;
	for (i = 0; i < nr; i++) {
		if (!is_at(&table[i], at_cwd, &st) ||
		    strcmp(table[i].name, name))
			continue;
		*fd = table[i].fd;
		if (*fd < 0)
			return true;
		*fd = fcntl(table[i].fd, F_DUPFD_CLOEXEC, 0);
		if (*fd < 0)
			*fd = -errno;
		else
			lseek(*fd, 0, SEEK_SET);
		return true;
	}
	return false;
}
