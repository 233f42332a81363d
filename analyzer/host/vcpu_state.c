// SPDX-License-Identifier: GPL-2.0-only
/*
 * A vCPU's thread as /proc shows it.
 *
 * A vCPU is halted if its thread sleeps in kvm_vcpu_halt(), which KVM calls
 * only with mp_state HALTED (virt/kvm/kvm_main.c, since 5.17).  Older kernels
 * have only kvm_vcpu_block(), in which a vCPU that was never started sleeps,
 * too.
 */

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <x86intrin.h>

#include "os/proc_file.h"
#include "host/vcpu_state.h"

#define CGROUP_ROOT "/sys/fs/cgroup"
#define STATE_TRIES 3

struct thread {
	const char *root;
	__u32 pid, tid;
};

static ssize_t read_task(const struct thread *t, const char *file, char *buf,
			 size_t size)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/proc/%u/task/%u/%s", t->root, t->pid,
		 t->tid, file);
	return proc_file_read(path, buf, size);
}

/*
 * The state letter of /proc/TID/stat, after a name of any bytes; 0: it ended.
 */
static char state_letter(const struct thread *t)
{
	char text[1024], *end;

	if (read_task(t, "stat", text, sizeof(text)) <= 0)
		return 0;
	end = strrchr(text, ')');
	return end && end[1] == ' ' ? end[2] : 0;
}

static bool sleeps(char letter)
{
	return letter && strchr("SDITt", letter);
}

/* Does this kernel's KVM have a function of its own for halting? */
static bool has_halt(const char *root)
{
	unsigned int major = 0, minor = 0;
	char path[PATH_MAX], text[128];

	snprintf(path, sizeof(path), "%s/proc/sys/kernel/osrelease", root);
	if (proc_file_line(path, text, sizeof(text)) < 0 ||
	    sscanf(text, "%u.%u", &major, &minor) != 2)
		return true;
	return major > 5 || (major == 5 && minor >= 17);
}

/* In which function a sleeping thread sleeps. */
static enum vmmprof_vcpu_sleep where_asleep(const struct thread *t)
{
	char text[8192];

	if (read_task(t, "stack", text, sizeof(text)) <= 0)
		return VMMPROF_VCPU_UNKNOWN;
	if (strstr(text, " kvm_vcpu_halt+"))
		return VMMPROF_VCPU_HALTED;
	if (strstr(text, " kvm_vcpu_block+") && !has_halt(t->root))
		return VMMPROF_VCPU_HALTED;
	return VMMPROF_VCPU_ASLEEP;
}

/* Reads both files again if the thread woke up between them. */
static int read_state(const struct thread *t, __u32 *state)
{
	unsigned int i;
	char letter;

	for (i = 0; i < STATE_TRIES; i++) {
		letter = state_letter(t);
		if (!letter)
			return -ENOENT;
		*state = VMMPROF_VCPU_UNKNOWN;
		if (letter == 'R')
			*state = VMMPROF_VCPU_RUNNABLE;
		if (!sleeps(letter))
			return 0;
		*state = where_asleep(t);
		if (sleeps(state_letter(t)))
			return 0;
	}
	*state = VMMPROF_VCPU_UNKNOWN;
	return 0;
}

/* Adds what one cgroup's cpu.stat says, if it has one. */
static void add_throttled(const char *dir, struct vmmprof_info_vcpu_state *item)
{
	char path[PATH_MAX + 16], text[2048], *line, *next;

	snprintf(path, sizeof(path), "%s/cpu.stat", dir);
	if (proc_file_read(path, text, sizeof(text)) < 0)
		return;
	for (line = text; line; line = next) {
		uint64_t value;

		next = strchr(line, '\n');
		if (next)
			*next++ = '\0';
		if (sscanf(line, "nr_throttled %" SCNu64, &value) == 1)
			item->nr_throttled += value;
		else if (sscanf(line, "throttled_usec %" SCNu64, &value) == 1)
			item->throttled_ns += value * 1000;
		else if (sscanf(line, "throttled_time %" SCNu64, &value) == 1)
			item->throttled_ns += value;
	}
}

/* Is "cpu" among controllers separated by commas? */
static bool has_cpu(const char *list)
{
	for (; *list; list += strcspn(list, ","), list += *list == ',')
		if (strcspn(list, ",") == 3 && !strncmp(list, "cpu", 3))
			return true;
	return false;
}

/*
 * The mount and the path of the cgroup that rules the CPU time, out of the
 * text of /proc/TID/cgroup, changed in place: of version 1 if the controller
 * is there, else of version 2.  NULL: none.
 */
static char *choose_group(char *text, const char **mount)
{
	char *line, *next, *list, *path, *v2 = NULL;

	for (line = text; line && *line; line = next) {
		next = strchr(line, '\n');
		if (next)
			*next++ = '\0';
		list = strchr(line, ':');
		path = list ? strchr(list + 1, ':') : NULL;
		if (!path)
			continue;
		*path++ = '\0';
		if (!strcmp(line, "0:")) {
			v2 = path;
		} else if (has_cpu(list + 1)) {
			*mount = CGROUP_ROOT "/cpu";
			return path;
		}
	}
	*mount = CGROUP_ROOT;
	return v2;
}

/* The quotas of all cgroups above apply, too. */
static void read_throttled(const struct thread *t,
			   struct vmmprof_info_vcpu_state *item)
{
	char text[4096], dir[PATH_MAX], *path, *slash;
	const char *mount;

	if (read_task(t, "cgroup", text, sizeof(text)) <= 0)
		return;
	path = choose_group(text, &mount);
	/* a path with /.. is outside of our cgroup namespace */
	if (!path || *path != '/' || strstr(path, "/../"))
		return;
	while (path[1]) {
		snprintf(dir, sizeof(dir), "%s%s%s", t->root, mount, path);
		add_throttled(dir, item);
		slash = strrchr(path, '/');
		slash[slash == path] = '\0';
	}
}

static void read_schedstat(const struct thread *t,
			   struct vmmprof_info_vcpu_state *item)
{
	uint64_t run, delay, slices;
	char text[128];

	item->tsc = __rdtsc();
	if (read_task(t, "schedstat", text, sizeof(text)) <= 0 ||
	    sscanf(text, "%" SCNu64 " %" SCNu64 " %" SCNu64, &run, &delay,
		   &slices) != 3)
		return;
	item->run_ns = run;
	item->delay_ns = delay;
	item->slices = slices;
}

int vcpu_state_read(const char *root, __u32 pid, __u32 tid,
		    struct vmmprof_info_vcpu_state *item)
{
	const struct thread t = { root, pid, tid };
	int ret;

	memset(item, 0, sizeof(*item));
	item->pid = pid;
	item->tid = tid;
	read_throttled(&t, item);
	ret = read_state(&t, &item->state);
	if (!ret)
		read_schedstat(&t, item);
	return ret;
}
