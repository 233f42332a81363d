// SPDX-License-Identifier: GPL-2.0-only
/*
 * Writes a session directory (include/vmmprof/session.h) piece by piece, in an
 * order that leaves something readable whenever the writer dies.
 */

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/io.h"
#include "format/items.h"
#include "format/session_dir.h"
#include "format/session_writer.h"

#define NEW_FILE (O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW)

int session_writer_create(const char *path, bool force,
			  struct session_writer *w, struct error *e)
{
	int ret = session_dir_create(path, force, &w->dirfd, e);

	if (ret)
		return ret;
	ret = item_writer_open(&w->info, w->dirfd, "info", VMMPROF_FILE_INFO);
	if (ret)
		close(w->dirfd);
	else /* from here on the directory is a session */
		ret = session_writer_flush(w);
	return ret ? error_set(e, ret, "cannot write the session '%s': %s",
			       path, strerror(-ret)) :
		     0;
}

int session_writer_records(struct session_writer *w, unsigned int cpu, int *fd)
{
	const struct vmmprof_file_hdr hdr = {
		.magic = VMMPROF_MAGIC,
		.kind = VMMPROF_FILE_RECORDS,
		.version = VMMPROF_FILE_VERSION,
		.min_version = VMMPROF_FILE_OLDEST,
		.hdr_size = sizeof(hdr),
		.cpu = cpu,
	};
	char name[32];
	int ret;

	snprintf(name, sizeof(name), "cpu-%u.rec", cpu);
	/* readable: the recorder looks through it at the end */
	*fd = openat(w->dirfd, name, O_RDWR | NEW_FILE, 0600);
	if (*fd < 0)
		return -errno;
	ret = io_write(*fd, &hdr, sizeof(hdr));
	if (ret)
		close(*fd);
	return ret;
}

int session_writer_event(struct session_writer *w, unsigned int index,
			 const char *name, const struct vmmprof_event *event)
{
	const struct vmmprof_info_event item = {
		.index = index,
		.type = event->type,
		.config = event->config,
		.period = event->period,
		.flags = event->flags,
	};

	return item_put(&w->info, VMMPROF_INFO_EVENT, &item, sizeof(item), name,
			strlen(name) + 1);
}

int session_writer_vm(struct session_writer *w, __u32 pid, __u32 nr_vcpus,
		      __u64 seen_tsc, const char *name)
{
	const struct vmmprof_info_vm item = {
		.pid = pid,
		.nr_vcpus = nr_vcpus,
		.seen_tsc = seen_tsc,
	};

	return item_put(&w->info, VMMPROF_INFO_VM, &item, sizeof(item), name,
			strlen(name) + 1);
}

int session_writer_vcpu(struct session_writer *w, __u32 pid, __u32 tid,
			__u32 vcpu_id, const char *comm)
{
	struct vmmprof_info_vcpu item = {
		.pid = pid,
		.tid = tid,
		.vcpu_id = vcpu_id,
	};

	memcpy(item.comm, comm, strnlen(comm, sizeof(item.comm)));
	return item_put(&w->info, VMMPROF_INFO_VCPU, &item, sizeof(item), NULL,
			0);
}

int session_writer_cpu(struct session_writer *w,
		       const struct vmmprof_cpu_stat *stat)
{
	struct vmmprof_info_cpu item = { .stat = *stat };

	return item_put(&w->info, VMMPROF_INFO_CPU, &item, sizeof(item), NULL,
			0);
}

int session_writer_switches(struct session_writer *w, bool on, __u32 error)
{
	const struct vmmprof_info_switches item = { .on = on, .error = error };

	return item_put(&w->info, VMMPROF_INFO_SWITCHES, &item, sizeof(item),
			NULL, 0);
}

int session_writer_exit(struct session_writer *w,
			const struct vmmprof_exit *exit)
{
	const struct vmmprof_info_exit item = { .exit = *exit };

	return item_put(&w->info, VMMPROF_INFO_EXIT, &item, sizeof(item), NULL,
			0);
}

int session_writer_exits(struct session_writer *w, bool on, __u32 error,
			 __u64 missed)
{
	const struct vmmprof_info_exits item = {
		.on = on,
		.error = error,
		.missed = missed,
	};

	return item_put(&w->info, VMMPROF_INFO_EXITS, &item, sizeof(item), NULL,
			0);
}

int session_writer_vcpu_state(struct session_writer *w,
			      const struct vmmprof_info_vcpu_state *item)
{
	return item_put(&w->info, VMMPROF_INFO_VCPU_STATE, item, sizeof(*item),
			NULL, 0);
}

int session_writer_stop(struct session_writer *w, __u64 start_tsc,
			__u64 stop_tsc, enum vmmprof_stop_reason reason,
			int status)
{
	const struct vmmprof_info_stop item = {
		.start_tsc = start_tsc,
		.stop_tsc = stop_tsc,
		.reason = reason,
		.status = status,
	};

	return item_put(&w->info, VMMPROF_INFO_STOP, &item, sizeof(item), NULL,
			0);
}

static bool is_bundle(const struct vmmprof_file_hdr *hdr)
{
	return !memcmp(hdr->magic, VMMPROF_MAGIC, sizeof(hdr->magic)) &&
	       hdr->kind == VMMPROF_FILE_MAPS;
}

