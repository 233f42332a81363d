// SPDX-License-Identifier: GPL-2.0-only
/* Opens mapped files and their debug files, hands them to the parser. */

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "os/debug_file.h"
#include "sandbox/fd_pass.h"
#include "os/file_opener.h"
#include "os/file_owner.h"
#include "os/open_file.h"

struct held {
	int fd; /* -1: free */
	struct vmmprof_file_ask ask;
	struct vmmprof_file_owner owner;
};

struct opener {
	int recorder, parser;
	struct held *held;
	/* what the parser has: its debug files may be asked for */
	__u32 seq, pid;
	struct vmmprof_file_owner owner;
	char path[VMMPROF_FILE_PATH];
};

static struct held *find(struct opener *o, int fd, __u32 seq)
{
	unsigned int i;

	for (i = 0; i < VMMPROF_FILE_HELD; i++)
		if (fd < 0 ? o->held[i].fd < 0 :
			     o->held[i].fd >= 0 && o->held[i].ask.seq == seq)
			return &o->held[i];
	return NULL;
}

/* The mapped file and no other. */
static int open_this(const struct vmmprof_file_ask *ask,
		     struct vmmprof_file_owner *owner)
{
	int fd = -ENOENT, err = -ENOENT;
	unsigned int way;

	for (way = 0; way < VMMPROF_OPEN_MAPPED_WAYS; way++) {
		fd = vmmprof_open_mapped(ask->pid, ask->start, ask->end,
					 ask->path, way);
		if (fd == -ENOEXEC)
			return fd;
		if (fd < 0) {
			err = fd;
			continue;
		}
		if (vmmprof_file_is(fd, ask->dev, ask->ino) &&
		    !vmmprof_file_owner(fd, ask->pid, owner) &&
		    (!ask->generation || !owner->generation ||
		     ask->generation == owner->generation))
			return fd;
		close(fd);
		err = -ESTALE;
	}
	return err;
}

static int on_open(struct opener *o, const struct vmmprof_file_ask *ask)
{
	struct vmmprof_file_opened say = { .seq = ask->seq };
	struct held *h = find(o, -1, 0);
	int fd = h ? open_this(ask, &say.owner) : -EMFILE;

	say.err = fd < 0 ? fd : 0;
	if (fd >= 0) {
		h->fd = fd;
		h->ask = *ask;
		h->owner = say.owner;
	}
	return vmmprof_fdpass_send(o->recorder, &say, sizeof(say), -1);
}

static int hand(struct opener *o, struct held *h)
{
	const struct vmmprof_file_handed say = {
		.seq = h->ask.seq,
		.trusted = h->owner.trusted,
	};
	int ret = vmmprof_fdpass_send(o->parser, &say, sizeof(say), h->fd);

	o->seq = h->ask.seq;
	o->pid = h->ask.pid;
	o->owner = h->owner;
	memcpy(o->path, h->ask.path, sizeof(o->path));
	close(h->fd);
	h->fd = -1;
	return ret;
}

/* False: no more will come. */
static bool on_ask(struct opener *o)
{
	static struct vmmprof_file_ask ask;
	ssize_t n = recv(o->recorder, &ask, sizeof(ask), 0);
	struct held *h;

	if (n < (ssize_t)VMMPROF_FILE_ASK_HEAD)
		return n < 0 && errno == EINTR;
	if (ask.what == VMMPROF_FILE_OPEN && n > (ssize_t)VMMPROF_FILE_ASK_HEAD)
		return !((char *)&ask)[n - 1] && !on_open(o, &ask);
	h = find(o, 0, ask.seq);
	if (h && ask.what == VMMPROF_FILE_PARSE)
		return !hand(o, h);
	if (h)
		close(h->fd);
	if (h)
		h->fd = -1;
	return true;
}

/* A debug file that may speak for the file; -1: there is none in that place. */
static int open_debug(const struct opener *o,
		      const struct vmmprof_file_want *want)
{
	struct vmmprof_file_owner owner;
	int fd = vmmprof_debugfile_open(o->pid, o->path, want);

	if (fd >= 0 && (vmmprof_file_owner(fd, o->pid, &owner) ||
			!vmmprof_file_may_describe(&owner, &o->owner))) {
		close(fd);
		fd = -1;
	}
	return fd;
}

static bool on_want(struct opener *o)
{
	struct vmmprof_file_handed say = { .debug = 1 };
	struct vmmprof_file_want want;
	ssize_t n = recv(o->parser, &want, sizeof(want), 0);
	int fd = -1, ret;

	if (n != sizeof(want))
		return n > 0 || (n < 0 && errno == EINTR);
	if (want.seq == o->seq)
		fd = open_debug(o, &want);
	say.seq = want.seq;
	ret = vmmprof_fdpass_send(o->parser, &say, sizeof(say), fd);
	if (fd >= 0)
		close(fd);
	return !ret;
}

void vmmprof_fileopener_run(int recorder, int parser)
{
	struct opener *o = calloc(1, sizeof(*o));
	struct pollfd fds[2] = { { recorder, POLLIN, 0 },
				 { parser, POLLIN, 0 } };
	bool go_on = o;
	unsigned int i;

	if (o)
		o->held = calloc(VMMPROF_FILE_HELD, sizeof(*o->held));
	go_on = o && o->held;
	for (i = 0; go_on && i < VMMPROF_FILE_HELD; i++)
		o->held[i].fd = -1;
	if (go_on) {
		o->recorder = recorder;
		o->parser = parser;
	}
	while (go_on) {
		if (poll(fds, 2, -1) < 0 && errno != EINTR)
			break;
		if (fds[1].revents)
			go_on = on_want(o);
		if (go_on && fds[0].revents)
			go_on = on_ask(o);
	}
}
