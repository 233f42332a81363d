// SPDX-License-Identifier: GPL-2.0-only
/* Windows of profiles in a directory. */

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/io.h"
#include "cmd/agent/push_book.h"
#include "cmd/agent/spool.h"

static const struct book_form form = {
	.file = "agent.book",
	.counts = { [DROP_AGE] = "dropped_age",
		    [DROP_SIZE] = "dropped_size",
		    [DROP_LARGE] = "dropped_large",
		    [DROP_WRITE] = "dropped_write",
		    [SPOOL_PRODUCED] = "produced" },
	.names = { [SPOOL_NAME_NEW] = "new", [SPOOL_NAME_GONE] = "gone" },
};

const char *spool_drop_key(unsigned int why)
{
	static const char *const keys[NR_DROPS] = { "age", "size", "large",
						    "write" };

	return why < NR_DROPS ? keys[why] : "?";
}

/*
 * The book of push, for whatever user push is the next time.  A name of a file
 * that is elsewhere, too, is not touched.
 */
static int give_book(int dirfd, int gid)
{
	struct book b;
	struct stat st;
	int ret = book_open(&b, &push_book_form, dirfd);

	/* what is no book push will say */
	if (!ret && !fstat(b.fd, &st) && st.st_nlink == 1 &&
	    (fchown(b.fd, -1, gid) || fchmod(b.fd, 0660)))
		ret = -errno;
	book_close(&b);
	return ret == -EINVAL || ret == -ELOOP ? 0 : ret;
}

/* The directory to whoever may take files from there. */
static int give(int dirfd, int gid)
{
	if (gid < 0)
		return 0;
	if (fchown(dirfd, -1, gid) || fchmod(dirfd, 0770))
		return -errno;
	return give_book(dirfd, gid);
}

/* What was under way when an agent was killed. */
static int recover(struct spool *s)
{
	const struct spool_file *f;
	struct spool_file *list;
	size_t i, nr;
	int ret = spool_list(s->dirfd, &list, &nr);

	for (i = 0; i < nr && !ret; i++) {
		f = &list[i];
		if (f->state == SPOOL_NEW)
			ret = strcmp(f->name, s->book.name[SPOOL_NAME_NEW]) ?
				      spool_remove(s->dirfd, f) :
				      spool_rename(s->dirfd, f, SPOOL_THERE);
		else if (f->state == SPOOL_GONE)
			ret = strcmp(f->name, s->book.name[SPOOL_NAME_GONE]) ?
				      spool_rename(s->dirfd, f, SPOOL_THERE) :
				      spool_remove(s->dirfd, f);
	}
	free(list);
	return ret;
}

int spool_open(struct spool *s, const char *dir, int gid)
{
	int ret;

	memset(s, 0, sizeof(*s));
	s->dirfd = -1;
	s->book.fd = -1;
	if (mkdir(dir, 0750) && errno != EEXIST)
		return -errno;
	s->dirfd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (s->dirfd < 0)
		return -errno;
	ret = give(s->dirfd, gid);
	if (!ret)
		ret = book_open(&s->book, &form, s->dirfd);
	return ret ? ret : recover(s);
}

void spool_close(struct spool *s)
{
	book_close(&s->book);
	io_close(&s->dirfd);
}