/* Copies a file that begins as a bundle does. */
static int copy_bundle(int from, int to)
{
	struct vmmprof_file_hdr hdr;
	char buf[65536];
	ssize_t n = read(from, buf, sizeof(buf));

	if (n < 0)
		return -errno;
	if (n < (ssize_t)sizeof(hdr))
		return -ENOEXEC;
	memcpy(&hdr, buf, sizeof(hdr));
	if (!is_bundle(&hdr))
		return -ENOEXEC;
	while (n > 0) {
		int ret = io_write(to, buf, n);

		if (ret)
			return ret;
		n = read(from, buf, sizeof(buf));
	}
	return n < 0 ? -errno : 0;
}

int session_writer_bundle(struct session_writer *w, __u32 pid, const char *name,
			  const char *file)
{
	const struct vmmprof_info_guest item = { .pid = pid };
	int from, to, ret;
	char path[256];

	if (strchr(name, '/') ||
	    snprintf(path, sizeof(path), "guests/%s.bundle", name) >=
		    (int)sizeof(path))
		return -EINVAL;
	from = open_regular(AT_FDCWD, file, 0);
	if (from < 0)
		return from;
	if (mkdirat(w->dirfd, "guests", 0700) && errno != EEXIST) {
		ret = -errno;
		goto out_close_from;
	}
	to = openat(w->dirfd, path, O_WRONLY | NEW_FILE, 0600);
	if (to < 0) {
		ret = -errno;
		goto out_close_from;
	}
	ret = copy_bundle(from, to);
	if (close(to) && !ret)
		ret = -errno;
	if (ret)
		unlinkat(w->dirfd, path, 0);
	else
		ret = item_put(&w->info, VMMPROF_INFO_GUEST, &item,
			       sizeof(item), name, strlen(name) + 1);
out_close_from:
	close(from);
	return ret;
}

/* "guests/NAME.bundle" + suffix.  0 or -EINVAL: no name for a file. */
static int bundle_path(char *path, size_t size, const char *name,
		       const char *suffix)
{
	if (strchr(name, '/') || snprintf(path, size, "guests/%s.bundle%s",
					  name, suffix) >= (int)size)
		return -EINVAL;
	return 0;
}

int session_writer_part(struct session_writer *w, const char *name)
{
	char path[256];
	int fd;

	if (bundle_path(path, sizeof(path), name, ".part"))
		return -EINVAL;
	if (mkdirat(w->dirfd, "guests", 0700) && errno != EEXIST)
		return -errno;
	fd = openat(w->dirfd, path, O_RDWR | NEW_FILE, 0600);
	return fd < 0 ? -errno : fd;
}

void session_writer_drop_part(struct session_writer *w, const char *name)
{
	char path[256];

	if (!bundle_path(path, sizeof(path), name, ".part"))
		unlinkat(w->dirfd, path, 0);
}

int session_writer_take_part(struct session_writer *w, __u32 pid,
			     const char *name, int fd)
{
	const struct vmmprof_info_guest item = { .pid = pid };
	struct vmmprof_file_hdr hdr;
	char from[256], to[256];
	int ret = 0;

	if (bundle_path(from, sizeof(from), name, ".part") ||
	    bundle_path(to, sizeof(to), name, ""))
		return -EINVAL;
	if (pread(fd, &hdr, sizeof(hdr), 0) != sizeof(hdr) || !is_bundle(&hdr))
		ret = -ENOEXEC;
	/* a link, not a rename: never replaces a file */
	else if (linkat(w->dirfd, from, w->dirfd, to, 0))
		ret = -errno;
	unlinkat(w->dirfd, from, 0);
	if (ret)
		return ret;
	return item_put(&w->info, VMMPROF_INFO_GUEST, &item, sizeof(item), name,
			strlen(name) + 1);
}

int session_writer_reach(struct session_writer *w,
			 const struct vmmprof_info_reach *item,
			 const char *text)
{
	return item_put(&w->info, VMMPROF_INFO_REACH, item, sizeof(*item), text,
			strlen(text) + 1);
}

int session_writer_memory(struct session_writer *w,
			  const struct vmmprof_info_memory *item,
			  const char *text)
{
	return item_put(&w->info, VMMPROF_INFO_MEMORY, item, sizeof(*item),
			text, strlen(text) + 1);
}

int session_writer_widened(struct session_writer *w,
			   const struct vmmprof_info_widened *item)
{
	const __u16 min = VMMPROF_FILE_VERSION;
	int ret = session_writer_flush(w);

	if (ret)
		return ret;
	if (pwrite(w->info.fd, &min, sizeof(min),
		   offsetof(struct vmmprof_file_hdr, min_version)) !=
	    sizeof(min))
		return errno ? -errno : -EIO;
	return item_put(&w->info, VMMPROF_INFO_WIDENED, item, sizeof(*item),
			NULL, 0);
}

int session_writer_flush(struct session_writer *w)
{
	return item_writer_flush(&w->info);
}

int session_writer_close(struct session_writer *w, bool finished)
{
	int ret = item_writer_close(&w->info, finished);

	if (finished && !ret)
		ret = session_dir_sync_file(w->dirfd, "info"); /* END */
	close(w->dirfd);
	w->dirfd = -1;
	return ret;
}
