// SPDX-License-Identifier: GPL-2.0-only
/* Reads files of JIT code in its own process. */

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "sandbox/fd_pass.h"
#include "os/jit_look.h"
#include "os/jit_reader.h"

#define HEAD offsetof(struct jit_told, codes)

struct reader {
	int sock;
	struct jit_file files[JIT_SLOTS];
	struct jit_told told;
};

static int tell(struct reader *r)
{
	ssize_t n = send(r->sock, &r->told, HEAD + r->told.size, MSG_NOSIGNAL);

	r->told.size = 0;
	return n < 0 ? -errno : 0;
}

/* For jit_look(). */
static int keep(void *arg, const struct jit_code *code)
{
	struct jit_said said = {
		.ns = code->ns,
		.addr = code->addr,
		.size = code->size,
		.stamped = code->stamped,
		.fresh = code->fresh,
		.name = strlen(code->name),
	};
	struct reader *r = arg;
	int ret = 0;

	if (r->told.size + sizeof(said) + said.name > sizeof(r->told.codes))
		ret = tell(r);
	memcpy(r->told.codes + r->told.size, &said, sizeof(said));
	r->told.size += sizeof(said);
	memcpy(r->told.codes + r->told.size, code->name, said.name);
	r->told.size += said.name;
	return ret;
}

static int look(struct reader *r, const struct jit_ask *ask)
{
	struct jit_file *f = &r->files[ask->slot];

	r->told.slot = ask->slot;
	r->told.serial = ask->serial;
	r->told.done = 0;
	r->told.size = 0;
	/* if a file cannot be read only its names are missing */
	if (f->win)
		jit_look(f, ask->limit, keep, r);
	r->told.pos = f->pos;
	r->told.cut = f->cut;
	r->told.done = 1;
	return tell(r);
}

static void add(struct reader *r, const struct jit_ask *ask, int fd)
{
	struct jit_file *f = &r->files[ask->slot];

	jit_file_deinit(f);
	if (jit_file_init(f, fd, ask->dump))
		close(fd);
	else
		f->pos = ask->pos;
}

void jit_reader_run(int sock)
{
	struct reader *r = calloc(1, sizeof(*r));
	struct jit_ask ask;
	ssize_t n = 1;
	int fd;

	if (!r)
		return;
	r->sock = sock;
	while (n > 0 || n == -EINTR) {
		n = fdpass_receive(sock, &ask, sizeof(ask), 0, &fd);
		if (n != sizeof(ask) || ask.slot >= JIT_SLOTS)
			continue;
		if (ask.what == JIT_ADD && fd >= 0)
			add(r, &ask, fd);
		else if (ask.what == JIT_DROP)
			jit_file_deinit(&r->files[ask.slot]);
		else if (ask.what == JIT_LOOK && look(r, &ask))
			break;
	}
}

int jit_reader_next(const struct jit_told *told, size_t n, size_t *at,
		    struct jit_code *ret)
{
	struct jit_said said;
	size_t left;

	if (n < HEAD || told->size != n - HEAD || *at > told->size)
		return -EBADMSG;
	left = told->size - *at;
	if (!left)
		return 0;
	if (left < sizeof(said))
		return -EBADMSG;
	memcpy(&said, told->codes + *at, sizeof(said));
	left -= sizeof(said);
	if (!said.name || said.name > left || said.name >= sizeof(ret->name) ||
	    !said.size || said.addr + said.size <= said.addr)
		return -EBADMSG;
	ret->ns = said.ns;
	ret->addr = said.addr;
	ret->size = said.size;
	ret->stamped = said.stamped;
	ret->fresh = said.fresh;
	memcpy(ret->name, told->codes + *at + sizeof(said), said.name);
	ret->name[said.name] = '\0';
	*at += sizeof(said) + said.name;
	return strlen(ret->name) == said.name ? 1 : -EBADMSG;
}
