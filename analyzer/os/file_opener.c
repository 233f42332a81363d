// SPDX-License-Identifier: GPL-2.0-only
/* Opens mapped files and their debug files, hands them to the parser. */

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/io.h"
#include "os/debug_file.h"
#include "sandbox/fd_pass.h"
#include "os/file_opener.h"
#include "os/file_owner.h"
#include "os/open_file.h"

struct held {
	int fd; /* -1: free */
	struct file_ask ask;
	struct file_owner owner;
};

struct opener {
	int recorder, parser;
	struct held *held;
	/* the file that the parser has: it may ask for debug files of it */
	__u32 seq, pid;
	struct file_owner owner;
	char path[FILE_PATH];
};

static struct held *find(struct opener *o, int fd, __u32 seq)
{
	unsigned int i;

	for (i = 0; i < FILE_HELD; i++)
		if (fd < 0 ? o->held[i].fd < 0 :
			     o->held[i].fd >= 0 && o->held[i].ask.seq == seq)
			return &o->held[i];
	return NULL;
}

/* Opens the mapped file, and checks that it is the same file. */
static int open_this(const struct file_ask *ask, struct file_owner *owner)
{
	int fd = -ENOENT, err = -ENOENT;
	unsigned int way;

	for (way = 0; way < OPEN_MAPPED_WAYS; way++) {
		fd = open_mapped_file(ask->pid, ask->start, ask->end, ask->path,
				      way);
		if (fd == -ENOEXEC)
			return fd;
		if (fd < 0) {
			err = fd;
			continue;
		}
		if (file_is(fd, ask->dev, ask->ino) &&
		    !file_owner(fd, ask->pid, owner) &&
		    (!ask->generation || !owner->generation ||
		     ask->generation == owner->generation))
			return fd;
		close(fd);
		err = -ESTALE;
	}
	return err;
}

static int on_open(struct opener *o, const struct file_ask *ask)
{
	struct file_opened say = { .seq = ask->seq };
	struct held *h = find(o, -1, 0);
	int fd = h ? open_this(ask, &say.owner) : -EMFILE;

	say.err = fd < 0 ? fd : 0;
	if (fd >= 0) {
		h->fd = fd;
		h->ask = *ask;
		h->owner = say.owner;
	}
	return fdpass_send(o->recorder, &say, sizeof(say), -1);
}

static int hand(struct opener *o, struct held *h)
{
	const struct file_handed say = {
		.seq = h->ask.seq,
		.trusted = h->owner.trusted,
	};
	int ret = fdpass_send(o->parser, &say, sizeof(say), h->fd);

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
	static struct file_ask ask;
	ssize_t n = recv(o->recorder, &ask, sizeof(ask), 0);
	struct held *h;

	if (n < (ssize_t)FILE_ASK_HEAD)
		return n < 0 && errno == EINTR;
	if (ask.what == FILE_OPEN && n > (ssize_t)FILE_ASK_HEAD)
		return !((char *)&ask)[n - 1] && !on_open(o, &ask);
	h = find(o, 0, ask.seq);
	if (h && ask.what == FILE_PARSE)
		return !hand(o, h);
	if (h)
		close(h->fd);
	if (h)
		h->fd = -1;
	return true;
}

/*
 * Opens a debug file that is trusted for the file; -1: there is none in that
 * place.
 */
static int open_debug(const struct opener *o, const struct file_want *want)
{
	struct file_owner owner;
	int fd = debugfile_open(o->pid, o->path, want);

	if (fd >= 0 && (file_owner(fd, o->pid, &owner) ||
			!file_may_describe(&owner, &o->owner))) {
		close(fd);
		fd = -1;
	}
	return fd;
}

static bool on_want(struct opener *o)
{
	struct file_handed say = { .debug = 1 };
	struct file_want want;
	ssize_t n = recv(o->parser, &want, sizeof(want), 0);
	int fd = -1, ret;

	if (n != sizeof(want))
		return n > 0 || (n < 0 && errno == EINTR);
	if (want.seq == o->seq)
		fd = open_debug(o, &want);
	say.seq = want.seq;
	ret = fdpass_send(o->parser, &say, sizeof(say), fd);
	io_close(&fd);
	return !ret;
}

void file_opener_run(int recorder, int parser)
{
	struct opener *o = calloc(1, sizeof(*o));
	struct pollfd fds[2] = { { recorder, POLLIN, 0 },
				 { parser, POLLIN, 0 } };
	bool go_on = o;
	unsigned int i;

	if (o)
		o->held = calloc(FILE_HELD, sizeof(*o->held));
	go_on = o && o->held;
	for (i = 0; go_on && i < FILE_HELD; i++)
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
