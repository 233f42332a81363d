// SPDX-License-Identifier: GPL-2.0-only
/* Keeps the newest records on disk. */

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/io.h"
#include "cmd/agent/kept.h"
#include "cmd/agent/kept_hosts.h"
#include "cmd/agent/kept_list.h"
#include <vmmprof/file.h>

#define STRETCHES     60 /* at least, that the time is cut into */
#define RECORDS_START sizeof(struct vmmprof_file_hdr)

static int remove_file(void *arg, int stretch, const char *name, __u32 cpu)
{
	(void)arg;
	(void)cpu;
	return unlinkat(stretch, name, 0) ? -errno : 0;
}

static int remove_stretch(int at, const struct kept_stretch *s)
{
	char states[KEPT_NAME_DIGITS + 16];
	int ret = kept_each_file(at, s, remove_file, NULL);

	snprintf(states, sizeof(states), "%s/states", s->name);
	if (!ret && unlinkat(at, states, 0) && errno != ENOENT)
		ret = -errno;
	return !ret && unlinkat(at, s->name, AT_REMOVEDIR) ? -errno : ret;
}

static int remove_all(int at)
{
	struct kept_stretch *list;
	__u64 bytes = 0;
	size_t i, nr;
	int ret = kept_list(at, &list, &nr);

	for (i = 0; i < nr && !ret; i++)
		ret = remove_stretch(at, &list[i]);
	free(list);
	return ret ? ret : kept_hosts_trim(at, ~0ull, &bytes);
}

