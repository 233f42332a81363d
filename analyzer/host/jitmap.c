// SPDX-License-Identifier: GPL-2.0-only
/* Finds the files in which processes describe their JIT code; writes items. */

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <vmmprof/maps.h>
#include <vmmprof/record.h>

#include "jitdump.h"
#include "jitmap.h"
#include "procfile.h"

#define PROCS_MAX   256 /* at a time: each holds up to three descriptors */
#define ITEMS_MAX   2000000
#define LOOK_MAX    (4U << 20) /* bytes of a file at one look */
#define CLOCK_SLACK 2	       /* s: a file may seem this much too old */

struct proc {
	__u32 pid;
	__u32 ns_pid; /* its number as it knows it */
	uid_t uid;
	__u64 ns;     /* of what the map says at the first look */
	time_t since; /* CLOCK_REALTIME: older files are not its own */
	int root;     /* descriptor of its root directory */
	bool has_map;
	bool has_dump;
	struct vmmprof_jitfile map;
	struct vmmprof_jitfile dump;
};

struct vmmprof_jitmap {
	struct vmmprof_itemwriter *w;
	struct proc procs[PROCS_MAX];
	size_t nr;
	struct vmmprof_hash execs; /* pid -> CLOCK_REALTIME s of its last exec */
	__u64 items;
	bool full; /* and said so */
};

static __s64 clock_ns(clockid_t id)
{
	struct timespec t;

	clock_gettime(id, &t);
	return t.tv_sec * 1000000000LL + t.tv_nsec;
}

int vmmprof_jitmap_create(struct vmmprof_itemwriter *w,
			  struct vmmprof_jitmap **ret)
{
	struct vmmprof_jitmap *jm = calloc(1, sizeof(*jm));

	if (!jm)
		return -ENOMEM;
	jm->w = w;
	*ret = jm;
	return 0;
}

static void release(struct proc *p)
{
	if (p->has_map)
		vmmprof_jitfile_deinit(&p->map);
	if (p->has_dump)
		vmmprof_jitfile_deinit(&p->dump);
	close(p->root);
}

void vmmprof_jitmap_destroy(struct vmmprof_jitmap *jm)
{
	size_t i;

	if (!jm)
		return;
	for (i = 0; i < jm->nr; i++)
		release(&jm->procs[i]);
	vmmprof_hash_deinit(&jm->execs);
	free(jm);
}

/* The numbers after "KEY:" in /proc/PID/status: the one at @which, -1: last. */
static bool status_number(const char *text, const char *key, int which,
			  __u32 *ret)
{
	const char *p = strstr(text, key), *eol;
	bool found = false;
	char *end;
	int i;

	if (!p)
		return false;
	p += strlen(key);
	eol = p + strcspn(p, "\n");
	for (i = 0; p < eol; i++, p = end) {
		unsigned long v = strtoul(p, &end, 10);

		if (end == p || end > eol)
			break;
		if (which < 0 || i == which) {
			*ret = v;
			found = true;
		}
	}
	return found;
}

/* When process @pid began, CLOCK_REALTIME s; false: it is gone. */
static bool start_time(__u32 pid, time_t *ret)
{
	char path[40], text[1024], *p;
	unsigned long long ticks;
	__s64 ns;

	snprintf(path, sizeof(path), "/proc/%u/stat", pid);
	if (vmmprof_procfile_read(path, text, sizeof(text)) < 0)
		return false;
	p = strrchr(text, ')');
	if (!p ||
	    sscanf(p + 1,
		   " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %*d %*d %llu",
		   &ticks) != 1)
		return false;
	ns = ticks * (1000000000ULL / sysconf(_SC_CLK_TCK));
	*ret = (clock_ns(CLOCK_REALTIME) - clock_ns(CLOCK_BOOTTIME) + ns) /
	       1000000000;
	return true;
}

/* What has to be known while it lives.  False: it is gone, or hidden. */
static bool identify(struct vmmprof_jitmap *jm, struct proc *p)
{
	char path[40], text[4096];
	__u32 exec, uid;

	snprintf(path, sizeof(path), "/proc/%u/status", p->pid);
	if (vmmprof_procfile_read(path, text, sizeof(text)) < 0 ||
	    !status_number(text, "\nUid:", 1, &uid) ||
	    !start_time(p->pid, &p->since))
		return false;
	p->uid = uid;
	if (!status_number(text, "\nNSpid:", -1, &p->ns_pid))
		p->ns_pid = p->pid;
	exec = vmmprof_hash_get(&jm->execs, p->pid);
	if (exec != VMMPROF_NONE && exec > p->since)
		p->since = exec;
	snprintf(path, sizeof(path), "/proc/%u/root", p->pid);
	p->root = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	return p->root >= 0;
}

static struct proc *find(struct vmmprof_jitmap *jm, __u32 pid)
{
	size_t i;

	for (i = jm->nr; i > 0; i--)
		if (jm->procs[i - 1].pid == pid)
			return &jm->procs[i - 1];
	return NULL;
}

/* No more than the limits: said once. */
static void say_full(struct vmmprof_jitmap *jm, const char *what)
{
	if (!jm->full)
		vmmprof_item_note(
			jm->w,
			"JIT code is not named in full: too much of it (%s)",
			what);
	jm->full = true;
}

