// SPDX-License-Identifier: GPL-2.0-only
/* `vmmprof agent freeze`: makes a session of the newest records. */

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/io.h"
#include "base/vec.h"
#include "cmd/agent/kept.h"
#include "cmd/agent/kept_hosts.h"
#include "cmd/agent/kept_list.h"
#include "format/items.h"
#include "format/session_dir.h"
#include "format/session_writer.h"

struct freezer {
	int dir, session; /* directories */
	int lock;	  /* of what is in dir: the agent removes nothing */
	int host;	  /* the session's */
	struct kept_hosts hosts; /* ... of before */
	struct session_writer w;
	struct kept_stretch *list;
	size_t nr;
	__u64 until;
	/* of the files of the last stretch, when that was so */
	struct sized {
		__u32 cpu;
		__u64 bytes;
	} * last;
	size_t nr_last, cap_last;
	size_t at; /* the stretch that is copied */
};

/* An older program is not to read records whose period it would not know. */
static int copy_item(struct freezer *f, const struct vmmprof_item_hdr *item)
{
	if (item->type == VMMPROF_INFO_WIDENED &&
	    item->size >= sizeof(struct vmmprof_info_widened))
		return session_writer_widened(&f->w, (const void *)item);
	return item_put(&f->w.info, item->type, item, item->size, NULL, 0);
}

/*
 * Copies the whole items of a file that is being written to info, but of the agent's
 * own info what tells of its beginning and end.
 */
static int copy_items(struct freezer *f, int at, const char *name)
{
	const struct vmmprof_item_hdr *item;
	struct items it;
	int fd = open_regular(at, name, O_NOFOLLOW);
	int ret;

	if (fd < 0)
		return fd;
	ret = items_init(&it, fd, VMMPROF_FILE_INFO);
	close(fd);
	if (ret)
		return ret;
	while (!ret && items_next(&it, &item)) {
		if (item->type == VMMPROF_ITEM_END)
			break;
		if (at == f->session && (item->type == VMMPROF_INFO_CPU ||
					 item->type == VMMPROF_INFO_STOP ||
					 item->type == VMMPROF_INFO_VCPU_STATE))
			continue;
		ret = copy_item(f, item);
	}
	items_deinit(&it);
	return ret;
}

static int copy_host(struct freezer *f)
{
	struct item_writer w;
	int ret = item_writer_open(&w, f->w.dirfd, "host", VMMPROF_FILE_MAPS);
	int err;

	if (ret)
		return ret;
	ret = kept_hosts_copy(&f->hosts, f->host, &w);
	err = item_writer_close(&w, true);
	return ret ? ret : err;
}

static int add_last(void *arg, int stretch, const char *name, __u32 cpu)
{
	struct freezer *f = arg;
	struct stat st;

	if (fstatat(stretch, name, &st, AT_SYMLINK_NOFOLLOW))
		return -errno;
	if (vec_grow(&f->last, &f->cap_last, f->nr_last, sizeof(*f->last)))
		return -ENOMEM;
	f->last[f->nr_last++] = (struct sized){ cpu, st.st_size };
	return 0;
}

static int open_hosts(struct freezer *f)
{
	f->host = open_regular(f->session, "host", O_NOFOLLOW);
	return f->host < 0 ? f->host : kept_hosts_init(&f->hosts, f->dir);
}

/*
 * What there is, at a moment at which the agent adds nothing: a stretch that goes
 * on may get half a record at any other.
 */
