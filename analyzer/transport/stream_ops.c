// SPDX-License-Identifier: GPL-2.0-only
/* The commands for `vmmprof-guest serve`, and how its answers are checked. */

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <vmmprof/serve.h>

#include "base/clock.h"
#include "transport/channel.h"
#include "transport/stream_ops.h"

/* Lines that may precede the first one of ours: a login's greeting. */
#define GREETING_LINES 100

int stream_write(struct channel *c, const void *data, size_t size)
{
	int err = channel_send(c, data, size, "the guest takes no data",
			       "the connection");

	if (!err)
		c->sent += size;
	return err;
}

/* Receives what arrived: 1 to size bytes. */
static ssize_t read_some(struct channel *c, void *buf, size_t size)
{
	ssize_t n = channel_recv(c, buf, size, "the guest does not answer",
				 "the guest closed the connection");

	if (n > 0)
		c->received += n;
	return n;
}

/* Reads a byte at a time, so that nothing after the line is consumed. */
static int read_line(struct channel *c, char *line, size_t size)
{
	size_t len = 0;
	ssize_t n;

	while (len < size) {
		n = read_some(c, line + len, 1);
		if (n < 0)
			return n;
		if (line[len] == '\n') {
			line[len] = '\0';
			return 0;
		}
		len++;
	}
	return channel_fail(c, -EFBIG, "the guest's answer has no end");
}

/* Reads a line that must begin with @want; @line: the rest of it. */
static int expect(struct channel *c, const char *want, char *line)
{
	size_t len = strlen(want);
	int err = read_line(c, line, VMMPROF_SERVE_LINE);

	/* the first command that has an answer there comes after this one */
	if (!err && c->unwind && !strcmp(line, VMMPROF_SERVE_UNKNOWN)) {
		c->unwind = false;
		c->no_unwind = true;
		err = read_line(c, line, VMMPROF_SERVE_LINE);
	}
	if (err)
		return err;
	if (!strncmp(line, "error ", 6))
		return channel_fail(c, -EREMOTEIO,
				    "vmmprof-guest failed there: %s", line + 6);
	if (strncmp(line, want, len))
		return channel_fail(c, -EBADMSG, "the guest's answer is '%s'",
				    line);
	memmove(line, line + len, strlen(line + len) + 1);
	return 0;
}

int stream_hello(struct channel *c)
{
	char line[VMMPROF_SERVE_LINE];
	unsigned int i;
	int err;

	for (i = 0; i < GREETING_LINES; i++) {
		err = read_line(c, line, sizeof(line));
		if (err || !strcmp(line, VMMPROF_SERVE_HELLO))
			return err;
		if (!strncmp(line, "VMMPROF ", 8))
			return channel_fail(
				c, -EPROTONOSUPPORT,
				"vmmprof-guest there is of another version: replace it by this host's");
		if (!strncmp(line, "error ", 6))
			return channel_fail(c, -EREMOTEIO, "%s", line + 6);
	}
	return channel_fail(c, -EBADMSG, "no vmmprof-guest answers");
}

static int command(struct channel *c, const char *line)
{
	return stream_write(c, line, strlen(line));
}

/*
 * Tells the guest what is wanted beside the usual, and which files' symbols it
 * need not send.
 */
static int send_wishes(struct channel *c)
{
	char line[64], buf[20 * 512];
	struct stat st;
	off_t at = 0;
	int err;

	err = c->unwind ? command(c, "unwind\n") : 0;
	if (err || c->have < 0)
		return err;
	if (fstat(c->have, &st) || st.st_size > VMMPROF_SERVE_HAVE)
		return channel_fail(c, -EINVAL,
				    "the list of cached build-ids is damaged");
	snprintf(line, sizeof(line), "have %lld\n", (long long)st.st_size);
	err = command(c, line);
	while (!err && at < st.st_size) {
		ssize_t n = pread(c->have, buf, sizeof(buf), at);

		if (n <= 0)
			return channel_fail(
				c, -EIO,
				"cannot read the list of cached build-ids");
		err = stream_write(c, buf, n);
		at += n;
	}
	return err;
}

int stream_watch(struct channel *c)
{
	char line[VMMPROF_SERVE_LINE];
	int err = send_wishes(c);

	if (err)
		return err;
	snprintf(line, sizeof(line), "watch %u\n", c->watch_limit);
	err = command(c, line);
	return err ? err : expect(c, "ready", line);
}

/* Copies the next @size bytes into a file. */
static int read_file(struct channel *c, int out, uint64_t size)
{
	char buf[65536];
	uint64_t at = 0;

	while (at < size) {
		uint64_t left = size - at;
		ssize_t n = read_some(c, buf,
				      left < sizeof(buf) ? left : sizeof(buf));

		if (n < 0)
			return n;
		if (pwrite(out, buf, n, at) != n)
			return channel_fail(
				c, -EIO, "cannot write what the guest sends");
		at += n;
	}
	return 0;
}

/* Reads "WORD SIZE", and copies that many bytes into a file. */
static int expect_file(struct channel *c, const char *word, int out,
		       uint64_t max, uint64_t *size)
{
	char line[VMMPROF_SERVE_LINE], *end;
	int err = expect(c, word, line);

	if (err)
		return err;
	errno = 0;
	*size = strtoull(line, &end, 10);
	if (*line < '0' || *line > '9' || *end || errno)
		return channel_fail(c, -EBADMSG,
				    "the guest's answer has no size of its %s",
				    word);
	if (*size > max)
		return channel_fail(c, -EFBIG,
				    "the %sis larger than %" PRIu64
				    " MiB: refused",
				    word, max >> 20);
	return read_file(c, out, *size);
}

int stream_fetch(struct channel *c)
{
	uint64_t size;
	int err = 0;

	if (!c->watch_limit) /* stream_watch() was not called, so send it now */
		err = send_wishes(c);
	if (!err)
		err = command(c, "fetch\n");
	return err ? err :
		     expect_file(c, "bundle ", c->out, c->max_bytes, &size);
}

int stream_code(struct channel *c)
{
	char line[64];
	int err;

	if (!c->list_size)
		return 0;
	snprintf(line, sizeof(line), "code %zu\n", c->list_size);
	err = command(c, line);
	if (!err)
		err = stream_write(c, c->list, c->list_size);
	if (!err)
		err = expect_file(c, "code ", c->code, CODE_FILE_MAX,
				  &c->code_size);
	if (err)
		c->code_size = 0;
	return err;
}