/* Writes a small file anew; *keep: it stays open (NULL: it does not). */
static int put_text(int at, const char *name, const char *text, int *keep)
{
	int fd, ret;

	if (unlinkat(at, name, 0) && errno != ENOENT)
		return -errno;
	fd = openat(at, name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (fd < 0)
		return -errno;
	ret = io_write(fd, text, strlen(text));
	if (keep && !ret)
		*keep = fd;
	else
		close(fd);
	return ret;
}

int kept_own_dir(const char *dir)
{
	int fd, ret;

	if (mkdir(dir, 0700) && errno != EEXIST)
		return -errno;
	fd = open(dir, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	/* what is in it is believed */
	ret = io_own(fd);
	if (ret)
		close(fd);
	return ret ? ret : fd;
}

int kept_open(struct kept *r, const char *dir, const char *session,
	      unsigned int nr)
{
	unsigned int i;
	int ret;

	*r = KEPT_NONE;
	r->files = malloc((nr + 1) * sizeof(*r->files));
	if (!r->files)
		return -ENOMEM;
	r->nr_files = nr;
	for (i = 0; i < nr; i++)
		r->files[i] = -1;
	r->dirfd = kept_own_dir(dir);
	if (r->dirfd < 0)
		return r->dirfd;
	ret = remove_all(r->dirfd);
	if (!ret)
		ret = put_text(r->dirfd, "session", session, &r->session);
	return ret ? ret : put_text(r->dirfd, "until", "", &r->until);
}

static void end_stretch(struct kept *r)
{
	unsigned int i;

	for (i = 0; i < r->nr_files; i++)
		io_close(&r->files[i]);
	io_close(&r->now);
}

/* Nobody is to look for the session any more; another agent's stays. */
static void forget_session(const struct kept *r)
{
	struct stat own, st;

	if (r->session < 0 || fstat(r->session, &own) ||
	    fstatat(r->dirfd, "session", &st, AT_SYMLINK_NOFOLLOW))
		return;
	if (own.st_dev == st.st_dev && own.st_ino == st.st_ino)
		unlinkat(r->dirfd, "session", 0);
}

void kept_close(struct kept *r)
{
	if (r->files)
		end_stretch(r);
	forget_session(r);
	io_close(&r->until);
	io_close(&r->session);
	io_close(&r->dirfd);
	free(r->files);
	r->files = NULL;
}

static int put_states(struct kept *r)
{
	struct session_writer w = { .dirfd = -1 };
	int ret = item_writer_open(&w.info, r->now, "states",
				   VMMPROF_FILE_INFO);

	if (ret)
		return ret;
	if (r->states)
		r->states(r->states_arg, &w);
	return item_writer_close(&w.info, true);
}

static int open_file(struct kept *r, unsigned int i, __u32 cpu)
{
	char name[32];

	if (r->files[i] >= 0)
		return 0;
	snprintf(name, sizeof(name), "cpu-%u", cpu);
	r->files[i] = openat(r->now, name,
			     O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	return r->files[i] < 0 ? -errno : 0;
}

/* Each stretch may be the oldest one, and no record of before is left. */
static int put_told(struct kept *r, const __u32 *cpus)
{
	unsigned int i;
	int ret = 0;

	for (i = 0; r->told && i < r->nr_files && !ret; i++) {
		size_t bytes;
		void *told = told_records(r->told, i, &bytes);

		if (bytes)
			ret = told ? open_file(r, i, cpus[i]) : -ENOMEM;
		if (bytes && !ret)
			ret = io_write(r->files[i], told, bytes);
		/* no part of what makes a stretch full */
		r->held += bytes;
		free(told);
	}
	return ret;
}

static int begin_stretch(struct kept *r, const __u32 *cpus, __u64 from)
{
	int ret;
	char name[KEPT_NAME_DIGITS + 1];

	end_stretch(r);
	snprintf(name, sizeof(name), "%0*llu", KEPT_NAME_DIGITS, from);
	if (mkdirat(r->dirfd, name, 0700))
		return -errno;
	r->now = openat(r->dirfd, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	r->from = from;
	r->held += r->bytes;
	r->bytes = 0;
	if (r->now < 0)
		return -errno;
	ret = put_told(r, cpus);
	return ret ? ret : put_states(r);
}

static int add_file(struct kept *r, unsigned int i, int from, __u32 cpu)
{
	off_t end = lseek(from, 0, SEEK_END), at = RECORDS_START;
	char buf[65536];
	ssize_t n;
	int ret;

	if (end <= at)
		return end < 0 ? -errno : 0;
	ret = open_file(r, i, cpu);
	for (; at < end && !ret; at += n) {
		n = io_pread(from, buf, sizeof(buf), at);
		if (n <= 0)
			return n ? n : -ENODATA;
		ret = io_write(r->files[i], buf, n);
		r->bytes += n;
	}
	return ret;
}

static int add_size(void *arg, int stretch, const char *name, __u32 cpu)
{
	__u64 *sum = arg;
	struct stat st;

	(void)cpu;
	if (fstatat(stretch, name, &st, AT_SYMLINK_NOFOLLOW))
		return -errno;
	*sum += st.st_size;
	return 0;
}

/* Removes the oldest until the rest is within the bounds. */
static int trim(struct kept *r, __u64 now)
{
	struct kept_stretch *list;
	__u64 sum = 0;
	size_t i, nr;
	int ret;

	/*
	 * While they are copied they stay; the next one removes them.  But a freeze
	 * that was stopped does not fill the disk: it fails.
	 */
	if (!flock(r->session, LOCK_EX | LOCK_NB))
		r->held = 0;
	else if (errno != EWOULDBLOCK)
		return -errno;
	else if (r->held <= r->max_bytes)
		return 0;
	ret = kept_list(r->dirfd, &list, &nr);
	if (!ret)
		ret = kept_hosts_trim(r->dirfd, nr ? list[0].from : ~0ull,
				      &sum);
	/* from the newest on; the one that goes on stays */
	for (i = nr; i > 0 && !ret; i--) {
		ret = kept_each_file(r->dirfd, &list[i - 1], add_size, &sum);
		if (!ret && i < nr &&
		    (sum > r->max_bytes - r->max_bytes / STRETCHES ||
		     (list[i].from < now && now - list[i].from > r->max_ticks)))
			break;
	}
	for (; i > 0 && !ret; i--)
		ret = remove_stretch(r->dirfd, &list[i - 1]);
	free(list);
	flock(r->session, LOCK_UN);
	return ret;
}

static int add_all(struct kept *r, const int *records, const __u32 *cpus,
		   __u64 until)
{
	unsigned int i;
	int ret = 0;

	for (i = 0; i < r->nr_files && !ret; i++)
		ret = add_file(r, i, records[i], cpus[i]);
	if (!ret && pwrite(r->until, &until, sizeof(until), 0) != sizeof(until))
		ret = -EIO;
	return ret;
}

/* *begun: the stretch that was there has ended. */
static int add_locked(struct kept *r, const int *records, const __u32 *cpus,
		      __u64 until, __u64 now, bool *begun)
{
	int ret;

	/* what the files have at first began at an unknown time */
	if (r->now < 0)
		return begin_stretch(r, cpus, now);
	ret = add_all(r, records, cpus, until);
	if (ret || (now - r->from <= r->max_ticks / STRETCHES &&
		    r->bytes <= r->max_bytes / STRETCHES))
		return ret;
	*begun = true;
	return begin_stretch(r, cpus, now);
}

int kept_add(struct kept *r, const int *records, const __u32 *cpus, __u64 until,
	     __u64 now)
{
	bool begun = false;
	int ret;

	/* whoever freezes sees all of it, or nothing */
	ret = flock(r->until, LOCK_EX) ? -errno : 0;
	if (!ret) {
		ret = add_locked(r, records, cpus, until, now, &begun);
		flock(r->until, LOCK_UN);
	}
	if (!ret && begun)
		ret = trim(r, now);
	if (ret) {
		/* a stretch with a gap in it would look as if nothing ran */
		end_stretch(r);
		remove_all(r->dirfd);
	}
	return ret;
}

int kept_renew(struct kept *r, int host, __u64 now, int (*renew)(void *arg),
	       void *arg, int *kept)
{
	int ret;

	*kept = 0;
	/* whoever freezes sees the new one and what is kept of the old, or neither */
	if (flock(r->until, LOCK_EX))
		return -errno;
	ret = renew(arg);
	if (!ret)
		*kept = kept_hosts_put(r->dirfd, host, now);
	flock(r->until, LOCK_UN);
	if (*kept) {
		end_stretch(r);
		remove_all(r->dirfd);
	}
	return ret;
}
