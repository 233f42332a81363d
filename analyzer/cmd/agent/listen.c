// SPDX-License-Identifier: GPL-2.0-only

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/child.h"
#include "base/io.h"
#include "cmd/agent/listen.h"
#include "cmd/agent/serve.h"
#include "sandbox/fd_pass.h"

#define WAITING 16 /* connections */

union address {
	struct sockaddr any;
	struct sockaddr_in v4;
	struct sockaddr_in6 v6;
	struct sockaddr_un un;
};

/* "HOST:PORT", of this machine alone. */
static bool read_tcp(const char *text, union address *a, socklen_t *size)
{
	const char *colon = strrchr(text, ':');
	char host[64], *end;
	unsigned long port;
	size_t len = colon ? (size_t)(colon - text) : 0;

	if (!len || len >= sizeof(host) || colon[1] < '0' || colon[1] > '9')
		return false;
	port = strtoul(colon + 1, &end, 10);
	if (*end || !port || port > 65535)
		return false;
	memcpy(host, text, len);
	host[len] = '\0';
	memset(a, 0, sizeof(*a));
	if (!strcmp(host, "[::1]")) {
		a->v6.sin6_family = AF_INET6;
		a->v6.sin6_addr = in6addr_loopback;
		a->v6.sin6_port = htons(port);
		*size = sizeof(a->v6);
		return true;
	}
	a->v4.sin_family = AF_INET;
	a->v4.sin_port = htons(port);
	*size = sizeof(a->v4);
	return inet_pton(AF_INET,
			 strcmp(host, "localhost") ? host : "127.0.0.1",
			 &a->v4.sin_addr) == 1 &&
	       ntohl(a->v4.sin_addr.s_addr) >> 24 == IN_LOOPBACKNET;
}

static bool read_unix(const char *path, union address *a, socklen_t *size)
{
	size_t len = strlen(path);

	memset(a, 0, sizeof(*a));
	if (*path != '/' || len >= sizeof(a->un.sun_path))
		return false;
	a->un.sun_family = AF_UNIX;
	memcpy(a->un.sun_path, path, len + 1);
	*size = sizeof(a->un);
	return true;
}

/* What an agent that was killed has left; one that is used is an error. */
static int remove_old(const union address *a, socklen_t size)
{
	struct stat st;
	int fd, ret = 0;

	if (lstat(a->un.sun_path, &st))
		return errno == ENOENT ? 0 : -errno;
	if (!S_ISSOCK(st.st_mode))
		return -EEXIST;
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0)
		return -errno;
	if (!connect(fd, &a->any, size) || errno != ECONNREFUSED)
		ret = -EADDRINUSE;
	io_close(&fd);
	return ret ? ret : unlink(a->un.sun_path) ? -errno : 0;
}

/*
 * Whatever the mask is, others are to read it, as they are the file: bind() gives the
 * new file the mode of the socket.  By the file's path it would be that of whatever
 * the directory's owner has put there since.
 */
static int bind_unix(int fd, const union address *a, socklen_t size)
{
	mode_t mask;
	int ret;

	if (fchmod(fd, 0666))
		return -errno;
	mask = umask(0);
	ret = bind(fd, &a->any, size) ? -errno : 0;
	umask(mask);
	return ret;
}

static int bind_tcp(int fd, const union address *a, socklen_t size)
{
	const int on = 1;

	if (setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on)) ||
	    bind(fd, &a->any, size))
		return -errno;
	return 0;
}

static int open_listener(const union address *a, socklen_t size)
{
	int fd, ret = 0;

	if (a->any.sa_family == AF_UNIX)
		ret = remove_old(a, size);
	if (ret)
		return ret;
	fd = socket(a->any.sa_family,
		    SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0)
		return -errno;
	ret = a->any.sa_family == AF_UNIX ? bind_unix(fd, a, size) :
					    bind_tcp(fd, a, size);
	if (!ret && listen(fd, WAITING))
		ret = -errno;
	if (ret)
		io_close(&fd);
	return ret ? ret : fd;
}

static void serve(int sock, void *listener)
{
	serve_metrics(sock, *(int *)listener);
}

static int begin(struct listen *l, int listener, struct error *e)
{
	int ret = 0;

	l->pid = child_begin(SOCK_SEQPACKET, serve, &listener, &l->sock);
	if (l->pid < 0)
		return error_set(e, l->pid, "%s", strerror(-l->pid));
	if (io_recv(l->sock, &ret, sizeof(ret)))
		ret = -EPIPE;
	if (!ret && fcntl(l->sock, F_SETFL, O_NONBLOCK))
		ret = -errno;
	if (ret == -ELIBACC)
		return error_set(
			e, ret,
			"libmicrohttpd is not there: install libmicrohttpd12");
	return ret ? error_set(e, ret, "the process that answers: %s",
			       strerror(-ret)) :
		     0;
}

int listen_open(struct listen *l, const char *address, struct error *e)
{
	union address a;
	socklen_t size;
	int fd, ret;

	*l = (struct listen){ .sock = -1 };
	if (!read_unix(address, &a, &size) && !read_tcp(address, &a, &size))
		return error_set(
			e, -EINVAL,
			"127.0.0.1:PORT, [::1]:PORT or the path of a Unix socket is wanted; what is behind it is for this machine alone");
	fd = open_listener(&a, size);
	if (fd < 0)
		return error_set(e, fd, "%s", strerror(-fd));
	if (a.any.sa_family == AF_UNIX)
		l->path = address;
	ret = begin(l, fd, e);
	io_close(&fd);
	return ret;
}

void listen_close(struct listen *l)
{
	if (l->sock >= 0) {
		kill(l->pid, SIGKILL);
		waitpid(l->pid, NULL, 0);
	}
	io_close(&l->sock);
	if (l->path)
		unlink(l->path);
	l->path = NULL;
}

__u64 listen_cpu_ns(const struct listen *l)
{
	struct timespec t;
	clockid_t clock;

	if (l->sock < 0 || clock_getcpuclockid(l->pid, &clock) ||
	    clock_gettime(clock, &t))
		return 0;
	return t.tv_sec * 1000000000ull + t.tv_nsec;
}

int listen_put(struct listen *l, int from, __u64 size, const char *more)
{
	int fd, ret;

	fd = memfd_create("vmmprof metrics", MFD_CLOEXEC);
	if (fd < 0)
		return -errno;
	ret = io_copy(from, fd, size);
	if (!ret && lseek(fd, size, SEEK_SET) < 0)
		ret = -errno;
	if (!ret)
		ret = io_write(fd, more, strlen(more));
	if (!ret)
		ret = fdpass_send(l->sock, "", 1, fd);
	io_close(&fd);
	return ret;
}
