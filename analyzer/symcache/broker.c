// SPDX-License-Identifier: GPL-2.0-only
/* The process that opens the cache's files, and the one that asks it. */

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/io.h"
#include "symcache/broker.h"

#define MAX_ASKED (3 * SYMCACHE_KINDS * SYMCACHE_BROKER_FILES)
/* A file in the cache takes at least one block of the disk. */
#define BLOCK	  4096

enum { GET, DROP, PUT };

struct request {
	uint32_t what, reserved;
	struct symcache_key key;
	uint64_t size;
};

int symcache_broker_open(struct symcache_broker *d)
{
	int pair[2] = { -1, -1 };
	int ret = 0;

	d->from = memfd_create("from", MFD_CLOEXEC);
	d->to = memfd_create("to", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	/* sealed: the other process cannot make it larger */
	if (d->from < 0 || d->to < 0 || ftruncate(d->to, SYMCACHE_ENTRY_MAX) ||
	    fcntl(d->to, F_ADD_SEALS,
		  F_SEAL_GROW | F_SEAL_SHRINK | F_SEAL_SEAL) ||
	    socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair))
		ret = -errno;
	d->server = pair[0];
	d->client = pair[1];
	if (ret)
		symcache_broker_close(d);
	return ret;
}

void symcache_broker_close(struct symcache_broker *d)
{
	int *const fds[] = { &d->server, &d->client, &d->from, &d->to };
	unsigned int i;

	for (i = 0; i < 4; i++)
		io_close(fds[i]);
}

int symcache_broker_be_client(struct symcache_broker *d)
{
	char path[32];
	int fd;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", d->from);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	close(d->from);
	d->from = fd;
	close(d->server);
	d->server = -1;
	return 0;
}

static int ask(const struct symcache_broker *d, uint32_t what,
	       const struct symcache_key *key, uint64_t size)
{
	struct request r = { .what = what, .key = *key, .size = size };
	int32_t answer;

	if (send(d->client, &r, sizeof(r), MSG_NOSIGNAL) != sizeof(r) ||
	    recv(d->client, &answer, sizeof(answer), 0) != sizeof(answer))
		return -EPIPE;
	return answer;
}

int symcache_broker_get(const struct symcache_broker *d,
			const struct symcache_key *key)
{
	int ret = ask(d, GET, key, 0);

	if (!ret && lseek(d->from, 0, SEEK_SET))
		ret = -errno;
	return ret;
}

void symcache_broker_drop(const struct symcache_broker *d,
			  const struct symcache_key *key)
{
	ask(d, DROP, key, 0);
}

int symcache_broker_put(const struct symcache_broker *d,
			const struct symcache_key *key, uint64_t size)
{
	return ask(d, PUT, key, size);
}

/* Copies a file of the cache into d->from. */
static int hand_out(const struct symcache_broker *d,
		    const struct symcache_guest *g,
		    const struct symcache_key *key)
{
	int fd = symcache_get(g, key), ret = 0;
	struct stat st;

	if (fd < 0)
		return fd;
	if (ftruncate(d->from, 0) || fstat(fd, &st))
		ret = -errno;
	else
		ret = io_copy(fd, d->from, st.st_size);
	close(fd);
	return ret;
}

/* Answers one request; *room: bytes that may still be put. */
static int answer(const struct symcache_broker *d,
		  const struct symcache_guest *g, const struct request *r,
		  uint64_t *room)
{
	switch (r->what) {
	case GET:
		return hand_out(d, g, &r->key);
	case DROP:
		symcache_drop(g, &r->key);
		return 0;
	}
	if (r->size > *room || *room - r->size < BLOCK)
		return -ENOSPC;
	*room -= r->size + BLOCK;
	return symcache_put(g, &r->key, d->to, r->size);
}

int symcache_broker_serve(struct symcache_broker *d,
			  const struct symcache_guest *g, uint64_t deadline_ns)
{
	uint64_t room = SYMCACHE_GUEST_MAX;
	struct pollfd p = { d->server, POLLIN, 0 };
	unsigned int asked;
	struct request r;
	int32_t ret;
	ssize_t n;

	io_close(&d->client);
	for (asked = 0; asked < MAX_ASKED; asked++) {
		n = poll(&p, 1, clock_left(deadline_ns));
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return -ETIMEDOUT;
		n = recv(d->server, &r, sizeof(r), MSG_TRUNC | MSG_DONTWAIT);
		if (!n)
			return 0;
		if (n != sizeof(r) || r.what > PUT ||
		    r.key.kind >= SYMCACHE_KINDS)
			return -EPROTO;
		ret = answer(d, g, &r, &room);
		/* never blocks: the client waits for one answer at a time */
		if (send(d->server, &ret, sizeof(ret),
			 MSG_NOSIGNAL | MSG_DONTWAIT) < 0)
			return errno == EPIPE ? 0 : -EPROTO;
	}
	return -EPROTO;
}
