// SPDX-License-Identifier: GPL-2.0-only
/* A table of names and descriptors, filled before and read after. */

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "preopen.h"
#include "vec.h"

static struct preopened {
	char *name;
	bool at_cwd;
	int fd;
} * table;
static size_t nr, cap;

/* Takes the descriptor, or -errno. */
static int add(const char *name, bool at_cwd, int fd)
{
	char *copy = strdup(name);

	if (!copy || vmmprof_vec_grow(&table, &cap, nr, sizeof(*table))) {
		free(copy);
		if (fd >= 0)
			close(fd);
		return -ENOMEM;
	}
	table[nr++] = (struct preopened){ copy, at_cwd, fd };
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
	char name[512];
	int ret = 0;

	if (!dir) {
		if (fd >= 0)
			close(fd);
		return 0;
	}
	while (!ret && (e = readdir(dir))) {
		if (e->d_type != DT_REG && e->d_type != DT_UNKNOWN)
			continue;
		snprintf(name, sizeof(name), "%s%s", prefix, e->d_name);
		ret = add(name, false,
			  open_for_reading(dirfd, name, O_NOFOLLOW));
	}
	closedir(dir);
	return ret;
}

int vmmprof_preopen_session(const char *dir)
{
	int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int ret;

	ret = add(dir, true, fd < 0 ? -errno : fd);
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
	return add(path, true, open_for_reading(AT_FDCWD, path, 0));
}

bool vmmprof_preopen_find(bool at_cwd, const char *name, int *fd)
{
	size_t i;

	for (i = 0; i < nr; i++) {
		if (table[i].at_cwd != at_cwd || strcmp(table[i].name, name))
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
