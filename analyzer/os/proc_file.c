// SPDX-License-Identifier: GPL-2.0-only
/* Small files of /proc and /sys, read whole. */

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/io.h"
#include "os/proc_file.h"

ssize_t proc_file_read(const char *path, char *buf, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	ssize_t n;

	if (fd < 0)
		return -errno;
	n = io_read(fd, buf, size - 1);
	close(fd);
	buf[n < 0 ? 0 : n] = '\0';
	return n;
}

ssize_t proc_file_line(const char *path, char *buf, size_t size)
{
	ssize_t n = proc_file_read(path, buf, size);

	if (n < 0)
		return n;
	buf[strcspn(buf, "\n")] = '\0';
	return strlen(buf);
}

int proc_file_began(const char *root, __u32 pid, __u64 *ns)
{
	char path[PATH_MAX], text[1024], *p;
	unsigned long long ticks;
	ssize_t n;

	snprintf(path, sizeof(path), "%s/proc/%u/stat", root, pid);
	n = proc_file_read(path, text, sizeof(text));
	if (n < 0)
		return n;
	p = strrchr(text, ')');
	if (!p ||
	    sscanf(p + 1,
		   " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %*d %*d %llu",
		   &ticks) != 1)
		return -EINVAL;
	*ns = ticks * (1000000000ULL / sysconf(_SC_CLK_TCK));
	return 0;
}
