// SPDX-License-Identifier: GPL-2.0-only
/*
 * Writes processes and executable mappings: from /proc once, from events as
 * they come.
 */

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>
#include <time.h>
#include <unistd.h>

#include <vmmprof/record.h>

#include "base/clock.h"
#include "os/cgroups.h"
#include "os/jit_dump.h"
#include "os/jit_map.h"
#include "os/map_files.h"
#include "os/proc_file.h"
#include "os/proc_maps.h"
#include "os/symbol_budget.h"

#define PF_KTHREAD   0x00200000
#define CMDLINE_MAX  512
#define KTHREADD_PID 2
#define TICK_NS	     1000000000ULL
#define MAX_MOVERS   256
#define SCAN_MS	     5000  /* a scan waits for symbols */
#define LAST_MS	     30000 /* and the end */

struct proc_maps {
	struct item_writer *w;
	struct symbol_budget budget;
	struct map_files *files;
	struct jit_map *jit;
	struct cgroups *cgroups;
	__u64 last_tick; /* CLOCK_MONOTONIC ns */
	/* that made memory executable while watched: perhaps moved text */
	__u32 movers[MAX_MOVERS];
	unsigned int nr_movers;
	struct proc_maps_stat stat;
	__u64 last_scan; /* CLOCK_MONOTONIC ns, 0: none yet */
};

/* What /proc/PID/stat says. */
struct proc {
	__u32 pid;
	__u32 ppid;
	bool kthread;
	bool zombie;
	__u64 start_ns; /* CLOCK_MONOTONIC, 0: before boot's clocks */
	char comm[16];
};

/* A line of /proc/PID/maps: 1 executable, 0 not, -EINVAL.  Changes @line. */
static int parse_maps_line(char *line, struct mmap_event *ret)
{
	unsigned int major, minor;
	unsigned long long start, end, pgoff, ino;
	char perms[5], *from, *to;
	int path = 0;

	memset(ret, 0, sizeof(*ret));
	if (sscanf(line, "%llx-%llx %4s %llx %x:%x %llu %n", &start, &end,
		   perms, &pgoff, &major, &minor, &ino, &path) != 7 ||
	    !path || end <= start || strlen(perms) != 4)
		return -EINVAL;
	/* The kernel writes a newline in a path as \012. */
	for (from = to = line + path; *from && *from != '\n'; to++) {
		if (!strncmp(from, "\\012", 4)) {
			*to = '\n';
			from += 4;
		} else {
			*to = *from++;
		}
	}
	*to = '\0';
	ret->start = start;
	ret->end = end;
	ret->pgoff = pgoff;
	ret->dev = makedev(major, minor);
	ret->ino = ino;
	ret->path = line + path;
	return perms[2] == 'x';
}

/* Text of /proc/PID/stat; a comm may hold spaces and parentheses. */
static int parse_stat(const char *text, struct proc *ret)
{
	const char *open = strchr(text, '('), *close = strrchr(text, ')');
	unsigned long long start;
	unsigned int flags;
	size_t len;
	char state;

	memset(ret, 0, sizeof(*ret));
	if (!open || !close || close < open)
		return -EINVAL;
	if (sscanf(text, "%u", &ret->pid) != 1 ||
	    sscanf(close + 1,
		   " %c %u %*d %*d %*d %*d %u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %*d %*d %llu",
		   &state, &ret->ppid, &flags, &start) != 4)
		return -EINVAL;
	len = close - open - 1;
	memcpy(ret->comm, open + 1,
	       len < sizeof(ret->comm) ? len : sizeof(ret->comm) - 1);
	ret->kthread = flags & PF_KTHREAD;
	ret->zombie = state == 'Z';
	ret->start_ns = start * (1000000000ULL / sysconf(_SC_CLK_TCK));
	return 0;
}

/* Arguments joined by spaces.  Returns the length with its NUL. */
static size_t read_cmdline(__u32 pid, char *buf, size_t size)
{
	char path[40];
	ssize_t n, i;

	snprintf(path, sizeof(path), "/proc/%u/cmdline", pid);
	n = proc_file_read(path, buf, size);
	if (n < 0)
		n = 0;
	while (n && !buf[n - 1])
		n--;
	for (i = 0; i < n; i++)
		if (!buf[i])
			buf[i] = ' ';
	buf[n] = '\0';
	return n + 1;
}

