// SPDX-License-Identifier: GPL-2.0-only
/* Loops around system calls that may do a part of what is asked. */

#include <errno.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

#include "base/io.h"

/* @at: offset in the file; -1: its current position. */
static ssize_t read_at(int fd, char *buf, size_t size, off_t at)
{
	size_t done = 0;
	ssize_t n;

	while (done < size) {
		n = at < 0 ? read(fd, buf + done, size - done) :
			     pread(fd, buf + done, size - done, at + done);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		if (!n)
			break;
		done += n;
	}
	return done;
}

ssize_t io_read(int fd, void *buf, size_t size)
{
	return read_at(fd, buf, size, -1);
}

ssize_t io_pread(int fd, void *buf, size_t size, off_t at)
{
	return at < 0 ? -EINVAL : read_at(fd, buf, size, at);
}

int io_own(int fd)
{
	struct stat st;

	if (fstat(fd, &st))
		return -errno;
	return st.st_uid != geteuid() || st.st_mode & 022 ? -EPERM : 0;
}

int io_write(int fd, const void *buf, size_t size)
{
	const char *p = buf;
	ssize_t n;

	while (size) {
		n = write(fd, p, size);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n ? -errno : -EIO;
		p += n;
		size -= n;
	}
	return 0;
}

int io_stream(FILE *f)
{
	if (!ferror(f))
		return 0;
	return errno ? -errno : -EIO;
}

int io_flush(FILE *f)
{
	return fflush(f) ? -errno : io_stream(f);
}

/* What a call for a socket failed by. */
static int socket_error(void)
{
	if (errno == EAGAIN)
		return -ETIMEDOUT;
	return errno == ECONNRESET ? -EPIPE : -errno;
}

int io_recv(int fd, void *buf, size_t size)
{
	char *p = buf;
	ssize_t n;

	while (size) {
		n = recv(fd, p, size, 0);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n ? socket_error() : -EPIPE;
		p += n;
		size -= n;
	}
	return 0;
}

int io_send(int fd, const void *buf, size_t size)
{
	const char *p = buf;
	ssize_t n;

	while (size) {
		n = send(fd, p, size, MSG_NOSIGNAL);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return socket_error();
		p += n;
		size -= n;
	}
	return 0;
}

int io_limit(int fd, unsigned int seconds)
{
	const struct timeval t = { .tv_sec = seconds };

	if (setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &t, sizeof(t)) ||
	    setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &t, sizeof(t)))
		return -errno;
	return 0;
}

int io_copy(int from, int to, __u64 size)
{
	char buf[65536];
	__u64 at;
	ssize_t n;

	for (at = 0; at < size; at += n) {
		n = size - at < sizeof(buf) ? size - at : sizeof(buf);
		n = pread(from, buf, n, at);
		if (n <= 0)
			return n ? -errno : -ENODATA;
		errno = 0;
		if (pwrite(to, buf, n, at) != n)
			return errno ? -errno : -ENOSPC;
	}
	return 0;
}
