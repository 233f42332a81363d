// SPDX-License-Identifier: GPL-2.0-only
/* Small files of /proc and /sys, read whole. */

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "os/proc_file.h"

ssize_t proc_file_read(const char *path, char *buf, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	size_t used = 0;
	ssize_t n = 0;

	if (fd < 0)
		return -errno;
	while (used < size - 1) {
		n = read(fd, buf + used, size - 1 - used);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			break;
		used += n;
	}
	if (n < 0)
		n = -errno;
	close(fd);
	buf[used] = '\0';
	return n < 0 ? n : (ssize_t)used;
}

ssize_t proc_file_line(const char *path, char *buf, size_t size)
{
	ssize_t n = proc_file_read(path, buf, size);

	if (n < 0)
		return n;
	buf[strcspn(buf, "\n")] = '\0';
	return strlen(buf);
}
