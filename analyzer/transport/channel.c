// SPDX-License-Identifier: GPL-2.0-only
/* What all ways into a guest share: the text of an error, and socket calls. */

#include <errno.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

#include "base/clock.h"
#include "transport/channel.h"

int channel_fail(struct channel *c, int err, const char *fmt, ...)
{
	va_list ap;
	char *p;

	va_start(ap, fmt);
	vsnprintf(c->text, sizeof(c->text), fmt, ap);
	va_end(ap);
	for (p = c->text; *p; p++)
		if (*p < ' ' || *p > '~')
			*p = '?';
	return err;
}

static bool again(ssize_t n)
{
	return n < 0 && (errno == EAGAIN || errno == EINTR);
}

/* Waits until the socket can be read or written. */
static int wait_socket(struct channel *c, short events, const char *late)
{
	struct pollfd p = { c->fd, events, 0 };
	int n;

	do
		n = poll(&p, 1, clock_left(c->deadline_ns));
	while (n < 0 && errno == EINTR);
	return n > 0 ? 0 : channel_fail(c, -ETIMEDOUT, "%s", late);
}

int channel_send(struct channel *c, const void *data, size_t size,
		 const char *late, const char *what)
{
	const char *p = data;
	ssize_t n;
	int err;

	while (size) {
		err = wait_socket(c, POLLOUT, late);
		if (err)
			return err;
		n = send(c->fd, p, size, MSG_NOSIGNAL | MSG_DONTWAIT);
		if (again(n))
			continue;
		if (n < 0)
			return channel_fail(c, -errno, "%s: %s", what,
					    strerror(errno));
		p += n;
		size -= n;
	}
	return 0;
}

ssize_t channel_recv(struct channel *c, void *buf, size_t size,
		     const char *late, const char *closed)
{
	ssize_t n;
	int err;

	do {
		err = wait_socket(c, POLLIN, late);
		if (err)
			return err;
		n = recv(c->fd, buf, size, MSG_DONTWAIT);
	} while (again(n));
	return n > 0 ? n : channel_fail(c, -EPIPE, "%s", closed);
}
