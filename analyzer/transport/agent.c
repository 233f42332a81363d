// SPDX-License-Identifier: GPL-2.0-only
/*
 * QEMU's guest agent, through the unix socket that QEMU made for it.  A guest
 * that has the agent needs nothing else installed.
 */

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/io.h"
#include "transport/agent_ops.h"
#include "transport/agent_peer.h"
#include "transport/agent_port.h"
#include "transport/channel.h"
#include "host/qemu_args.h"

#define CHUNK	  0x100000
/* Bytes of an earlier conversation that may precede our first answer. */
#define STALE_MAX (64u << 20)
#define RESYNC	  0xff

struct agent {
	struct agent_talk ops;
	char *buf; /* what was read: AGENT_REPLY_MAX bytes and a NUL */
	size_t len;
};

static bool find_path(const struct target *t, const char *id, char *path,
		      size_t size)
{
	const char *value;
	size_t pos = 0;
	char text[128];

	while ((value = qemu_arg_next(t->cmdline, t->cmdline_size, "-chardev",
				      &pos)))
		if (qemu_arg_part(value, "id", text, sizeof(text)) &&
		    !strcmp(text, id))
			return qemu_arg_part(value, "path", path, size);
	return false;
}

static int probe(struct channel *c)
{
	char id[128];

	if (!agent_port(c->target, id, sizeof(id)))
		return channel_fail(
			c, 0,
			"the VM has no channel for QEMU's guest agent (" AGENT_PORT
			")");
	if (!find_path(c->target, id, c->address, sizeof(c->address)))
		return channel_fail(
			c, 0,
			"the agent's channel is not a unix socket with a path");
	if (strstr(c->address, "/libvirt/"))
		return channel_fail(c, 0, "libvirt holds the agent's socket");
	return 1;
}

/*
 * The socket as the VMM sees it, which may run in a container.  Opened by a
 * descriptor, because a socket's address has room for 107 bytes only.  Symbolic
 * links in its place are not followed.
 */
static int open_path(const struct channel *c)
{
	const struct target *t = c->target;
	char path[512];
	int fd;

	snprintf(path, sizeof(path), "%s/proc/%u/%s%s", t->root, t->pid,
		 *c->address == '/' ? "root" : "cwd/", c->address);
	fd = open(path, O_PATH | O_CLOEXEC | O_NOFOLLOW);
	if (fd < 0 && *c->address == '/') {
		snprintf(path, sizeof(path), "%s%s", t->root, c->address);
		fd = open(path, O_PATH | O_CLOEXEC | O_NOFOLLOW);
	}
	return fd < 0 ? -errno : fd;
}

static int connect_socket(struct channel *c)
{
	struct sockaddr_un addr = { .sun_family = AF_UNIX };
	int fd = open_path(c);
	struct stat st;
	int err = 0;

	if (fd < 0)
		return fd;
	if (fstat(fd, &st) || !S_ISSOCK(st.st_mode)) {
		close(fd);
		return -ENOTSOCK;
	}
	snprintf(addr.sun_path, sizeof(addr.sun_path), "/proc/self/fd/%d", fd);
	c->fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	/* EAGAIN: the queue is full, because somebody else is connected. */
	if (c->fd < 0 || connect(c->fd, (void *)&addr, sizeof(addr)))
		err = errno == EAGAIN ? -EBUSY : -errno;
	close(fd);
	return err;
}

static int write_all(struct channel *c, const char *data, size_t size)
{
	return channel_send(c, data, size, "the agent takes no commands",
			    "the agent's socket");
}

/* Appends what arrived; *stale: how many old bytes may still precede it. */
static int read_more(struct agent *g, size_t *stale)
{
	struct channel *c = g->ops.c;
	ssize_t n;

	if (g->len == AGENT_REPLY_MAX)
		return channel_fail(c, -EFBIG, "the agent's answer has no end");
	n = channel_recv(
		c, g->buf + g->len, AGENT_REPLY_MAX - g->len,
		"the guest's agent does not answer: does qemu-ga run there?",
		"QEMU closed the agent's socket");
	if (n < 0)
		return n;
	if ((size_t)n > *stale)
		return channel_fail(
			c, -EFBIG,
			"the agent sends more and more, but no answer");
	*stale -= n;
	g->len += n;
	return 0;
}

