// SPDX-License-Identifier: GPL-2.0-only
/* Finds files that a process may have written about its code. */

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/clock.h"
#include "os/jit_owner.h"
#include "os/proc_file.h"

#define CLOCK_SLACK 2 /* s: a file may seem this much too old */

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
	__u64 began;
	__s64 ns;

	if (proc_file_began("", pid, &began))
		return false;
	ns = began + clock_ns(CLOCK_REALTIME) - clock_ns(CLOCK_BOOTTIME);
	*ret = ns / 1000000000;
	return true;
}

bool jit_owner_find(__u32 pid, time_t exec, struct jit_owner *p)
{
	char path[40], text[4096];
	__u32 uid;

	snprintf(path, sizeof(path), "/proc/%u/status", pid);
	if (proc_file_read(path, text, sizeof(text)) < 0 ||
	    !status_number(text, "\nUid:", 1, &uid) ||
	    !start_time(pid, &p->since))
		return false;
	p->uid = uid;
	if (!status_number(text, "\nNSpid:", -1, &p->ns_pid))
		p->ns_pid = pid;
	if (exec > p->since)
		p->since = exec;
	snprintf(path, sizeof(path), "/proc/%u/root", pid);
	p->root = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	return p->root >= 0;
}

int jit_owner_open(const struct jit_owner *p, const char *path, __u64 ino)
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
	/* Not by its path again: another file may be there by now. */
	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	ret = open(link, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	ret = ret < 0 ? -errno : ret;
	close(fd);
	return ret;
}