static int put_proc(struct proc_maps *pm, __u64 ns, enum vmmprof_op op,
		    const struct proc *p)
{
	struct vmmprof_maps_proc item = {
		.ns = ns,
		.op = op,
		.pid = p->pid,
		.ppid = p->ppid,
		.flags = p->kthread ? VMMPROF_PROC_F_KTHREAD : 0,
	};
	char cmdline[CMDLINE_MAX];
	size_t len = 1;

	cmdline[0] = '\0';
	memcpy(item.comm, p->comm, sizeof(item.comm));
	/* Not at each exec: that would be the largest part of the costs. */
	if (!p->kthread && op == VMMPROF_OP_SNAP)
		len = read_cmdline(p->pid, cmdline, sizeof(cmdline));
	return item_put(pm->w, VMMPROF_MAPS_PROC, &item, sizeof(item), cmdline,
			len);
}

int proc_maps_proc(struct proc_maps *pm, __u64 ns, enum vmmprof_op op,
		   __u32 pid, __u32 ppid, const char *comm)
{
	struct proc p = {
		.pid = pid,
		.ppid = ppid,
		.kthread = op == VMMPROF_OP_FORK && ppid == KTHREADD_PID,
	};
	int err = 0;

	if (op == VMMPROF_OP_EXEC || op == VMMPROF_OP_DROP)
		err = jit_map_end(pm->jit, pid, ns);
	if (op == VMMPROF_OP_EXEC)
		cgroups_exec(pm->cgroups, pid);
	else if (op == VMMPROF_OP_DROP)
		cgroups_gone(pm->cgroups, pid);
	else if (op == VMMPROF_OP_FORK && !p.kthread)
		err = cgroups_fork(pm->cgroups, pid, ppid);
	if (err)
		return err;
	memcpy(p.comm, comm, strnlen(comm, sizeof(p.comm) - 1));
	return put_proc(pm, ns, op, &p);
}

/* Code that the process made, and a jitdump that describes it. */
static int note_jit(struct proc_maps *pm, const struct mmap_event *ev,
		    bool of_file)
{
	if (jit_dump_path(ev->path))
		return jit_map_dump(pm->jit, ev->pid, ev->ns, ev->path,
				    ev->ino);
	if (!of_file || !strncmp(ev->path, "/memfd:", 7))
		return jit_map_process(pm->jit, ev->pid, ev->ns);
	return 0;
}

static int put_map(struct proc_maps *pm, const struct mmap_event *ev,
		   bool *of_file)
{
	int err;

	*of_file = false;
	/* [vsyscall]: a kernel address in everybody's list */
	if (ev->start >> 63)
		return 0;
	err = map_files_map(pm->files, ev, of_file);
	pm->stat.maps++;
	return err ?: note_jit(pm, ev, *of_file);
}

int proc_maps_mmap(struct proc_maps *pm, const struct mmap_event *ev)
{
	unsigned int i;
	bool of_file;
	int err = put_map(pm, ev, &of_file);

	if (err || of_file)
		return err;
	for (i = 0; i < pm->nr_movers; i++)
		if (pm->movers[i] == ev->pid)
			return 0;
	if (pm->nr_movers < MAX_MOVERS)
		pm->movers[pm->nr_movers++] = ev->pid;
	return 0;
}

/*
 * Text that was copied to anonymous (huge) pages: both neighbours are of one
 * file, and what is missing of it between them is as long as @anon.
 */
static bool is_remapped(const struct mmap_event *before,
			const struct mmap_event *anon,
			const struct mmap_event *after)
{
	return !anon->ino && !anon->path[0] && before->ino &&
	       before->ino == after->ino && before->dev == after->dev &&
	       before->end == anon->start && anon->end == after->start &&
	       after->pgoff - before->pgoff == after->start - before->start &&
	       !strcmp(before->path, after->path);
}

/*
 * Lines of a maps file: whether text was moved shows only with the next line.
 */
struct scan {
	struct {
		char *line;
		size_t size;
		struct mmap_event ev;
		int exec; /* 1: yes, else not, or no line */
	} at[3];	  /* before, last, next */
};

/*
 * Write the last line, if it is executable; then move on by one.  @moved: only
 * text that was moved to memory.
 */
static int scan_step(struct proc_maps *pm, struct scan *s, bool moved)
{
	struct mmap_event ev = s->at[1].ev;
	typeof(s->at[0]) first = s->at[0];
	bool wanted = !moved, of_file;
	int err = 0;

	if (s->at[1].exec == 1) {
		if (s->at[0].exec >= 0 && s->at[2].exec >= 0 &&
		    is_remapped(&s->at[0].ev, &ev, &s->at[2].ev)) {
			ev.dev = s->at[0].ev.dev;
			ev.ino = s->at[0].ev.ino;
			ev.path = s->at[0].ev.path;
			ev.pgoff = s->at[0].ev.pgoff +
				   (ev.start - s->at[0].ev.start);
			wanted = true;
		}
		if (wanted)
			err = put_map(pm, &ev, &of_file);
	}
	s->at[0] = s->at[1];
	s->at[1] = s->at[2];
	s->at[2] = first;
	s->at[2].exec = -1;
	return err;
}