/* A new file, with all of both. */
static int write_new(int dirfd, const char *name, int from, __u64 size,
		     const char *more)
{
	int fd, ret;

	/* of a process that ended in the midst of it */
	if (unlinkat(dirfd, name, 0) && errno != ENOENT)
		return -errno;
	fd = openat(dirfd, name,
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
	if (ret)
		unlinkat(dirfd, name, 0);
	return ret;
}

int spool_write_file(int dirfd, const char *tmp, const char *name, int from,
		     __u64 size, const char *more)
{
	int ret = write_new(dirfd, tmp, from, size, more);

	if (ret || !renameat(dirfd, tmp, dirfd, name))
		return ret;
	ret = -errno;
	unlinkat(dirfd, tmp, 0);
	return ret;
}

/*
 * It is dropped.  Somebody may have taken it meanwhile: then it is not.  @f is
 * as it was listed.
 */
static int drop(struct spool *s, struct spool_file *f, enum spool_drop why)
{
	int ret = spool_rename(s->dirfd, f, SPOOL_GONE);
	char was[BOOK_NAME];

	if (ret)
		return ret == -ENOENT ? 0 : ret;
	f->state = SPOOL_GONE;
	memcpy(was, s->book.name[SPOOL_NAME_GONE], sizeof(was));
	s->book.count[why] += f->profiles;
	memcpy(s->book.name[SPOOL_NAME_GONE], f->name, sizeof(f->name));
	ret = book_write(&s->book);
	if (ret) {
		/* it stays, for the next time */
		s->book.count[why] -= f->profiles;
		memcpy(s->book.name[SPOOL_NAME_GONE], was, sizeof(was));
		if (!spool_rename(s->dirfd, f, SPOOL_THERE))
			f->state = SPOOL_THERE;
		return ret;
	}
	return spool_remove(s->dirfd, f);
}

/* Drops the oldest until the rest is within the bounds. */
static int trim(struct spool *s, __u64 now_ns)
{
	struct spool_file *list;
	enum spool_drop why;
	size_t i, nr;
	int ret;

	ret = spool_list(s->dirfd, &list, &nr);
	s->profiles = 0;
	for (s->bytes = 0, i = 0; i < nr; i++) {
		s->profiles += list[i].profiles;
		s->bytes += list[i].bytes;
	}
	for (i = 0; i < nr && !ret; i++) {
		if (list[i].state != SPOOL_THERE)
			continue;
		if (list[i].real_ns < now_ns &&
		    now_ns - list[i].real_ns > s->max_age_ns)
			why = DROP_AGE;
		else if (s->bytes > s->max_bytes)
			why = DROP_SIZE;
		else
			break;
		ret = drop(s, &list[i], why);
		s->profiles -= list[i].profiles;
		s->bytes -= list[i].bytes;
	}
	free(list);
	return ret;
}

/* It counts from the book on; then it gets its name. */
static int keep(struct spool *s, int from, __u64 bytes, __u32 profiles,
		__u64 real_ns)
{
	struct spool_file f = { .state = SPOOL_NEW, .profiles = profiles };
	char tmp[SPOOL_NAME + 8];
	int ret;

	spool_name(f.name, real_ns, profiles);
	snprintf(tmp, sizeof(tmp), ".%s.new", f.name);
	ret = write_new(s->dirfd, tmp, from, bytes, "");
	if (ret)
		return ret;
	s->book.count[SPOOL_PRODUCED] += profiles;
	memcpy(s->book.name[SPOOL_NAME_NEW], f.name, sizeof(f.name));
	ret = book_write(&s->book);
	if (!ret)
		ret = spool_rename(s->dirfd, &f, SPOOL_THERE);
	if (!ret)
		return 0;
	s->book.count[SPOOL_PRODUCED] -= profiles;
	spool_remove(s->dirfd, &f);
	return ret;
}

int spool_put(struct spool *s, int from, __u32 profiles, __u64 real_ns,
	      __u64 now_ns)
{
	struct stat st;
	int ret = from < 0 ? -ENODATA : fstat(from, &st) ? -errno : 0, err = 0;

	if (ret && !profiles)
		profiles = 1;
	if (!ret && st.st_size > SPOOL_FILE_MAX)
		ret = -EFBIG;
	if (!ret && profiles)
		ret = keep(s, from, st.st_size, profiles, real_ns);
	if (ret) {
		s->book.count[SPOOL_PRODUCED] += profiles;
		s->book.count[ret == -EFBIG ? DROP_LARGE : DROP_WRITE] +=
			profiles;
		/* or with the next one */
		err = book_write(&s->book);
	}
	if (!err)
		err = trim(s, now_ns);
	return ret ? ret : err;
}