/* Removes the first size bytes of the buffer. */
static void consume(struct agent *g, size_t size)
{
	g->len -= size;
	memmove(g->buf, g->buf + size, g->len);
}

static int read_line(struct agent *g, char **line)
{
	size_t stale = STALE_MAX;
	char *end;
	int err;

	while (!(end = memchr(g->buf, '\n', g->len))) {
		err = read_more(g, &stale);
		if (err)
			return err;
	}
	*line = strndup(g->buf, end - g->buf);
	consume(g, end + 1 - g->buf);
	return *line ? 0 : -ENOMEM;
}

static int ask(struct agent_talk *a, const char *request, char **reply)
{
	struct agent *g = (struct agent *)a;
	int err = write_all(a->c, request, strlen(request));

	if (!err)
		err = write_all(a->c, "\n", 1);
	return err ? err : read_line(g, reply);
}

/*
 * An earlier conversation may have stopped in the middle of a message.  0xFF
 * ends that message; the answer begins with 0xFF, too, and has our number.
 */
static int resync(struct agent *g)
{
	size_t stale = STALE_MAX;
	char text[128], want[64];
	uint32_t id = getpid();
	char *mark, *line;
	bool mine = false;
	int err, n;

	if (getrandom(&id, sizeof(id), 0) < 0)
		id = getpid();
	n = snprintf(
		text, sizeof(text),
		"%c{\"execute\":\"guest-sync-delimited\",\"arguments\":{\"id\":%u}}\n",
		RESYNC, id);
	snprintf(want, sizeof(want), "\"return\": %u}", id);
	err = write_all(g->ops.c, text, n);
	while (!err && !mine) {
		mark = memchr(g->buf, RESYNC, g->len);
		if (!mark) {
			g->len = 0;
			err = read_more(g, &stale);
			continue;
		}
		consume(g, mark + 1 - g->buf);
		err = read_line(g, &line);
		if (err)
			break;
		mine = strstr(line, want);
		free(line);
	}
	return err;
}

static int open_agent(struct channel *c)
{
	struct agent *g;
	int err = connect_socket(c);

	if (err == -EBUSY || err == -ECONNREFUSED)
		return channel_fail(
			c, err,
			"%s: somebody else holds the agent's socket (libvirt?)",
			c->address);
	if (err)
		return channel_fail(c, err, "%s: %s", c->address,
				    strerror(-err));
	err = agent_peer(c);
	if (err)
		return err;
	g = calloc(1, sizeof(*g));
	c->private = g;
	if (g)
		g->buf = malloc(AGENT_REPLY_MAX + 1);
	if (!g || !g->buf)
		return channel_fail(c, -ENOMEM, "no memory");
	g->ops.c = c;
	g->ops.ask = ask;
	g->ops.chunk = CHUNK;
	return 0;
}

static int begin(struct channel *c)
{
	struct agent *g = c->private;
	int err = resync(g);

	return err ? err : agent_check(&g->ops);
}

static int watch(struct channel *c)
{
	struct agent *g = c->private;
	int err = begin(c);

	return err ? err : agent_watch(&g->ops);
}

static int fetch(struct channel *c)
{
	struct agent *g = c->private;
	int err = begin(c);

	return err ? err : agent_fetch(&g->ops);
}

static int code(struct channel *c)
{
	struct agent *g = c->private;
	int err = begin(c);

	return err ? err : agent_code(&g->ops);
}

static void close_agent(struct channel *c)
{
	struct agent *g = c->private;

	if (g)
		free(g->buf);
	free(g);
	c->private = NULL;
	io_close(&c->fd);
}

const struct transport transport_agent = {
	.name = "agent",
	.how = VMMPROF_REACH_AGENT,
	.probe = probe,
	.open = open_agent,
	.watch = watch,
	.fetch = fetch,
	.code = code,
	.close = close_agent,
};
