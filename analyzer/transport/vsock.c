// SPDX-License-Identifier: GPL-2.0-only
/*
 * `vmmprof-guest serve --vsock` in a guest that has a vsock device.  It needs
 * no network and no agent, and the program is not sent.
 */

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include <linux/vm_sockets.h>

#include <vmmprof/serve.h>

#include "base/clock.h"
#include "base/io.h"
#include "transport/channel.h"
#include "host/qemu_args.h"
#include "transport/stream_ops.h"

/*
 * Ports below 1024, which the guest trusts; those below 512 are often in use.
 */
#define FIRST_PORT 1023
#define LAST_PORT  512

static int probe(struct channel *c)
{
	const struct target *t = c->target;
	const char *value;
	size_t pos = 0;
	char text[32];

	while ((value = qemu_arg_next(t->cmdline, t->cmdline_size, "-device",
				      &pos))) {
		if (!qemu_arg_part(value, "driver", text, sizeof(text)) ||
		    strncmp(text, "vhost-vsock-", 12) ||
		    !qemu_arg_part(value, "guest-cid", text, sizeof(text)))
			continue;
		c->cid = strtoul(text, NULL, 0);
		strcpy(c->address, text);
		/* 0 to 2 are not guests */
		if (c->cid > VMADDR_CID_HOST && c->cid != VMADDR_CID_ANY)
			return 1;
	}
	return channel_fail(c, 0, "the VM has no vsock device");
}

/* Makes a socket bound to a privileged port. */
static int bound_socket(void)
{
	struct sockaddr_vm at = { .svm_family = AF_VSOCK,
				  .svm_cid = VMADDR_CID_ANY };
	int fd = socket(AF_VSOCK, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK,
			0);
	int err = EADDRINUSE;

	if (fd < 0)
		return -errno;
	for (at.svm_port = FIRST_PORT; at.svm_port >= LAST_PORT;
	     at.svm_port--) {
		if (!bind(fd, (void *)&at, sizeof(at)))
			return fd;
		err = errno;
		if (err != EADDRINUSE)
			break;
	}
	close(fd);
	return -err;
}

static int open_vsock(struct channel *c)
{
	const struct sockaddr_vm to = { .svm_family = AF_VSOCK,
					.svm_cid = c->cid,
					.svm_port = VMMPROF_SERVE_PORT };
	struct pollfd p = { .events = POLLOUT };
	socklen_t size = sizeof(int);
	int err = 0;

	c->fd = bound_socket();
	if (c->fd < 0)
		return channel_fail(c, c->fd, "no vsock socket: %s",
				    strerror(-c->fd));
	if (connect(c->fd, (void *)&to, sizeof(to)))
		err = errno;
	if (err == EINPROGRESS) {
		p.fd = c->fd;
		err = ETIMEDOUT;
		if (poll(&p, 1, clock_left(c->deadline_ns)) == 1)
			getsockopt(c->fd, SOL_SOCKET, SO_ERROR, &err, &size);
	}
	if (!err)
		return 0;
	return channel_fail(
		c, -err,
		err == ECONNRESET || err == ENODEV || err == ECONNREFUSED ||
				err == ETIMEDOUT ?
			"nobody answers: start `vmmprof-guest serve --vsock` there" :
			"vsock: %s",
		strerror(err));
}

static int watch(struct channel *c)
{
	int err = stream_hello(c);

	return err ? err : stream_watch(c);
}

static int fetch(struct channel *c)
{
	int err = c->watch_limit ? 0 : stream_hello(c);

	return err ? err : stream_fetch(c);
}

static void close_vsock(struct channel *c)
{
	io_close(&c->fd);
}

const struct transport transport_vsock = {
	.name = "vsock",
	.how = VMMPROF_REACH_VSOCK,
	.probe = probe,
	.open = open_vsock,
	.watch = watch,
	.fetch = fetch,
	.code = stream_code,
	.close = close_vsock,
};
