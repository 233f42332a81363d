// SPDX-License-Identifier: GPL-2.0-only
/* Small files of /proc and /sys, read whole. */

#include <errno.h>
#include <fcntl.h>
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
