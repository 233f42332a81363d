// SPDX-License-Identifier: GPL-2.0-only
/* Finds the stretches of time in a directory of records. */

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/io.h"
#include "base/sort.h"
#include "base/vec.h"
#include "cmd/agent/kept_list.h"

static const char digits[] = "0123456789";

/* The entries of a directory below another one; NULL with errno. */
static DIR *open_dir(int dirfd, const char *name)
{
	int fd = openat(dirfd, name,
			O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	int err = errno;

	if (!dir)
		io_close(&fd);
	errno = err;
	return dir;
}

static int cmp_name(const void *a, const void *b)
{
	const struct kept_stretch *x = a, *y = b;

	return strcmp(x->name, y->name);
}

int kept_list(int at, struct kept_stretch **list, size_t *nr)
{
	DIR *dir = open_dir(at, ".");
	struct kept_stretch *s;
	struct dirent *d;
	size_t cap = 0;
	int ret = 0;

	*list = NULL;
	*nr = 0;
	if (!dir)
		return -errno;
	while (!ret && (d = readdir(dir))) {
		if (strlen(d->d_name) != KEPT_NAME_DIGITS ||
		    strspn(d->d_name, digits) != KEPT_NAME_DIGITS)
			continue;
		ret = vec_grow(list, &cap, *nr, sizeof(**list));
		if (ret)
			break;
		s = &(*list)[(*nr)++];
		strcpy(s->name, d->d_name);
		s->from = strtoull(s->name, NULL, 10);
	}
	closedir(dir);
	if (*nr)
		sort_array(*list, *nr, sizeof(**list), cmp_name);
	return ret;
}

int kept_each_file(int at, const struct kept_stretch *s,
		   int (*fn)(void *arg, int stretch, const char *name,
			     __u32 cpu),
		   void *arg)
{
	DIR *dir = open_dir(at, s->name);
	struct dirent *d;
	int ret = 0;

	if (!dir)
		return -errno;
	while (!ret && (d = readdir(dir)))
		if (!strncmp(d->d_name, "cpu-", 4) && d->d_name[4] &&
		    strspn(d->d_name + 4, digits) == strlen(d->d_name + 4))
			ret = fn(arg, dirfd(dir), d->d_name,
				 strtoul(d->d_name + 4, NULL, 10));
	closedir(dir);
	return ret;
}
