// SPDX-License-Identifier: GPL-2.0-only
/*
 * The place of a new session: a directory that is made, or an old session's
 * that is emptied.  Nothing that is not vmmprof's is ever removed.
 */

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <vmmprof/file.h>

#include "format/open_beneath.h"
#include "format/session_dir.h"
#include "base/path_walk.h"

#define DIR_FLAGS (O_RDONLY | O_DIRECTORY | O_CLOEXEC)

/* Is it "cpu-N.rec"?  .part: left by a recorder that died while it packed it */
static bool is_records(const char *name)
{
	size_t digits;

	if (strncmp(name, "cpu-", 4))
		return false;
	digits = strspn(name + 4, "0123456789");
	name += 4 + digits;
	return digits && (!strcmp(name, ".rec") || !strcmp(name, ".rec.part"));
}

bool name_ends_with(const char *name, const char *end)
{
	size_t len = strlen(name), end_len = strlen(end);

	return len > end_len && !strcmp(name + len - end_len, end);
}

/* .part: left by a recorder that died while it fetched the bundle */
static bool is_bundle(const char *name)
{
	return name_ends_with(name, ".bundle") ||
	       name_ends_with(name, ".bundle.part");
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

/*
 * A file that is opened now has errors from before that nobody has been told of:
 * errseq_sample() in lib/errseq.c.
 */
int session_dir_sync_file(int dirfd, const char *name)
{
	int fd = openat(dirfd, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	int ret;

	if (fd < 0)
		return -errno;
	ret = fsync(fd) ? -errno : 0;
	close(fd);
	return ret;
}

static int sync_entries(int parent, const char *at, char *failed)
{
	DIR *dir = open_entries(parent, at);
	struct dirent *e;
	int ret = 0;

	if (!dir)
		return errno == ENOENT ? 0 : -errno;
	while (!ret && (e = readdir(dir))) {
		if (!is_ours(e->d_name) && !is_bundle(e->d_name))
			continue;
		ret = session_dir_sync_file(dirfd(dir), e->d_name);
		if (ret)
			snprintf(failed, SESSION_FILE_NAME, "%s", e->d_name);
	}
	if (!ret) {
		ret = session_dir_sync_file(dirfd(dir), ".");
		snprintf(failed, SESSION_FILE_NAME, "%s", at);
	}
	closedir(dir);
	return ret;
}

int session_dir_sync(int dirfd, char name[SESSION_FILE_NAME])
{
	int ret = sync_entries(dirfd, ".", name);

	return ret ? ret : sync_entries(dirfd, "guests", name);
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

	fd = open_beneath(dirfd, "info");
	if (fd < 0)
		return false;
	ret = read(fd, &hdr, sizeof(hdr)) == sizeof(hdr) &&
	      !memcmp(hdr.magic, VMMPROF_MAGIC, sizeof(hdr.magic)) &&
	      hdr.kind == VMMPROF_FILE_INFO;
	close(fd);
	return ret;
}

/* -ENOTEMPTY: there is something that is no session's. */
static int has_only_known(int dirfd)
{
	int ret = walk(dirfd, ".", session_is_known);

	if (!ret)
		ret = walk(dirfd, "guests", bundles_are_known);
	return ret == -ENOENT ? 0 : ret;
}

/* 0: empty; 1: a session that may be removed; or as session_dir_check */
static int inspect(int dirfd, bool force)
{
	int ret = walk(dirfd, ".", nothing_is_known);

	if (ret != -ENOTEMPTY)
		return ret;
	if (!has_info(dirfd))
		return -ENOTEMPTY;
	if (!force)
		return -EEXIST;
	ret = has_only_known(dirfd);
	return ret ? ret : 1;
}

/* Where a session is to be: its name and the directory that has it. */
struct place {
	int parent;
	struct walked last;
};

/* To be closed (parent) unless negative. */
static int find_place(const char *path, struct place *p)
{
	struct stat st;

	p->parent = path_walk(path, false, step_own, &p->last);
	if (p->parent < 0)
		return p->parent;
	if (!fstatat(p->parent, p->last.name, &st, AT_SYMLINK_NOFOLLOW) &&
	    S_ISLNK(st.st_mode)) {
		close(p->parent);
		return -ELOOP;
	}
	return 0;
}

/*
 * Does the directory belong to the caller alone?  Otherwise others could remove
 * files that are made there, or put links there first.  Who owns the directory
 * above does not matter for a new directory: its files are reached through its
 * descriptor.
 */
static int check_owner(int dirfd, const struct place *p)
{
	struct stat st, parent;

	if (fstat(dirfd, &st) || fstat(p->parent, &parent))
		return -errno;
	if (st.st_uid != geteuid())
		return -VMMPROF_EOWNER;
	if (st.st_mode & 0022)
		return -VMMPROF_EWRITERS;
	return parent.st_mode & 0002 && !(parent.st_mode & S_ISVTX) ?
		       -VMMPROF_EPARENT :
		       0;
}

/* Opens the directory, or returns an error; @made: this process made it. */
static int open_place(const struct place *p, bool made)
{
	int fd = openat(p->parent, p->last.name, DIR_FLAGS | O_NOFOLLOW), ret;

	if (fd < 0)
		return -errno;
	ret = check_owner(fd, p);
	if (!ret || (made && ret == -VMMPROF_EPARENT))
		return fd;
	close(fd);
	return ret;
}

static int check(const char *path, bool force)
{
	struct place p;
	int fd, ret = find_place(path, &p);

	if (ret)
		return ret;
	fd = open_place(&p, false);
	if (fd >= 0) {
		ret = inspect(fd, force);
		close(fd);
	} else if (fd != -ENOENT) {
		ret = fd;
	} else if (faccessat(p.parent, ".", W_OK | X_OK, 0)) {
		ret = -errno;
	}
	close(p.parent);
	return ret < 0 ? ret : 0;
}

/* What to do about a place that is not safe to write to. */
static void hint_place(int err, struct error *e)
{
	static const char else_where[] =
		"Name the directory where it is (realpath(1) prints that).";
	static const struct {
		int err;
		const char *hints[2];
	} places[] = {
		{ ELOOP, { else_where } },
		{ VMMPROF_ELINK, { else_where } },
		{ VMMPROF_EOWNER,
		  { "Its owner could remove and exchange what is written.",
		    "Name a directory that is not there yet: it will be yours." } },
		{ VMMPROF_EWRITERS,
		  { "They could remove and exchange what is written.",
		    "chmod go-w it, or name a directory that is not there yet." } },
		{ VMMPROF_EPARENT,
		  { "Everybody may write to the directory that it is in.",
		    "chmod +t that one, or name a directory that is not there yet." } },
	};
	size_t i;

	for (i = 0; i < sizeof(places) / sizeof(places[0]); i++)
		if (err == -places[i].err)
			error_hint(e, places[i].hints[0], places[i].hints[1]);
}

static int refused(int err, const char *path, bool force, struct error *e)
{
	switch (err) {
	case -EEXIST:
		error_set(e, err, "there is a session in '%s' already", path);
		error_hint(
			e,
			"Choose another directory with -o, or replace it with --force.",
			NULL);
		break;
	case -ENOTEMPTY:
		error_set(
			e, err,
			"'%s' holds files that are not a session's: nothing in it is touched%s",
			path, force ? ", not even with --force" : "");
		error_hint(e, "Choose another directory with -o.", NULL);
		break;
	default:
		error_set(e, err, "cannot write the session '%s': %s", path,
			  err == -ELOOP ? "it is a symbolic link" :
					  path_walk_strerror(err));
		hint_place(err, e);
	}
	return err;
}

int session_dir_check(const char *path, bool force, struct error *e)
{
	int ret = check(path, force);

	return ret ? refused(ret, path, force, e) : 0;
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
	if (!ret && unlinkat(dirfd, "info", 0) && errno != ENOENT)
		ret = -errno;
	return ret;
}

static int create(const char *path, bool force, int *dirfd)
{
	struct place p;
	int ret = find_place(path, &p);
	bool made;

	if (ret)
		return ret;
	made = !mkdirat(p.parent, p.last.name, 0700);
	ret = made || errno == EEXIST ? open_place(&p, made) : -errno;
	close(p.parent);
	if (ret < 0)
		return ret;
	*dirfd = ret;
	ret = inspect(*dirfd, force);
	if (ret == 1)
		ret = remove_session(*dirfd);
	if (ret)
		close(*dirfd);
	return ret;
}

int session_dir_create(const char *path, bool force, int *dirfd,
		       struct error *e)
{
	int ret = create(path, force, dirfd);

	return ret ? refused(ret, path, force, e) : 0;
}

int session_dir_remove(const char *path, int dirfd)
{
	struct stat st, named;
	struct place p;
	int ret = remove_session(dirfd);

	if (!ret)
		ret = find_place(path, &p);
	if (ret)
		return ret;
	/* what is there by now may be another one */
	if (fstat(dirfd, &st) ||
	    fstatat(p.parent, p.last.name, &named, AT_SYMLINK_NOFOLLOW))
		ret = -errno;
	else if (st.st_dev != named.st_dev || st.st_ino != named.st_ino)
		ret = -ESTALE;
	else if (unlinkat(p.parent, p.last.name, AT_REMOVEDIR))
		ret = -errno;
	close(p.parent);
	return ret;
}

int session_dir_remove_begun(const char *path, int dirfd)
{
	int ret = has_only_known(dirfd);

	return ret ? ret : session_dir_remove(path, dirfd);
}