int vmmprof_jitmap_process(struct vmmprof_jitmap *jm, __u32 pid, __u64 ns)
{
	struct proc p = { .pid = pid, .ns = ns };

	if (find(jm, pid))
		return 0;
	if (jm->nr == PROCS_MAX) {
		say_full(jm, "processes");
		return 0;
	}
	if (identify(jm, &p))
		jm->procs[jm->nr++] = p;
	return 0;
}

/*
 * A regular file of the process's user or root, last written while the
 * process ran, at @path below its root; a descriptor or -errno.
 */
static int open_own(const struct proc *p, const char *path, __u64 ino)
{
	struct open_how how = {
		.flags = O_PATH | O_NOFOLLOW | O_CLOEXEC,
		.resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS,
	};
	int fd = syscall(SYS_openat2, p->root, path, &how, sizeof(how));
	char link[40];
	struct stat st;
	int ret;

	if (fd < 0)
		return -errno;
	if (fstat(fd, &st) || !S_ISREG(st.st_mode) ||
	    (st.st_uid && st.st_uid != p->uid) ||
	    st.st_mtime + CLOCK_SLACK < p->since || (ino && st.st_ino != ino)) {
		close(fd);
		return -ESTALE;
	}
	/* Not by its path again: it may be another file by now. */
	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	ret = open(link, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	ret = ret < 0 ? -errno : ret;
	close(fd);
	return ret;
}

int vmmprof_jitmap_dump(struct vmmprof_jitmap *jm, __u32 pid, __u64 ns,
			const char *path, __u64 ino)
{
	int err = vmmprof_jitmap_process(jm, pid, ns), fd;
	struct proc *p = find(jm, pid);

	if (err || !p || p->has_dump)
		return err;
	fd = open_own(p, path, ino);
	if (fd < 0)
		return 0;
	err = vmmprof_jitfile_init(&p->dump, fd, true);
	p->has_dump = !err;
	if (err)
		close(fd);
	return err;
}

static int open_map(struct proc *p)
{
	char path[40];
	int fd, err;

	snprintf(path, sizeof(path), "/tmp/perf-%u.map", p->ns_pid);
	fd = open_own(p, path, 0);
	if (fd < 0)
		return 0;
	err = vmmprof_jitfile_init(&p->map, fd, false);
	p->has_map = !err;
	if (err)
		close(fd);
	return err;
}

/* What put() needs: one process at one look. */
struct look {
	struct vmmprof_jitmap *jm;
	const struct proc *p;
	__u64 now;
};

static int put(void *arg, const struct vmmprof_jit_code *code)
{
	const struct look *l = arg;
	struct vmmprof_maps_jit item = {
		.addr = code->addr,
		.size = code->size,
		.pid = l->p->pid,
		.source = VMMPROF_JIT_PERF_MAP,
	};

	if (l->jm->items >= ITEMS_MAX) {
		say_full(l->jm, "functions");
		return 0;
	}
	l->jm->items++;
	item.ns = code->fresh ? l->now : l->p->ns;
	if (code->stamped) {
		item.ns = code->ns;
		item.source = VMMPROF_JIT_DUMP;
	}
	return vmmprof_item_put(l->jm->w, VMMPROF_MAPS_JIT, &item, sizeof(item),
				code->name, strlen(code->name) + 1);
}

/* A jitdump says all that a map does, and since when. */
static int look_at(struct vmmprof_jitmap *jm, struct proc *p, __u64 limit,
		   __u64 now)
{
	struct look l = { jm, p, now };
	int err = 0;

	if (p->has_dump)
		err = vmmprof_jitfile_look(&p->dump, limit, put, &l);
	if (!err && p->has_dump && p->dump.pos)
		return 0;
	if (!err && !p->has_map)
		err = open_map(p);
	if (!err && p->has_map)
		err = vmmprof_jitfile_look(&p->map, limit, put, &l);
	/* A file that cannot be read costs its names only. */
	return err == -ENOMEM ? err : jm->w->err;
}

int vmmprof_jitmap_end(struct vmmprof_jitmap *jm, __u32 pid, __u64 ns)
{
	struct proc *p = find(jm, pid);
	__s64 real = clock_ns(CLOCK_REALTIME) - clock_ns(CLOCK_MONOTONIC);
	int err;

	/* Rings are read one after the other: this may be an old event. */
	if (!p || p->ns >= ns)
		return 0;
	err = look_at(jm, p, VMMPROF_JIT_FILE_MAX, ns - 1);
	release(p);
	*p = jm->procs[--jm->nr];
	if (!err)
		err = vmmprof_hash_set(&jm->execs, pid,
				       (real + (__s64)ns) / 1000000000);
	return err;
}

int vmmprof_jitmap_look(struct vmmprof_jitmap *jm, bool all)
{
	__u64 now = clock_ns(CLOCK_MONOTONIC);
	__u64 limit = all ? VMMPROF_JIT_FILE_MAX : LOOK_MAX;
	size_t i;
	int err = 0;

	for (i = 0; !err && i < jm->nr; i++)
		err = look_at(jm, &jm->procs[i], limit, now);
	return err;
}
