// SPDX-License-Identifier: GPL-2.0-only
/* Files of debuginfod(8) servers: the side that asks the broker for them. */

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/child.h"
#include "sandbox/debuginfod.h"
#include "sandbox/fd_pass.h"

/* Longer than the broker's own limits, so that the broker ends first. */
#define GRACE	20
#define LOADING 20 /* seconds for the library */

int debuginfod_check(const struct debuginfod_request *r)
{
	bool source = r->kind == DEBUGINFOD_SOURCE;
	const char *p;

	if (r->kind > DEBUGINFOD_SOURCE || !r->size ||
	    r->size > DEBUGINFOD_ID_MAX ||
	    !memchr(r->path, '\0', sizeof(r->path)) ||
	    r->path[0] != (source ? '/' : '\0'))
		return -EINVAL;
	for (p = r->path; *p; p++)
		if ((unsigned char)*p < ' ' || *p == 0x7f)
			return -EINVAL;
	return 0;
}

/* The answer and its file, -1 without one; seconds: until it is too late. */
static int receive(int sock, int seconds, int *fd)
{
	struct pollfd p = { sock, POLLIN, 0 };
	int32_t answer;
	int n;

	*fd = -1;
	do
		n = poll(&p, 1, seconds * 1000);
	while (n < 0 && errno == EINTR);
	if (n <= 0)
		return n ? -errno : -ETIMEDOUT;
	if (fdpass_receive(sock, &answer, sizeof(answer), 0, fd) !=
	    sizeof(answer))
		return -EPIPE;
	return answer;
}

int debuginfod_start(struct debuginfod *d, int seconds, debuginfod_tell *tell)
{
	const char *urls = getenv("DEBUGINFOD_URLS");
	const struct debuginfod_how how = { seconds, tell };
	int fd, ret;

	memset(d, 0, sizeof(*d));
	d->sock = -1;
	if (!urls || !urls[strspn(urls, " ")])
		return -ENOSYS;
	ret = child_begin(SOCK_SEQPACKET, debuginfod_broker, (void *)&how,
			  &d->sock);
	if (ret < 0)
		return ret;
	ret = receive(d->sock, LOADING, &fd);
	if (ret)
		debuginfod_end(d);
	return ret;
}

void debuginfod_end(struct debuginfod *d)
{
	if (d->sock >= 0)
		close(d->sock);
	d->sock = -1;
	debuginfod_forget(d);
}

/* If no server answered once, none is asked again. */
static bool gives_up(int err)
{
	return err == -ETIMEDOUT || err == -EPIPE || err == -ECONNREFUSED ||
	       err == -EHOSTUNREACH;
}

int debuginfod_receive(struct debuginfod *d, int seconds)
{
	struct stat st;
	int fd, ret = receive(d->sock, seconds, &fd);

	if (ret == -ETIME)
		ret = -ETIMEDOUT;
	if (gives_up(ret))
		d->failed = ret;
	if (!ret && (fd < 0 || fstat(fd, &st) || !S_ISREG(st.st_mode)))
		ret = -EBADMSG;
	if (!ret)
		return fd;
	if (fd >= 0)
		close(fd);
	return ret < 0 ? ret : -EBADMSG;
}

static int ask(struct debuginfod *d, const struct debuginfod_request *r)
{
	if (d->failed)
		return d->failed;
	if (d->asked >= DEBUGINFOD_REQUESTS)
		return -EDQUOT;
	d->asked++;
	if (send(d->sock, r, sizeof(*r), MSG_NOSIGNAL) == sizeof(*r))
		return debuginfod_receive(d, DEBUGINFOD_SECONDS + GRACE);
	d->failed = -EPIPE;
	return -EPIPE;
}

int debuginfod_get(struct debuginfod *d, enum debuginfod_kind kind,
		   const uint8_t *build_id, size_t size, const char *path)
{
	struct debuginfod_request r = { .kind = kind, .size = size };

	if (d->sock < 0)
		return -ENOTCONN;
	if (size > sizeof(r.build_id) ||
	    (path && strlen(path) >= sizeof(r.path)))
		return -EINVAL;
	memcpy(r.build_id, build_id, size);
	if (path)
		strcpy(r.path, path);
	if (debuginfod_check(&r))
		return -EINVAL;
	return d->later ? debuginfod_later(d, &r) : ask(d, &r);
}