static int look(struct freezer *f)
{
	int fd = openat(f->dir, "until", O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	ssize_t n;
	int ret;

	if (fd < 0)
		return errno == ENOENT ? -ENODATA : -errno;
	ret = flock(fd, LOCK_SH) ? -errno : 0;
	n = io_read(fd, &f->until, sizeof(f->until));
	if (!ret && n != sizeof(f->until))
		ret = -ENODATA;
	if (!ret)
		ret = kept_list(f->dir, &f->list, &f->nr);
	if (!ret && (!f->nr || f->until <= f->list[0].from))
		ret = -ENODATA;
	if (!ret)
		ret = kept_each_file(f->dir, &f->list[f->nr - 1], add_last, f);
	if (!ret)
		ret = open_hosts(f);
	close(fd); /* and unlocks it */
	return ret;
}

/* How much of a file of a stretch is there. */
static __u64 bytes_of(const struct freezer *f, __u32 cpu)
{
	size_t i;

	if (f->at + 1 < f->nr)
		return ~0ull;
	for (i = 0; i < f->nr_last; i++)
		if (f->last[i].cpu == cpu)
			return f->last[i].bytes;
	return 0;
}

/* Adds a file of records to the session's file of that CPU. */
static int copy_records(void *arg, int stretch, const char *name, __u32 cpu)
{
	struct freezer *f = arg;
	__u64 left = bytes_of(f, cpu);
	int from, to, ret = 0;
	char out[32], buf[65536];
	ssize_t n;

	if (!left)
		return 0;
	snprintf(out, sizeof(out), "cpu-%u.rec", cpu);
	from = openat(stretch, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	if (from < 0)
		return -errno;
	to = openat(f->w.dirfd, out,
		    O_WRONLY | O_APPEND | O_NOFOLLOW | O_CLOEXEC);
	if (to < 0 && errno == ENOENT)
		ret = session_writer_records(&f->w, cpu, &to);
	else if (to < 0)
		ret = -errno;
	for (; !ret && left; left -= n) {
		n = io_read(from, buf, left < sizeof(buf) ? left : sizeof(buf));
		if (n <= 0) {
			ret = n;
			break;
		}
		ret = io_write(to, buf, n);
	}
	close(from);
	io_close(&to);
	return ret;
}

/* What is in it is believed. */
static int check_own(int fd, const char *dir, struct error *e)
{
	int ret = fd < 0 ? -errno : io_own(fd);

	if (ret == -EPERM)
		return error_set(e, ret, "%s: it has to be the user's alone",
				 dir);
	return ret ? error_set(e, ret, "%s: %s", dir, strerror(-ret)) : 0;
}

static int open_all(struct freezer *f, const char *dir, struct error *e)
{
	char path[256] = "";
	ssize_t n;
	int ret;

	f->dir = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	ret = check_own(f->dir, dir, e);
	if (ret)
		return ret;
	f->lock = openat(f->dir, "session", O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	n = f->lock < 0 || flock(f->lock, LOCK_SH) ?
		    -1 :
		    io_read(f->lock, path, sizeof(path) - 1);
	if (n <= 0)
		return error_set(e, -ENODATA,
				 "no agent keeps its records in %s", dir);
	f->session = open(path,
			  O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (f->session < 0)
		return error_set(e, -errno, "%s: %s: no agent runs", path,
				 strerror(errno));
	/* of an agent that was killed: others may have made it since */
	return check_own(f->session, path, e);
}

/* The beginning is that of the oldest stretch. */
static int copy_all(struct freezer *f)
{
	char states[KEPT_NAME_DIGITS + 16];
	int ret;

	ret = copy_items(f, f->session, "info");
	snprintf(states, sizeof(states), "%s/states", f->list[0].name);
	if (!ret)
		ret = copy_items(f, f->dir, states);
	if (!ret)
		ret = copy_host(f);
	for (f->at = 0; f->at < f->nr && !ret; f->at++)
		ret = kept_each_file(f->dir, &f->list[f->at], copy_records, f);
	if (!ret)
		ret = session_writer_stop(&f->w, f->list[0].from, f->until,
					  VMMPROF_STOP_DURATION, 0);
	return ret;
}

static int freeze(struct freezer *f, const char *dir, const char *to,
		  struct error *e)
{
	char name[SESSION_FILE_NAME];
	int ret = open_all(f, dir, e), err;

	if (ret)
		return ret;
	ret = look(f);
	if (ret == -ENODATA)
		return error_set(e, ret, "%s holds no records yet", dir);
	if (ret)
		return error_set(e, ret, "%s: %s", dir, strerror(-ret));
	ret = session_writer_create(to, false, &f->w, e);
	if (ret)
		return ret;
	ret = copy_all(f);
	/* what has an end is all there, also if the host dies after this */
	if (!ret)
		ret = session_writer_flush(&f->w);
	if (!ret)
		ret = session_dir_sync(f->w.dirfd, name);
	if (ret) {
		session_dir_remove(to, f->w.dirfd);
		session_writer_close(&f->w, false);
		return error_set(e, ret, "%s: %s", to, strerror(-ret));
	}
	err = session_writer_close(&f->w, true);
	return err ? error_set(e, err, "%s: %s", to, strerror(-err)) : 0;
}

int kept_freeze(const char *dir, const char *to, struct error *e)
{
	struct freezer f = { .dir = -1,
			     .session = -1,
			     .lock = -1,
			     .host = -1,
			     .hosts.dirfd = -1 };
	int ret;

	*e->text = '\0';
	ret = freeze(&f, dir, to, e);
	free(f.list);
	free(f.last);
	kept_hosts_deinit(&f.hosts);
	io_close(&f.host);
	io_close(&f.dir);
	io_close(&f.session);
	io_close(&f.lock);
	return ret;
}
