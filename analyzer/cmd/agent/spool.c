// SPDX-License-Identifier: GPL-2.0-only
/* Keeps windows' profiles, the newest ones. */

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/io.h"
#include "base/sort.h"
#include "base/vec.h"
#include "cmd/agent/spool.h"

/* A name is the time of the window's beginning, so that names have its order. */
#define NAME_DIGITS 20
#define NAME_END    ".pb.gz"
#define NAME_SIZE   (NAME_DIGITS + sizeof(NAME_END))

struct spooled {
	char name[NAME_SIZE];
	__u64 real_ns, bytes;
};

const char *spool_drop_key(unsigned int why)
{
	static const char *const keys[NR_DROPS] = { "age", "size", "large",
						    "write" };

	return why < NR_DROPS ? keys[why] : "?";
}

int spool_open(struct spool *s, const char *dir)
{
	memset(s, 0, sizeof(*s));
	s->dirfd = -1;
	if (mkdir(dir, 0750) && errno != EEXIST)
		return -errno;
	s->dirfd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	return s->dirfd < 0 ? -errno : 0;
}

void spool_close(struct spool *s)
{
	io_close(&s->dirfd);
}

int spool_write_file(int dirfd, const char *tmp, const char *name, int from,
		     __u64 size, const char *more)
{
	int fd, ret;

	/* of a process that ended in the midst of it */
	if (unlinkat(dirfd, tmp, 0) && errno != ENOENT)
		return -errno;
	fd = openat(dirfd, tmp,
		    O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);
	if (fd < 0)
		return -errno;
	/* whatever the mask is: others are to read it */
	ret = fchmod(fd, 0644) ? -errno : io_copy(from, fd, size);
	if (!ret && lseek(fd, size, SEEK_SET) < 0)
		ret = -errno;
	if (!ret)
		ret = io_write(fd, more, strlen(more));
	if (close(fd) && !ret)
		ret = -errno;
	if (!ret && renameat(dirfd, tmp, dirfd, name))
		ret = -errno;
	if (ret)
		unlinkat(dirfd, tmp, 0);
	return ret;
}

/* Is it a profile's name?  Then when its window began. */
static bool parse_name(const char *name, __u64 *real_ns)
{
	if (strspn(name, "0123456789") != NAME_DIGITS ||
	    strcmp(name + NAME_DIGITS, NAME_END))
		return false;
	*real_ns = strtoull(name, NULL, 10);
	return true;
}

static int cmp_name(const void *a, const void *b)
{
	const struct spooled *x = a, *y = b;

	return strcmp(x->name, y->name);
}

/* What is there, the oldest first; *list is to be freed. */
static int list_all(const struct spool *s, struct spooled **list, size_t *nr)
{
	int fd = openat(s->dirfd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *d;
	struct stat st;
	size_t cap = 0;
	__u64 real_ns;
	int ret = 0;

	*list = NULL;
	*nr = 0;
	if (!dir) {
		ret = -errno;
		io_close(&fd);
		return ret;
	}
	while (!ret && (d = readdir(dir))) {
		if (!parse_name(d->d_name, &real_ns) ||
		    fstatat(s->dirfd, d->d_name, &st, AT_SYMLINK_NOFOLLOW) ||
		    !S_ISREG(st.st_mode))
			continue;
		ret = vec_grow(list, &cap, *nr, sizeof(**list));
		if (ret)
			break;
		(*list)[*nr].real_ns = real_ns;
		(*list)[*nr].bytes = st.st_size;
		strcpy((*list)[(*nr)++].name, d->d_name);
	}
	closedir(dir);
	if (*nr)
		sort_array(*list, *nr, sizeof(**list), cmp_name);
	return ret;
}

/* Drops the oldest until the rest is within the bounds. */
static int trim(struct spool *s, __u64 now_ns)
{
	struct spooled *list;
	enum spool_drop why;
	size_t i, nr;
	int ret;

	ret = list_all(s, &list, &nr);
	s->files = nr;
	for (s->bytes = 0, i = 0; i < nr; i++)
		s->bytes += list[i].bytes;
	for (i = 0; i < nr && !ret; i++) {
		if (list[i].real_ns < now_ns &&
		    now_ns - list[i].real_ns > s->max_age_ns)
			why = DROP_AGE;
		else if (s->bytes > s->max_bytes)
			why = DROP_SIZE;
		else
			break;
		/* somebody may have taken it meanwhile: then it is not dropped */
		if (!unlinkat(s->dirfd, list[i].name, 0))
			s->dropped[why]++;
		else if (errno != ENOENT)
			ret = -errno;
		s->files--;
		s->bytes -= list[i].bytes;
	}
	free(list);
	return ret;
}

int spool_put(struct spool *s, int from, __u64 real_ns, __u64 now_ns)
{
	char name[NAME_SIZE + 1];
	struct stat st;
	int ret = from < 0 ? -ENODATA : fstat(from, &st) ? -errno : 0, err;

	s->produced++;
	if (!ret && st.st_size > SPOOL_FILE_MAX)
		ret = -EFBIG;
	snprintf(name, sizeof(name), "%0*llu%s", NAME_DIGITS, real_ns,
		 NAME_END);
	if (!ret)
		ret = spool_write_file(s->dirfd, ".window.tmp", name, from,
				       st.st_size, "");
	if (ret)
		s->dropped[ret == -EFBIG ? DROP_LARGE : DROP_WRITE]++;
	err = trim(s, now_ns);
	return ret ? ret : err;
}
