// SPDX-License-Identifier: GPL-2.0-only
/*
 * A table of names and descriptors: filled before the process gives up its
 * rights, read afterwards.
 */

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/io.h"
#include "format/open_beneath.h"
#include "format/preopen.h"
#include "format/session_dir.h"
#include "format/session_open.h"
#include "base/vec.h"

#define GUESTS "guests/"

struct preopened {
	char *name;
	bool at_cwd;
	dev_t dev; /* of its directory, unless at_cwd */
	ino_t ino;
	int fd;
};

/* All of this process: whoever opens a file of a session looks here. */
static struct {
	struct preopened *files;
	size_t nr, cap;
} table;

/* Takes the descriptor, or -errno.  @st: of its directory; NULL: at_cwd. */
static int add(const char *name, const struct stat *st, int fd)
{
	char *copy = strdup(name);

	if (!copy || vec_grow(&table.files, &table.cap, table.nr,
			      sizeof(*table.files))) {
		free(copy);
		io_close(&fd);
		return -ENOMEM;
	}
	table.files[table.nr++] = (struct preopened){ copy, !st,
						      st ? st->st_dev : 0,
						      st ? st->st_ino : 0, fd };
	return 0;
}

static bool is_at(const struct preopened *p, bool at_cwd, const struct stat *st)
{
	return p->at_cwd == at_cwd &&
	       (at_cwd || (p->dev == st->st_dev && p->ino == st->st_ino));
}

static bool is_session_file(const char *name)
{
	return !strcmp(name, "info") || !strcmp(name, "host") ||
	       (!strncmp(name, "cpu-", 4) && name_ends_with(name, ".rec"));
}

static bool is_bundle(const char *name)
{
	return name_ends_with(name, ".bundle");
}

/* The files of one directory; prefix: put before their names. */
static int add_files(int dirfd, const struct stat *st, const char *prefix,
		     bool (*wanted)(const char *name))
{
	int fd = open_dir_beneath(dirfd, *prefix ? prefix : ".");
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *e;
	char name[512];
	int ret = 0;

	if (!dir) {
		ret = add(prefix, st, fd < 0 ? fd : -ENOMEM);
		io_close(&fd);
		return ret;
	}
	while (!ret && (e = readdir(dir))) {
		if (!wanted(e->d_name))
			continue;
		snprintf(name, sizeof(name), "%s%s", prefix, e->d_name);
		ret = add(name, st, session_file_open(dirfd, st, name));
	}
	closedir(dir);
	return ret;
}

/* Opens everything with the rights of the directory's owner. */
static int add_session(int dirfd)
{
	struct stat st;
	int ret;

	if (fstat(dirfd, &st))
		return -errno;
	/* for readers a file that was not opened does not exist */
	ret = add("", &st, -EISDIR);
	if (ret)
		return ret;
	ret = owner_rights_begin(&st);
	if (ret) /* nothing is opened; readers report the error */
		return add("info", &st, ret);
	ret = add_files(dirfd, &st, "", is_session_file);
	if (!ret)
		ret = add_files(dirfd, &st, GUESTS, is_bundle);
	owner_rights_end();
	return ret;
}

int preopen_session(const char *dir)
{
	int fd, ret;

	if (preopen_find(AT_FDCWD, dir, &fd)) {
		io_close(&fd);
		return 0;
	}
	fd = session_dir_open(dir);
	ret = add(dir, NULL, fd);
	return ret || fd < 0 ? ret : add_session(fd);
}

/* Is it root's, and may nobody else write to it? */
static bool is_roots(const struct stat *st)
{
	return !st->st_uid && !(st->st_mode & 0022);
}

bool preopen_is_roots(const char *dir)
{
	struct stat st, file;
	bool ret;
	size_t i;
	int fd;

	if (!preopen_find(AT_FDCWD, dir, &fd) || fd < 0)
		return false;
	ret = !fstat(fd, &st) && is_roots(&st);
	close(fd);
	for (i = 0; i < table.nr && ret; i++)
		if (table.files[i].fd >= 0 &&
		    is_at(&table.files[i], false, &st))
			ret = !fstat(table.files[i].fd, &file) &&
			      is_roots(&file);
	return ret;
}

uint64_t preopen_bytes(void)
{
	uint64_t ret = 0;
	struct stat st;
	size_t i;

	for (i = 0; i < table.nr; i++)
		if (table.files[i].fd >= 0 && !fstat(table.files[i].fd, &st) &&
		    S_ISREG(st.st_mode))
			ret += st.st_blocks * 512;
	return ret;
}

int preopen_file(const char *path)
{
	return add(path, NULL, open_named(AT_FDCWD, path, 0));
}

int preopen_add(const char *name, int fd)
{
	return add(name, NULL, fd);
}

bool preopen_find(int dirfd, const char *name, int *fd)
{
	bool at_cwd = dirfd == AT_FDCWD, known = false;
	int missing = -ENOENT;
	struct stat st;
	size_t i;

	if (!table.nr || (!at_cwd && fstat(dirfd, &st)))
		return false;
	for (i = 0; i < table.nr; i++) {
		if (!is_at(&table.files[i], at_cwd, &st))
			continue;
		known = !at_cwd;
		if (!strcmp(table.files[i].name, name))
			break;
		if (known && !strcmp(table.files[i].name, GUESTS) &&
		    !strncmp(name, GUESTS, strlen(GUESTS)))
			missing = table.files[i].fd;
	}
	if (i == table.nr) {
		*fd = missing;
		return known;
	}
	*fd = table.files[i].fd;
	if (*fd < 0)
		return true;
	*fd = fcntl(table.files[i].fd, F_DUPFD_CLOEXEC, 0);
	if (*fd < 0)
		*fd = -errno;
	else
		lseek(*fd, 0, SEEK_SET);
	return true;
}
