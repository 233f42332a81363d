// SPDX-License-Identifier: GPL-2.0-only

#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <resolv.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/gzip.h"
#include "transport/agent_call.h"
#include "transport/agent_file.h"
#include "transport/channel.h"

/* The agent's handle of a file. */
static int open_file(struct agent_talk *a, const char *name, const char *ending,
		     const char *mode, json_int_t *handle)
{
	char path[128];
	json_t *ret;
	int err;

	snprintf(path, sizeof(path), "%s/%s%s", a->dir, name, ending);
	err = agent_call(a, "guest-file-open",
			 json_pack("{s:s, s:s}", "path", path, "mode", mode),
			 &ret);
	if (err)
		return err;
	*handle = json_integer_value(ret);
	if (!json_is_integer(ret))
		err = channel_fail(a->c, -EBADMSG,
				   "guest-file-open returned no handle");
	json_decref(ret);
	return err;
}

static int close_file(struct agent_talk *a, json_int_t handle)
{
	json_t *ret;
	int err = agent_call(a, "guest-file-close",
			     json_pack("{s:I}", "handle", handle), &ret);

	if (!err)
		json_decref(ret);
	return err;
}

/* Writes size bytes, which the agent may take in parts. */
static int write_part(struct agent_talk *a, json_int_t handle,
		      const unsigned char *data, size_t size, char *text,
		      size_t text_size)
{
	json_t *ret, *count;
	json_int_t n;
	int err;

	while (size) {
		if (b64_ntop(data, size, text, text_size) < 0)
			return -EINVAL;
		err = agent_call(a, "guest-file-write",
				 json_pack("{s:I, s:s}", "handle", handle,
					   "buf-b64", text),
				 &ret);
		if (err)
			return err;
		count = json_object_get(ret, "count");
		n = json_is_integer(count) ? json_integer_value(count) : 0;
		json_decref(ret);
		if (n <= 0 || (size_t)n > size)
			return channel_fail(
				a->c, -EBADMSG,
				"guest-file-write returned a wrong count");
		data += n;
		size -= n;
	}
	return 0;
}

static int push_parts(struct agent_talk *a, int fd, json_int_t handle)
{
	size_t text_size = 4 * (a->chunk / 3 + 2);
	unsigned char *buf = malloc(a->chunk);
	char *text = malloc(text_size);
	off_t at = 0;
	ssize_t n;
	int err = buf && text ? 0 : -ENOMEM;

	while (!err) {
		n = pread(fd, buf, a->chunk, at);
		if (n <= 0) {
			err = n ? -errno : 0;
			break;
		}
		err = write_part(a, handle, buf, n, text, text_size);
		at += n;
	}
	free(buf);
	free(text);
	return err;
}

int agent_push_file(struct agent_talk *a, int fd, const char *name)
{
	json_int_t handle;
	int err, err2;

	err = open_file(a, name, "", "w", &handle);
	if (err)
		return err;
	err = push_parts(a, fd, handle);
	err2 = close_file(a, handle);
	return err ? err : err2;
}

int agent_push_data(struct agent_talk *a, const char *name, const char *data,
		    size_t size)
{
	size_t text_size = 4 * (a->chunk / 3 + 2), at = 0, n;
	char *text = malloc(text_size);
	json_int_t handle;
	int err, err2;

	if (!text)
		return -ENOMEM;
	err = open_file(a, name, "", "w", &handle);
	for (; !err && at < size; at += n) {
		n = size - at;
		if (n > a->chunk)
			n = a->chunk;
		err = write_part(a, handle, (const unsigned char *)data + at, n,
				 text, text_size);
	}
	if (at) {
		err2 = close_file(a, handle);
		err = err ? err : err2;
	}
	free(text);
	return err;
}

/* What a file is fetched with. */
struct fetch {
	struct agent_file *f;
	struct gunzip gunzip;
	uint64_t read; /* bytes of the file there */
	unsigned char *buf;
};

static int too_large(const struct agent_talk *a, const struct agent_file *f)
{
	return channel_fail(a->c, -EFBIG,
			    "the %s is larger than %" PRIu64 " MiB: refused",
			    f->name, f->max >> 20);
}

static int write_here(struct agent_talk *a, struct agent_file *f,
		      const void *data, size_t size)
{
	if (f->size + size > f->max)
		return too_large(a, f);
	if (pwrite(f->out, data, size, f->size) != (ssize_t)size)
		return channel_fail(a->c, -EIO, "cannot write the %s here",
				    f->name);
	f->size += size;
	return 0;
}

static int write_unpacked(struct agent_talk *a, struct fetch *t, size_t size)
{
	char out[65536];
	ssize_t n;
	int err;

	gunzip_feed(&t->gunzip, t->buf, size);
	while ((n = gunzip_read(&t->gunzip, out, sizeof(out))) > 0) {
		err = write_here(a, t->f, out, n);
		if (err)
			return err;
	}
	return n ? channel_fail(a->c, n, "the %s from there is no gzip file",
				t->f->name) :
		   0;
}

/* Reads one piece of it.  1: there is more, 0: the end; or -errno. */
static int read_part(struct agent_talk *a, json_int_t handle, struct fetch *t)
{
	json_t *ret, *text;
	int err, n = -1;
	bool eof;

	err = agent_call(a, "guest-file-read",
			 json_pack("{s:I, s:I}", "handle", handle, "count",
				   (json_int_t)a->chunk),
			 &ret);
	if (err)
		return err;
	eof = json_is_true(json_object_get(ret, "eof"));
	text = json_object_get(ret, "buf-b64");
	if (json_is_string(text))
		n = b64_pton(json_string_value(text), t->buf, a->chunk + 2);
	json_decref(ret);
	if (n < 0 || (!n && !eof))
		return channel_fail(a->c, -EBADMSG,
				    "guest-file-read returned no data");
	t->read += n;
	if (t->read > t->f->max)
		return too_large(a, t->f);
	err = t->f->packed ? write_unpacked(a, t, n) :
			     write_here(a, t->f, t->buf, n);
	if (!err && eof && t->f->packed && !t->gunzip.ended)
		err = channel_fail(a->c, -EBADMSG,
				   "the %s from there is cut off", t->f->name);
	return err ? err : !eof;
}

int agent_fetch_file(struct agent_talk *a, struct agent_file *f)
{
	struct fetch t = { .f = f, .buf = malloc(a->chunk + 2) };
	json_int_t handle;
	int err, err2;

	if (!t.buf)
		return -ENOMEM;
	err = open_file(a, f->name, f->packed ? ".gz" : "", "r", &handle);
	if (!err) {
		do
			err = read_part(a, handle, &t);
		while (err > 0);
		err2 = close_file(a, handle);
		err = err ? err : err2;
	}
	gunzip_end(&t.gunzip);
	free(t.buf);
	return err;
}