/* The maps file @path of process @pid; returns lines seen or -errno. */
static int scan_maps(struct proc_maps *pm, const char *path, __u32 pid,
		     __u64 ns, bool moved)
{
	struct scan s = {
		.at = { { .exec = -1 }, { .exec = -1 }, { .exec = -1 } }
	};
	FILE *f = fopen(path, "re");
	int err = 0, lines = 0, i;

	if (!f)
		return -errno;
	while (!err && getline(&s.at[2].line, &s.at[2].size, f) > 0) {
		lines++;
		s.at[2].exec = parse_maps_line(s.at[2].line, &s.at[2].ev);
		s.at[2].ev.pid = pid;
		s.at[2].ev.ns = ns;
		err = scan_step(pm, &s, moved);
	}
	if (!err)
		err = scan_step(pm, &s, moved);
	for (i = 0; i < 3; i++)
		free(s.at[i].line);
	fclose(f);
	/* Only the writer's errors and lack of memory get here. */
	return err ?: lines;
}

/*
 * A thread group leader that has exited shows no maps: read those of a thread
 * that is left.
 */
static int scan_threads(struct proc_maps *pm, __u32 pid, __u64 ns)
{
	char path[300];
	struct dirent *d;
	int n = 0;
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%u/task", pid);
	dir = opendir(path);
	if (!dir)
		return 0;
	while (n <= 0 && !pm->w->err && (d = readdir(dir))) {
		if (!isdigit((unsigned char)d->d_name[0]))
			continue;
		snprintf(path, sizeof(path), "/proc/%u/task/%s/maps", pid,
			 d->d_name);
		n = scan_maps(pm, path, pid, ns, false);
	}
	closedir(dir);
	return n == -ENOMEM ? n : pm->w->err;
}

static int scan_proc(struct proc_maps *pm, __u32 pid, __u64 now)
{
	char path[40], text[1024];
	struct proc p;
	__u64 since = 0;
	int n;

	snprintf(path, sizeof(path), "/proc/%u/stat", pid);
	if (proc_file_read(path, text, sizeof(text)) < 0 ||
	    parse_stat(text, &p))
		return 0;
	n = put_proc(pm, now, VMMPROF_OP_SNAP, &p);
	if (n)
		return n;
	if (p.kthread) {
		pm->stat.kthreads++;
		return 0;
	}
	pm->stat.procs++;
	n = cgroups_read(pm->cgroups, pid, p.ppid, now);
	if (n)
		return n;
	if (pm->last_scan) {
		/* The start time is on the clock that counts suspension. */
		__u64 slept = clock_ns(CLOCK_BOOTTIME) - clock_now();

		since = p.start_ns > slept ? p.start_ns - slept : 0;
		if (since < pm->last_scan)
			since = pm->last_scan;
	}
	if (p.zombie)
		return scan_threads(pm, pid, since);
	snprintf(path, sizeof(path), "/proc/%u/maps", pid);
	n = scan_maps(pm, path, pid, since, false);
	if (n == -EACCES || n == -EPERM)
		pm->stat.denied++;
	return n == -ENOMEM ? n : pm->w->err;
}

int proc_maps_scan(struct proc_maps *pm)
{
	__u64 now = clock_now();
	DIR *dir = opendir("/proc");
	struct dirent *d;
	int err = 0;

	if (!dir)
		return -errno;
	pm->stat.procs = 0;
	pm->stat.kthreads = 0;
	pm->stat.denied = 0;
	while (!err && (d = readdir(dir)))
		if (isdigit((unsigned char)d->d_name[0]))
			err = scan_proc(pm, strtoul(d->d_name, NULL, 10), now);
	closedir(dir);
	pm->last_scan = now;
	return err ?: map_files_run(pm->files, SCAN_MS);
}

int proc_maps_ksym(struct proc_maps *pm, __u64 ns, __u64 addr, __u32 len,
		   bool gone, const char *name)
{
	const struct vmmprof_maps_ksym item = {
		.ns = ns,
		.addr = addr,
		.len = len,
		.flags = gone ? VMMPROF_KSYM_F_GONE : 0,
	};

	return item_put(pm->w, VMMPROF_MAPS_KSYM, &item, sizeof(item), name,
			strlen(name) + 1);
}

