// SPDX-License-Identifier: GPL-2.0-only
/* Messages with SCM_RIGHTS. */

#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "sandbox/fd_pass.h"

union control {
	char buf[CMSG_SPACE(sizeof(int))];
	struct cmsghdr align;
};

int fdpass_send(int sock, const void *data, size_t size, int fd)
{
	union control u = { .buf = { 0 } };
	struct iovec iov = { (void *)data, size };
	struct msghdr msg = { .msg_iov = &iov, .msg_iovlen = 1 };
	struct cmsghdr *c;

	if (fd >= 0) {
		msg.msg_control = u.buf;
		msg.msg_controllen = sizeof(u.buf);
		c = CMSG_FIRSTHDR(&msg);
		c->cmsg_level = SOL_SOCKET;
		c->cmsg_type = SCM_RIGHTS;
		c->cmsg_len = CMSG_LEN(sizeof(int));
		memcpy(CMSG_DATA(c), &fd, sizeof(fd));
	}
	return sendmsg(sock, &msg, MSG_NOSIGNAL) < 0 ? -errno : 0;
}

ssize_t fdpass_receive(int sock, void *data, size_t size, int flags, int *fd)
{
	union control u;
	struct iovec iov = { data, size };
	struct msghdr msg = { .msg_iov = &iov,
			      .msg_iovlen = 1,
			      .msg_control = u.buf,
			      .msg_controllen = sizeof(u.buf) };
	const struct cmsghdr *c;
	ssize_t n;

	*fd = -1;
	n = recvmsg(sock, &msg, flags | MSG_CMSG_CLOEXEC);
	if (n < 0)
		return -errno;
	c = CMSG_FIRSTHDR(&msg);
	if (c && c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_RIGHTS &&
	    c->cmsg_len == CMSG_LEN(sizeof(int)))
		memcpy(fd, CMSG_DATA(c), sizeof(*fd));
	return n;
}

int fdpass_answer(int sock, int fd)
{
	int32_t err = fd < 0 ? fd : 0;

	return fdpass_send(sock, &err, sizeof(err), fd);
}

int fdpass_take(int sock)
{
	int32_t err;
	ssize_t n;
	int fd;

	n = fdpass_receive(sock, &err, sizeof(err), 0, &fd);
	if (n == sizeof(err) && !err && fd >= 0)
		return fd;
	if (fd >= 0)
		close(fd);
	return n == sizeof(err) && err < 0 && fd < 0 ? err : -EPIPE;
}
