// SPDX-License-Identifier: GPL-2.0-only
/*
 * QEMU's guest agent of a VM that libvirt runs.  libvirt holds the agent's
 * socket and passes commands on.  A separate process holds the connection to
 * libvirt and nothing else (libvirt_broker.c).
 */

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/io.h"
#include "transport/agent_ops.h"
#include "transport/agent_port.h"
#include "transport/channel.h"
#include "host/qemu_args.h"
#include "base/child.h"
#include "transport/libvirt_broker.h"

/*
 * If libvirt's socket to the agent accepts only a part of a command, libvirt
 * sends the command again from its beginning (qemuAgentIOWrite() by
 * safewrite()), and the agent never sees its end.  A socket accepts 208 KiB at
 * once, the kernel's overhead included, so commands stay well below that.
 */
#define CHUNK 0xc000

#define LATE  "libvirt does not answer: does libvirtd or virtqemud hang?"
#define DIED  "the process that talks to libvirt died"

/* The domain's name, which libvirt gives to QEMU as -name. */
static bool domain_name(const struct target *t, char *name, size_t size)
{
	const char *value;
	size_t pos = 0;

	while ((value = qemu_arg_next(t->cmdline, t->cmdline_size, "-name",
				      &pos)))
		if (qemu_arg_part(value, "guest", name, size))
			return *name && !strchr(name, '/');
	return false;
}

/*
 * Does the pid file, which libvirt writes for each running domain, name this
 * process?  The command line alone is no proof: anybody can run a process with
 * somebody else's command line.  *denied is set if we may not read it.
 */
static bool has_pid(const char *path, uint32_t pid, bool *denied)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW);
	char text[16];
	ssize_t n;

	if (fd < 0) {
		*denied |= errno == EACCES;
		return false;
	}
	n = read(fd, text, sizeof(text) - 1);
	close(fd);
	if (n <= 0)
		return false;
	text[n] = '\0';
	return strtoul(text, NULL, 10) == pid;
}

/*
 * Which libvirt runs it, the system's or that of a user, into c->address.  1;
 * 0: none, c->text says why.
 */
static int find_daemon(struct channel *c, const char *name)
{
	const struct target *t = c->target;
	struct stat st = { 0 };
	char path[PATH_MAX];
	bool denied = false;

	snprintf(path, sizeof(path), "%s/run/libvirt/qemu/%s.pid", t->root,
		 name);
	if (has_pid(path, t->pid, &denied)) {
		strcpy(c->address, LIBVIRT_SYSTEM);
		return 1;
	}
	snprintf(path, sizeof(path), "%s/proc/%u", t->root, t->pid);
	if (stat(path, &st))
		return channel_fail(c, 0, "the VM has ended");
	snprintf(path, sizeof(path), "%s/run/user/%u/libvirt/qemu/run/%s.pid",
		 t->root, st.st_uid, name);
	if (has_pid(path, t->pid, &denied)) {
		strcpy(c->address, LIBVIRT_SESSION);
		return 1;
	}
	if (denied)
		return channel_fail(
			c, 0,
			"it may be a VM of user %u's libvirt: run it as root or as that user",
			st.st_uid);
	return channel_fail(c, 0, "it is no VM of this host's libvirt");
}

static int probe(struct channel *c)
{
	char name[256], id[128];

	if (!domain_name(c->target, name, sizeof(name)))
		return channel_fail(c, 0, "it is no VM of this host's libvirt");
	if (!find_daemon(c, name))
		return 0;
	if (!agent_port(c->target, id, sizeof(id)))
		return channel_fail(
			c, 0,
			"the domain has no channel for QEMU's guest agent: add one of type unix with the target %s",
			AGENT_PORT);
	return 1;
}

static int gone(struct channel *c)
{
	return channel_fail(c, -EPIPE, DIED);
}

static int read_all(struct channel *c, void *data, size_t size)
{
	char *p = data;
	ssize_t n;

	for (; size; p += n, size -= n) {
		n = channel_recv(c, p, size, LATE, DIED);
		if (n < 0)
			return n;
	}
	return 0;
}

/* *reply is to be freed; 0 or -errno with c->text. */
static int read_reply(struct channel *c, char **reply)
{
	struct libvirt_reply r;
	int err = read_all(c, &r, sizeof(r));

	if (err)
		return err;
	if (r.size > AGENT_REPLY_MAX || r.error > 0 || r.error < -4095)
		return gone(c);
	*reply = malloc(r.size + 1);
	if (!*reply)
		return channel_fail(c, -ENOMEM, "no memory");
	err = read_all(c, *reply, r.size);
	if (!err) {
		(*reply)[r.size] = '\0';
		if (!r.error)
			return 0;
		err = channel_fail(c, r.error, "%s", *reply);
	}
	free(*reply);
	return err;
}

static int ask(struct agent_talk *a, const char *request, char **reply)
{
	int left = clock_left(a->c->deadline_ns);
	struct libvirt_request r = {
		.size = strlen(request),
		/* libvirt times out before us and knows the reason */
		.seconds = left < 3000 ? 1 : left / 1000 - 1,
	};
	int err = channel_send(a->c, &r, sizeof(r), LATE, DIED);

	if (!err)
		err = channel_send(a->c, request, r.size, LATE, DIED);
	return err ? err : read_reply(a->c, reply);
}

/* Returns the process, or -errno. */
static pid_t start_carrier(struct channel *c)
{
	char name[256];
	struct libvirt_domain domain = { c, name };

	if (!domain_name(c->target, name, sizeof(name)))
		return -ENOENT;
	return child_begin(SOCK_STREAM, libvirt_carry, &domain, &c->fd);
}

static int open_libvirt(struct channel *c)
{
	struct agent_talk *a = calloc(1, sizeof(*a));
	char *nothing;
	pid_t pid;
	int err;

	c->private = a;
	if (!a)
		return channel_fail(c, -ENOMEM, "no memory");
	a->c = c;
	a->ask = ask;
	a->chunk = CHUNK;
	pid = start_carrier(c);
	if (pid < 0)
		return channel_fail(c, pid, "cannot start a process");
	err = read_reply(c, &nothing);
	if (!err) {
		free(nothing);
		return 0;
	}
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	return err;
}

static int watch(struct channel *c)
{
	int err = agent_check(c->private);

	return err ? err : agent_watch(c->private);
}

static int fetch(struct channel *c)
{
	int err = c->watch_limit ? 0 : agent_check(c->private);

	return err ? err : agent_fetch(c->private);
}

static int code(struct channel *c)
{
	return agent_code(c->private);
}

/* The broker ends when its socket is closed, at the latest when we end. */
static void close_libvirt(struct channel *c)
{
	io_close(&c->fd);
	free(c->private);
	c->private = NULL;
}

const struct transport transport_libvirt = {
	.name = "libvirt",
	.how = VMMPROF_REACH_LIBVIRT,
	.probe = probe,
	.open = open_libvirt,
	.watch = watch,
	.fetch = fetch,
	.code = code,
	.close = close_libvirt,
};
