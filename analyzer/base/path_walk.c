// SPDX-License-Identifier: GPL-2.0-only
/* Follows a path with openat() and O_NOFOLLOW, one name after the other. */

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdio.h>
#include <string.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/io.h"
#include "base/path_walk.h"

#define MAX_LINKS 40 /* as the kernel */
#define STEP	  (O_PATH | O_CLOEXEC)

struct walk {
	path_walk_fn *may;
	int dir;	     /* where it is */
	char left[PATH_MAX]; /* from there on */
	unsigned int links;
};

const char *path_walk_strerror(int err)
{
	switch (-err) {
	case VMMPROF_ELINK:
		return "the path leads through another user's symbolic link";
	case VMMPROF_EOWNER:
		return "the directory is another user's";
	case VMMPROF_EWRITERS:
		return "other users may write to the directory";
	case VMMPROF_EPARENT:
		return "other users may put another directory in its place";
	case VMMPROF_ENAMES:
		return "a file of several names (hard links), where others may write";
	}
	return strerror(-err);
}

int step_own(enum path_walk_step step, const struct stat *st)
{
	return step == STEP_DIR || !st->st_uid || st->st_uid == geteuid() ?
		       0 :
		       -VMMPROF_ELINK;
}

int step_public(enum path_walk_step step, const struct stat *st)
{
	return step == STEP_LINK || st->st_mode & 0001 ? 0 : -EACCES;
}

/*
 * Takes over the descriptor of a directory; -1: errno says why there is none.
 */
static int enter(struct walk *w, int fd)
{
	struct stat st;

	if (fd < 0)
		return -errno;
	io_close(&w->dir);
	w->dir = fd;
	if (fstat(fd, &st))
		return -errno;
	return S_ISDIR(st.st_mode) ? w->may(STEP_DIR, &st) : -ENOTDIR;
}

static bool on_procfs(int fd)
{
	struct statfs fs;

	return !fstatfs(fd, &fs) && fs.f_type == PROC_SUPER_MAGIC;
}

/* Takes the next name off the rest of the path; false: there is none. */
static bool next_name(struct walk *w, struct walked *ret, int *err)
{
	char *p = w->left + strspn(w->left, "/");
	size_t len = strcspn(p, "/");

	*err = len > NAME_MAX ? -ENAMETOOLONG : 0;
	if (!len || *err)
		return false;
	memcpy(ret->name, p, len);
	ret->name[len] = '\0';
	p += len;
	p += strspn(p, "/");
	memmove(w->left, p, strlen(p) + 1);
	return true;
}

/* @link is a link in w->dir.  Its target is put before the rest of the path. */
static int follow_link(struct walk *w, int link)
{
	char path[2 * PATH_MAX];
	ssize_t n = readlinkat(link, "", path, PATH_MAX);

	if (n < 0)
		return -errno;
	if (!n || n >= PATH_MAX)
		return -ENAMETOOLONG;
	snprintf(path + n, sizeof(path) - n, "/%s", w->left);
	if (strlen(path) >= sizeof(w->left))
		return -ENAMETOOLONG;
	strcpy(w->left, path);
	return *path == '/' ? enter(w, open("/", STEP)) : 0;
}

/* Handles the next name; 1: it is the last one of the path. */
static int step(struct walk *w, bool follow, struct walked *ret)
{
	int fd = openat(w->dir, ret->name, STEP | O_NOFOLLOW), err = 0;
	bool last = !*w->left;
	struct stat st;

	if (fd < 0)
		return last ? 1 : -errno;
	if (fstat(fd, &st))
		err = -errno;
	else if (last && (!follow || !S_ISLNK(st.st_mode)))
		err = 1;
	if (err || !S_ISLNK(st.st_mode)) {
		if (!err)
			return enter(w, fd);
		close(fd);
		return err;
	}
	/*
	 * for step_public a link of procfs is followed by its text, name by
	 * name
	 */
	ret->magic = w->may != step_public && on_procfs(fd);
	err = ++w->links > MAX_LINKS ?
		      -ELOOP :
		      w->may(ret->magic ? STEP_MAGIC : STEP_LINK, &st);
	if (!err && ret->magic)
		err = last ? 1 : enter(w, openat(w->dir, ret->name, STEP));
	else if (!err)
		err = follow_link(w, fd);
	close(fd);
	return err;
}

int path_walk(const char *path, bool follow, path_walk_fn *may,
	      struct walked *ret)
{
	struct walk w = { .may = may, .dir = -1 };
	int err;

	memset(ret, 0, sizeof(*ret));
	if (!*path)
		return -ENOENT;
	if (strlen(path) >= sizeof(w.left))
		return -ENAMETOOLONG;
	strcpy(w.left, path);
	err = enter(&w, open(*path == '/' ? "/" : ".", STEP));
	while (!err && next_name(&w, ret, &err)) {
		ret->magic = false;
		err = step(&w, follow, ret);
	}
	if (!err) /* a link to "/", or that itself */
		strcpy(ret->name, ".");
	if (err >= 0)
		return w.dir;
	io_close(&w.dir);
	return err;
}

int path_open(const char *path, path_walk_fn *may, int flags, mode_t mode)
{
	struct walked last;
	int dir = path_walk(path, true, may, &last), fd;

	if (dir < 0)
		return dir;
	fd = openat(dir, last.name,
		    flags | O_CLOEXEC | (last.magic ? 0 : O_NOFOLLOW), mode);
	if (fd < 0)
		fd = -errno;
	close(dir);
	return fd;
}
