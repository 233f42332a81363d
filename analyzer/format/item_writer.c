// SPDX-License-Identifier: GPL-2.0-only
/* Files of items: a buffer, the header, 8-byte padding, the END item. */

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <x86intrin.h>

#include <vmmprof/maps.h>

#include "base/clock.h"
#include "base/io.h"
#include "format/item_writer.h"

#define BUF_SIZE    (256 << 10)
#define CLOCK_TRIES 16

int item_writer_flush(struct item_writer *w)
{
	if (!w->err && w->used)
		w->err = io_write(w->fd, w->buf, w->used);
	w->used = 0;
	return w->err;
}

static void append(struct item_writer *w, const void *data, size_t size)
{
	if (w->err || !size)
		return;
	if (size > BUF_SIZE - w->used && item_writer_flush(w))
		return;
	if (size >= BUF_SIZE) {
		w->err = io_write(w->fd, data, size);
		return;
	}
	memcpy(w->buf + w->used, data, size);
	w->used += size;
}

int item_writer_begin(struct item_writer *w, int fd, __u16 kind)
{
	const struct vmmprof_file_hdr hdr = {
		.magic = VMMPROF_MAGIC,
		.kind = kind,
		.version = VMMPROF_FILE_VERSION,
		.min_version = VMMPROF_FILE_OLDEST,
		.hdr_size = sizeof(hdr),
	};

	memset(w, 0, sizeof(*w));
	w->buf = malloc(BUF_SIZE);
	if (!w->buf)
		return -ENOMEM;
	w->fd = fd;
	append(w, &hdr, sizeof(hdr));
	return 0;
}

int item_writer_go_on(struct item_writer *w, int fd, __u64 items)
{
	memset(w, 0, sizeof(*w));
	w->buf = malloc(BUF_SIZE);
	if (!w->buf)
		return -ENOMEM;
	w->fd = fd;
	w->items = items;
	return 0;
}

int item_writer_open(struct item_writer *w, int dirfd, const char *path,
		     __u16 kind)
{
	int fd = openat(dirfd, path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC,
			0600);
	int ret;

	if (fd < 0)
		return -errno;
	ret = item_writer_begin(w, fd, kind);
	if (ret)
		close(fd);
	return ret;
}

int item_writer_close(struct item_writer *w, bool finished)
{
	const struct vmmprof_item_end end = { .items = w->items };
	int err;

	if (finished)
		item_put(w, VMMPROF_ITEM_END, &end, sizeof(end), NULL, 0);
	err = item_writer_flush(w);
	if (close(w->fd) && !err)
		err = -errno;
	free(w->buf);
	memset(w, 0, sizeof(*w));
	w->fd = -1;
	w->err = -EBADF;
	return err;
}

/* An item that fits into the buffer with 8 bytes to spare: nearly every one. */
static void put_whole(struct item_writer *w, const struct vmmprof_item_hdr *hdr,
		      const struct iovec *parts, int nr_parts)
{
	__u8 *to = w->buf + w->used;
	int i;

	memcpy(to, hdr, sizeof(*hdr));
	to += sizeof(*hdr);
	for (i = 0; i < nr_parts; i++) {
		if (!parts[i].iov_len)
			continue;
		memcpy(to, parts[i].iov_base, parts[i].iov_len);
		to += parts[i].iov_len;
	}
	memset(to, 0, 8);
	w->used += hdr->size + -hdr->size % 8;
	w->items++;
}

/* There are few of these, however many files are mapped. */
static bool always_fits(__u32 type)
{
	return type < VMMPROF_MAPS_MM || type == VMMPROF_MAPS_LOST ||
	       type == VMMPROF_MAPS_CPUTIME;
}

int item_putv(struct item_writer *w, __u32 type, const struct iovec *parts,
	      int nr_parts)
{
	static const __u8 zeros[8];
	struct vmmprof_item_hdr hdr = { .type = type };
	size_t size = sizeof(hdr);
	int i;

	if (w->err)
		return w->err;
	for (i = 0; i < nr_parts; i++) {
		if (parts[i].iov_len > UINT32_MAX - 8 - size)
			return -EOVERFLOW;
		size += parts[i].iov_len;
	}
	if (w->limit && w->bytes + size > w->limit && !always_fits(type)) {
		w->over++;
		return 0;
	}
	w->bytes += size + -size % 8;
	hdr.size = size;
	if (size + sizeof(zeros) <= BUF_SIZE - w->used) {
		put_whole(w, &hdr, parts, nr_parts);
		return 0;
	}
	append(w, &hdr, sizeof(hdr));
	for (i = 0; i < nr_parts; i++)
		append(w, parts[i].iov_base, parts[i].iov_len);
	append(w, zeros, -size % 8);
	if (!w->err)
		w->items++;
	return w->err;
}

int item_put(struct item_writer *w, __u32 type, const void *item, size_t size,
	     const void *tail, size_t tail_size)
{
	const size_t skip = sizeof(struct vmmprof_item_hdr);
	const struct iovec parts[] = {
		{ (__u8 *)item + skip, size - skip },
		{ (void *)tail, tail_size },
	};

	return item_putv(w, type, parts, 2);
}

int item_over(struct item_writer *w)
{
	const struct vmmprof_maps_lost lost = {
		.count = w->over,
		.what = VMMPROF_LOST_ROOM,
	};

	if (!lost.count)
		return w->err;
	return item_put(w, VMMPROF_MAPS_LOST, &lost, sizeof(lost), NULL, 0);
}

int item_note(struct item_writer *w, const char *fmt, ...)
{
	struct iovec part;
	char text[512];
	va_list ap;
	char *c;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	for (c = text; *c; c++)
		if (*c == '\n' || *c == '\r')
			*c = ' ';
	part.iov_base = text;
	part.iov_len = c + 1 - text;
	return item_putv(w, VMMPROF_ITEM_NOTE, &part, 1);
}

int item_text(struct item_writer *w, const char *key, const char *fmt, ...)
{
	char value[1024];
	struct iovec parts[4] = {
		{ (void *)key, strlen(key) },
		{ "=", 1 },
		{ value, 0 },
		{ "\n", 1 },
	};
	va_list ap;
	char *c;

	va_start(ap, fmt);
	vsnprintf(value, sizeof(value), fmt, ap);
	va_end(ap);
	for (c = value; *c; c++)
		if (*c == '\n')
			*c = ' ';
	parts[2].iov_len = c - value;
	return item_putv(w, VMMPROF_ITEM_TEXT, parts, 4);
}

/* The TSC halfway between two readings around both clocks. */
int item_writer_clock(struct item_writer *w)
{
	struct vmmprof_item_clock best = { 0 };
	__u64 best_span = UINT64_MAX;
	int i;

	for (i = 0; i < CLOCK_TRIES; i++) {
		__u64 before, mono, after, real, end;

		before = __rdtsc();
		mono = clock_now();
		after = __rdtsc();
		real = clock_ns(CLOCK_REALTIME);
		end = __rdtsc();
		if (end - before >= best_span)
			continue;
		best_span = end - before;
		best.tsc = before + (after - before) / 2;
		best.mono_ns = mono;
		best.real_ns = real;
	}
	return item_put(w, VMMPROF_ITEM_CLOCK, &best, sizeof(best), NULL, 0);
}
