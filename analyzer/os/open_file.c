// SPDX-License-Identifier: GPL-2.0-only
/* Opens files that a process has mapped, and no others. */

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "os/open_file.h"

int reopen_regular(int fd)
{
	char link[40];
	struct stat st;
	int ret;

	if (fd < 0)
		return -errno;
	if (fstat(fd, &st) || !S_ISREG(st.st_mode)) {
		close(fd);
		return -ENOEXEC;
	}
	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	ret = open(link, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (ret < 0)
		ret = -errno;
	close(fd);
	return ret;
}

int open_in_root(__u32 pid, const char *path)
{
	struct open_how how = {
		.flags = O_PATH | O_CLOEXEC,
		.resolve = RESOLVE_IN_ROOT,
	};
	char root[40];
	int dir, fd;

	snprintf(root, sizeof(root), "/proc/%u/root", pid);
	dir = open(root, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (dir < 0)
		return -errno;
	fd = syscall(SYS_openat2, dir, path, &how, sizeof(how));
	fd = reopen_regular(fd);
	close(dir);
	return fd;
}

int open_mapped_file(__u32 pid, __u64 start, __u64 end, const char *path,
		     unsigned int which)
{
	char link[80];

	if (!which) {
		snprintf(link, sizeof(link), "/proc/%u/map_files/%llx-%llx",
			 pid, start, end);
		path = link;
	} else if (path[0] != '/') {
		return -ENOENT;
	}
	if (which == 1)
		return open_in_root(pid, path);
	return reopen_regular(open(path, O_PATH | O_CLOEXEC));
}