/*
 * Memory that became executable may be text that was moved to huge pages, which
 * an event does not tell: read all mappings again.
 */
static int look_for_moved(struct proc_maps *pm, __u64 now)
{
	char path[40];
	unsigned int i;
	int n = 0;

	for (i = 0; i < pm->nr_movers && n != -ENOMEM && !pm->w->err; i++) {
		snprintf(path, sizeof(path), "/proc/%u/maps", pm->movers[i]);
		n = scan_maps(pm, path, pm->movers[i], now, true);
	}
	pm->nr_movers = 0;
	return n == -ENOMEM ? n : pm->w->err;
}

/* Notes which files and processes were left out for the limits. */
static int note_left(struct proc_maps *pm)
{
	int err = symbol_budget_note(&pm->budget, pm->w);

	return err ? err : item_over(pm->w);
}

int proc_maps_tick(struct proc_maps *pm, bool last)
{
	__u64 now = clock_now();
	int err = 0;

	if (!last && now - pm->last_tick < TICK_NS)
		return 0;
	pm->last_tick = now;
	if (last)
		err = look_for_moved(pm, now);
	err = err ?: cgroups_look(pm->cgroups, now);
	err = err ?: jit_map_look(pm->jit, last);
	if (last)
		err = err ?: map_files_end(pm->files, LAST_MS);
	if (last)
		err = err ?: note_left(pm);
	return err;
}

int proc_maps_run(struct proc_maps *pm, unsigned int ms)
{
	return map_files_run(pm->files, ms) ?: jit_map_run(pm->jit);
}

int proc_maps_pollfds(const struct proc_maps *pm, struct pollfd *fds, int max)
{
	if (max > 0)
		jit_map_pollfd(pm->jit, fds);
	return 1 + map_files_pollfds(pm->files, fds + 1, max - 1);
}

void proc_maps_left(const struct proc_maps *pm, char *buf, size_t size)
{
	symbol_budget_say(&pm->budget, buf, size);
	if (pm->w->over)
		snprintf(
			buf, size,
			"%llu processes, mappings and symbols are left out: the file would be too large to be read",
			pm->w->over);
}

/* Find our own [vdso] and give it to the files. */
/* Calls @with with our own [vdso]. */
static int with_vdso(struct proc_maps *pm,
		     int (*with)(struct map_files *files, const void *image,
				 size_t size))
{
	FILE *f = fopen("/proc/self/maps", "re");
	struct mmap_event ev;
	char line[4300];
	int err = 0;

	if (!f)
		return -errno;
	while (fgets(line, sizeof(line), f))
		if (parse_maps_line(line, &ev) == 1 &&
		    !strcmp(ev.path, "[vdso]"))
			err = with(pm->files, (void *)ev.start,
				   ev.end - ev.start);
	fclose(f);
	return err;
}

int proc_maps_create(struct item_writer *w, const struct symlimits *limits,
		     struct proc_maps **ret)
{
	struct proc_maps *pm = calloc(1, sizeof(*pm));
	int err;

	if (!pm)
		return -ENOMEM;
	pm->w = w;
	w->limit = limits->written;
	symbol_budget_init(&pm->budget, limits);
	err = jit_map_create(w, &pm->budget, &pm->jit);
	if (!err)
		err = cgroups_create(w, &pm->cgroups);
	if (!err)
		err = map_files_create(w, &pm->stat, &pm->budget, &pm->files);
	if (!err)
		err = with_vdso(pm, map_files_vdso);
	if (err) {
		proc_maps_destroy(pm);
		return err;
	}
	*ret = pm;
	return 0;
}

int proc_maps_have(struct proc_maps *pm, const void *build_ids, size_t n)
{
	return map_files_have(pm->files, build_ids, n);
}

void proc_maps_sparing(struct proc_maps *pm)
{
	map_files_sparing(pm->files);
}

int proc_maps_unwind(struct proc_maps *pm)
{
	map_files_unwind(pm->files);
	return with_vdso(pm, map_files_unwind_vdso);
}

void proc_maps_destroy(struct proc_maps *pm)
{
	if (!pm)
		return;
	map_files_destroy(pm->files);
	jit_map_destroy(pm->jit);
	cgroups_destroy(pm->cgroups);
	symbol_budget_deinit(&pm->budget);
	free(pm);
}

void proc_maps_stat(const struct proc_maps *pm, struct proc_maps_stat *ret)
{
	*ret = pm->stat;
}
