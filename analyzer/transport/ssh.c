// SPDX-License-Identifier: GPL-2.0-only
/*
 * ssh(1) to a guest as root: sends vmmprof-guest through the connection and
 * runs `vmmprof-guest serve` there.  ssh keeps the rights that it needs for its
 * keys; the process that reads the guest's answers gives them up.
 */

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "transport/channel.h"
#include "transport/guest_program.h"
#include "transport/stream_ops.h"

/*
 * Makes a directory in which programs may run, reads the program (%lld bytes)
 * from standard input, and runs it.  In single quotes, which every login shell
 * understands.
 */
static const char remote[] =
	"sh -c 'for d in /tmp /var/tmp \"$HOME\" /; do\n"
	"t=$(mktemp -d \"$d/vmmprof.XXXXXX\" 2>/dev/null) || continue;\n"
	"printf \"#!/bin/sh\\n\" > \"$t/x\" && chmod 700 \"$t/x\" &&\n"
	"\"$t/x\" 2>/dev/null && { rm \"$t/x\"; break; };\n"
	"rm -rf \"$t\"; t=; done;\n"
	"[ -n \"$t\" ] || { echo \"error no directory in which a program may run (/tmp, /var/tmp): mount one without noexec\"; exit 1; };\n"
	"trap \"rm -rf $t\" EXIT HUP TERM;\n"
	"head -c %lld > \"$t/vmmprof-guest\" &&\n"
	"chmod 700 \"$t/vmmprof-guest\" && \"$t/vmmprof-guest\" serve'";

static int probe(struct channel *c)
{
	if (!c->target->ssh)
		return channel_fail(c, 0, "no --ssh NAME=root@HOST was given");
	snprintf(c->address, sizeof(c->address), "%s", c->target->ssh);
	/* a host named -oProxyCommand=... would run a program here */
	if (*c->address == '-' || strlen(c->target->ssh) >= sizeof(c->address))
		return channel_fail(c, 0, "'%s' is not a host", c->address);
	return 1;
}

static void __attribute__((noreturn))
run_ssh(const struct channel *c, int sock, int errors, off_t size)
{
	char command[sizeof(remote) + 32];

	/*
	 * so that it ends when we end, also after we gave up our rights; who reads
	 * signals has others blocked, and ssh keeps them so
	 */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	snprintf(command, sizeof(command), remote, (long long)size);
	dup2(sock, STDIN_FILENO);
	dup2(sock, STDOUT_FILENO);
	dup2(errors, STDERR_FILENO);
	execlp("ssh", "ssh", "-oBatchMode=yes", "-T", "-a", "-x",
	       "-oClearAllForwardings=yes", "-oConnectTimeout=10", "--",
	       c->address, command, NULL);
	/* what it is called is read from there, as ssh's own words */
	dprintf(errors, "ssh: %s\n", strerror(errno));
	_exit(127);
}

static int open_ssh(struct channel *c)
{
	int pair[2], errors[2], *kept;
	struct stat st;
	pid_t pid;

	if (fstat(c->guest_program->fd, &st))
		return channel_fail(c, -errno, "vmmprof-guest: %s",
				    strerror(errno));
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair))
		return -errno;
	kept = malloc(sizeof(*kept));
	if (!kept || pipe2(errors, O_CLOEXEC | O_NONBLOCK)) {
		free(kept);
		close(pair[0]);
		close(pair[1]);
		return channel_fail(c, -ENOMEM, "cannot make a pipe");
	}
	pid = fork();
	if (!pid)
		run_ssh(c, pair[1], errors[1], st.st_size);
	close(pair[1]);
	close(errors[1]);
	c->fd = pair[0];
	*kept = errors[0];
	c->private = kept;
	return pid < 0 ? channel_fail(c, -EAGAIN, "cannot start a process") : 0;
}

/*
 * The reason why the connection ended: ssh's own output, if there is any.  While
 * there is one, that is warnings and greetings.
 */
static int explain(struct channel *c, int err)
{
	char said[160], *end;
	ssize_t n;

	if ((err != -EPIPE && err != -ECONNRESET) || !c->private)
		return err;
	n = read(*(int *)c->private, said, sizeof(said) - 1);
	if (n <= 0)
		return err;
	said[n] = '\0';
	while (n && (said[n - 1] == '\n' || said[n - 1] == '\r'))
		said[--n] = '\0';
	end = strrchr(said, '\n');
	return channel_fail(c, err, "ssh %s: %s", c->address,
			    end ? end + 1 : said);
}

static int push_program(struct channel *c)
{
	char buf[65536];
	off_t at = 0;
	ssize_t n;
	int err = 0;

	while (!err &&
	       (n = pread(c->guest_program->fd, buf, sizeof(buf), at))) {
		if (n < 0)
			return channel_fail(c, -errno, "vmmprof-guest: %s",
					    strerror(errno));
		err = stream_write(c, buf, n);
		at += n;
	}
	return err;
}

static int begin(struct channel *c)
{
	int err = push_program(c);

	return err ? err : stream_hello(c);
}

static int watch(struct channel *c)
{
	int err = begin(c);

	if (!err)
		err = stream_watch(c);
	return explain(c, err);
}

static int fetch(struct channel *c)
{
	int err = c->watch_limit ? 0 : begin(c);

	if (!err)
		err = stream_fetch(c);
	return explain(c, err);
}

static int code(struct channel *c)
{
	return explain(c, stream_code(c));
}

static void close_ssh(struct channel *c)
{
	char c1;

	/* at the end of its input vmmprof-guest tidies up and ends */
	if (c->fd >= 0) {
		struct pollfd p = { c->fd, POLLIN, 0 };

		shutdown(c->fd, SHUT_WR);
		while (poll(&p, 1, clock_left(c->deadline_ns)) == 1 &&
		       read(c->fd, &c1, 1) > 0)
			;
		close(c->fd);
	}
	c->fd = -1;
	if (c->private)
		close(*(int *)c->private);
	free(c->private);
	c->private = NULL;
}

const struct transport transport_ssh = {
	.name = "ssh",
	.how = VMMPROF_REACH_SSH,
	.probe = probe,
	.open = open_ssh,
	.watch = watch,
	.fetch = fetch,
	.code = code,
	.close = close_ssh,
};
