// SPDX-License-Identifier: GPL-2.0-only
/* The process that opens files of JIT code, and how it is asked. */

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/io.h"
#include "os/jit_opener.h"
#include "sandbox/fd_pass.h"
#include "sandbox/helper.h"

#define OPEN_MS	 3000
#define REST_NS	 60000000000ull
#define END_LOOK 1000 /* microseconds, between looks whether it has ended */

/* With the root directory's descriptor. */
struct request {
	__u64 ino;
	__s64 since;
	uid_t uid;
	char path[PATH_MAX];
};

static void serve(void *arg)
{
	struct jit_owner p = { 0 };
	static struct request r;
	ssize_t n;
	int fd;

	(void)arg;
	while ((n = fdpass_receive(HELPER_A, &r, sizeof(r), 0, &p.root)) > 0) {
		p.uid = r.uid;
		p.since = r.since;
		fd = n == sizeof(r) && p.root >= 0 ?
			     jit_owner_open(&p, r.path, r.ino) :
			     -EINVAL;
		n = fdpass_answer(HELPER_A, fd);
		io_close(&fd);
		io_close(&p.root);
		if (n)
			break;
	}
}

static int begin(struct jit_opener *o)
{
	int ends[2];
	pid_t pid;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends))
		return -errno;
	pid = helper_begin(ends[1], ends[1], serve, NULL);
	close(ends[1]);
	if (pid < 0) {
		close(ends[0]);
		return pid;
	}
	o->sock = ends[0];
	o->pid = pid;
	return 0;
}

/* True: some has not ended yet. */
static bool reap(struct jit_opener *o)
{
	bool left = false;
	unsigned int i;

	for (i = 0; i < JIT_OPENER_ENDING; i++) {
		if (o->ending[i] && waitpid(o->ending[i], NULL, WNOHANG))
			o->ending[i] = 0;
		left |= o->ending[i] != 0;
	}
	return left;
}

/* Kills it; waits for nothing. */
static void end(struct jit_opener *o)
{
	unsigned int i;

	io_close(&o->sock);
	if (!o->pid)
		return;
	kill(o->pid, SIGKILL);
	reap(o);
	for (i = 0; i < JIT_OPENER_ENDING && o->ending[i]; i++)
		;
	if (i < JIT_OPENER_ENDING)
		o->ending[i] = o->pid;
	o->pid = 0;
}

static int ask(struct jit_opener *o, const struct jit_owner *p,
	       const struct request *r)
{
	struct pollfd fd = { o->sock, POLLIN, 0 };
	__u64 until = clock_now() + OPEN_MS * 1000000ull, now;
	int ret = fdpass_send(o->sock, r, sizeof(*r), p->root);

	if (ret)
		return ret;
	do {
		now = clock_now();
		ret = poll(&fd, 1,
			   now < until ? (until - now) / 1000000 + 1 : 0);
	} while (ret < 0 && errno == EINTR);
	if (ret < 0)
		return -errno;
	return ret ? fdpass_take(o->sock) : -ETIMEDOUT;
}

int jit_opener_open(struct jit_opener *o, const struct jit_owner *p,
		    const char *path, __u64 ino)
{
	static struct request r;
	int ret;

	if (clock_now() < o->not_before)
		return -EBUSY;
	if (strlen(path) >= sizeof(r.path))
		return -ENAMETOOLONG;
	ret = o->pid ? 0 : begin(o);
	if (ret)
		return ret;
	memset(&r, 0, sizeof(r));
	r.ino = ino;
	r.since = p->since;
	r.uid = p->uid;
	strcpy(r.path, path);
	ret = ask(o, p, &r);
	if (ret != -ETIMEDOUT && ret != -EPIPE)
		return ret;
	/* what it still says to this is no answer to the next */
	end(o);
	o->not_before = clock_now() + REST_NS;
	return ret;
}

/* One that is blocked in a file system is left to init. */
void jit_opener_end(struct jit_opener *o)
{
	unsigned int tries;

	end(o);
	for (tries = 0; reap(o) && tries < 200; tries++)
		usleep(END_LOOK);
}
