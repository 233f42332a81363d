// SPDX-License-Identifier: GPL-2.0-only
/*
 * Files of debuginfod(8) servers for a caller that must not wait: each request
 * is kept with its answer, and one request is under way at a time.
 */

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/vec.h"
#include "sandbox/debuginfod.h"

static struct debuginfod_answer *find(struct debuginfod *d,
				      const struct debuginfod_request *r)
{
	size_t i;

	for (i = 0; i < d->nr; i++)
		if (!memcmp(&d->answers[i].r, r, sizeof(*r)))
			return &d->answers[i];
	return NULL;
}

/* Takes the answer that has arrived, and sends the next request. */
static void go_on(struct debuginfod *d)
{
	struct pollfd p = { d->sock, POLLIN, 0 };
	struct debuginfod_answer *a;

	a = d->sent ? &d->answers[d->sent - 1] : NULL;
	if (a && a->fd == -EINPROGRESS) {
		if (poll(&p, 1, 0) <= 0)
			return;
		a->fd = debuginfod_receive(d, 0);
	}
	if (d->sent == d->nr)
		return;
	a = &d->answers[d->sent++];
	if (!d->failed && send(d->sock, &a->r, sizeof(a->r),
			       MSG_NOSIGNAL | MSG_DONTWAIT) != sizeof(a->r))
		d->failed = -EPIPE;
	if (d->failed)
		a->fd = d->failed;
}

int debuginfod_later(struct debuginfod *d, const struct debuginfod_request *r)
{
	struct debuginfod_answer *a = find(d, r);
	int err, fd;

	if (!a) {
		if (d->failed)
			return d->failed;
		if (d->asked >= DEBUGINFOD_REQUESTS)
			return -EDQUOT;
		err = vec_grow(&d->answers, &d->cap, d->nr, sizeof(*a));
		if (err)
			return err;
		d->asked++;
		a = &d->answers[d->nr++];
		a->r = *r;
		a->fd = -EINPROGRESS;
	}
	go_on(d);
	if (a->fd < 0)
		return a->fd;
	fd = dup(a->fd);
	return fd < 0 || lseek(fd, 0, SEEK_SET) < 0 ? -errno : fd;
}

void debuginfod_forget(struct debuginfod *d)
{
	size_t i;

	for (i = 0; i < d->nr; i++)
		if (d->answers[i].fd >= 0)
			close(d->answers[i].fd);
	free(d->answers);
	d->answers = NULL;
	d->nr = 0;
	d->cap = 0;
	d->sent = 0;
}
