// SPDX-License-Identifier: GPL-2.0-only
/*
 * Fuzz entry of analyzer/transport/agent_ops.c and stream_ops.c: what a guest
 * says.  First byte: even, an agent, whose answers are the lines that follow;
 * odd, vmmprof-guest at the end of a stream.
 */

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "transport/agent_ops.h"
#include "transport/guest_program.h"
#include "transport/stream_ops.h"

#define MAX_BUNDLE 4096

int LLVMFuzzerTestOneInput(const __u8 *data, size_t size);

static const char *at;
static size_t left;

static int ask(struct agent_talk *a, const char *request, char **reply)
{
	const char *end = left ? memchr(at, '\n', left) : NULL;

	(void)a;
	if (!memchr(request, '{', 1) || !end)
		return -32; /* EPIPE */
	*reply = strndup(at, end - at);
	left -= end + 1 - at;
	at = end + 1;
	return *reply ? 0 : -12;
}

static void agent(struct channel *c)
{
	struct agent_talk a = { .c = c, .ask = ask, .chunk = 1024 };

	if (agent_check(&a) || agent_watch(&a))
		return;
	if (strchr(a.dir, '\'') || !strstr(a.dir, "/vmmprof."))
		abort();
	if (!agent_fetch(&a))
		agent_code(&a);
}

static void stream(struct channel *c, const __u8 *data, size_t size)
{
	int pair[2];

	if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair))
		abort();
	if (write(pair[1], data, size) != (ssize_t)size)
		abort();
	shutdown(pair[1], SHUT_WR);
	c->fd = pair[0];
	if (!stream_hello(c) && !stream_watch(c) && !stream_fetch(c))
		stream_code(c);
	close(pair[0]);
	close(pair[1]);
}

int LLVMFuzzerTestOneInput(const __u8 *data, size_t size)
{
	struct guest_program program;
	struct channel c = { .guest_program = &program,
			     .max_bytes = MAX_BUNDLE,
			     .fd = -1,
			     .have = -1,
			     .want_code = true,
			     .list = "1 2 3\n",
			     .list_size = 6 };

	if (!size)
		return 0;
	c.out = memfd_create("bundle", 0);
	program.fd = memfd_create("program", 0);
	program.packed = memfd_create("packed", 0);
	c.code = memfd_create("code", 0);
	if (c.out < 0 || program.fd < 0 || program.packed < 0 || c.code < 0 ||
	    write(program.fd, "program", 7) != 7 ||
	    write(program.packed, "packed", 6) != 6)
		abort();
	at = (const char *)data + 1;
	left = size - 1;
	if (data[0] & 1)
		stream(&c, data + 1, size - 1);
	else
		agent(&c);
	if (lseek(c.out, 0, SEEK_END) > MAX_BUNDLE ||
	    lseek(c.code, 0, SEEK_END) > CODE_FILE_MAX ||
	    !memchr(c.text, 0, sizeof(c.text)))
		abort();
	close(c.code);
	close(c.out);
	guest_program_close(&program);
	return 0;
}
