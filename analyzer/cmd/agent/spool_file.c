// SPDX-License-Identifier: GPL-2.0-only
/* Names of the files of a spool, and what they say. */

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/io.h"
#include "base/sort.h"
#include "base/vec.h"
#include "cmd/agent/spool_file.h"

/* The time comes first, so that names have its order. */
#define TIME_DIGITS 20
#define NR_DIGITS   6
#define FILE_NAME   (SPOOL_NAME + 8) /* bytes, in any state */

static const struct {
	const char *begin, *end;
} forms[NR_SPOOL_STATES] = { [SPOOL_THERE] = { "", "" },
			     [SPOOL_NEW] = { ".", ".new" },
			     [SPOOL_TAKEN] = { "", ".push" },
			     [SPOOL_GONE] = { "", ".drop" } };

void spool_name(char *name, __u64 real_ns, __u32 profiles)
{
	snprintf(name, SPOOL_NAME, "%0*llu-%0*u.tar", TIME_DIGITS, real_ns,
		 NR_DIGITS, profiles % 1000000);
}

static void file_name(const struct spool_file *f, enum spool_state state,
		      char *buf)
{
	snprintf(buf, FILE_NAME, "%s%s%s", forms[state].begin, f->name,
		 forms[state].end);
}

/* Is it the name of a window, and in which state? */
static bool parse(const char *file, struct spool_file *f)
{
	char name[SPOOL_NAME], again[FILE_NAME];

	memset(f, 0, sizeof(*f));
	file += *file == '.';
	if (strspn(file, "0123456789") != TIME_DIGITS ||
	    file[TIME_DIGITS] != '-')
		return false;
	f->real_ns = strtoull(file, NULL, 10);
	f->profiles = strtoul(file + TIME_DIGITS + 1, NULL, 10);
	spool_name(name, f->real_ns, f->profiles);
	memcpy(f->name, name, sizeof(name));
	for (; f->state < NR_SPOOL_STATES; f->state++) {
		file_name(f, f->state, again);
		if (!strcmp(file, again + (*again == '.')))
			return true;
	}
	return false;
}

static int cmp_file(const void *a, const void *b)
{
	const struct spool_file *x = a, *y = b;

	return strcmp(x->name, y->name);
}

int spool_list(int dirfd, struct spool_file **list, size_t *nr)
{
	int fd = openat(dirfd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	struct spool_file f;
	struct dirent *d;
	struct stat st;
	size_t cap = 0;
	int ret = 0;

	*list = NULL;
	*nr = 0;
	if (!dir) {
		ret = -errno;
		io_close(&fd);
		return ret;
	}
	while (!ret && (d = readdir(dir))) {
		if (!parse(d->d_name, &f) ||
		    fstatat(dirfd, d->d_name, &st, AT_SYMLINK_NOFOLLOW) ||
		    !S_ISREG(st.st_mode))
			continue;
		f.bytes = st.st_size;
		ret = vec_grow(list, &cap, *nr, sizeof(**list));
		if (!ret)
			(*list)[(*nr)++] = f;
	}
	closedir(dir);
	sort_array(*list, *nr, sizeof(**list), cmp_file);
	return ret;
}

int spool_rename(int dirfd, const struct spool_file *f, enum spool_state to)
{
	char is[FILE_NAME], becomes[FILE_NAME];

	file_name(f, f->state, is);
	file_name(f, to, becomes);
	return renameat(dirfd, is, dirfd, becomes) ? -errno : 0;
}

int spool_remove(int dirfd, const struct spool_file *f)
{
	char name[FILE_NAME];

	file_name(f, f->state, name);
	return unlinkat(dirfd, name, 0) ? -errno : 0;
}

int spool_open_file(int dirfd, const struct spool_file *f)
{
	char name[FILE_NAME];
	int fd;

	file_name(f, f->state, name);
	fd = openat(dirfd, name,
		    O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}
