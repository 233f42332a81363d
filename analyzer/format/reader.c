// SPDX-License-Identifier: GPL-2.0-only
/* Stream of checked records from one cpu-N.rec; see include/FORMAT.md. */

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/io.h"
#include "format/reader.h"

/* A record is at most 64 KiB - 16, so one always fits. */
#define READER_BUF   (128u << 10)
/*
 * Bytes of one read(): the buffers of all CPUs together should fit into the
 * CPU's cache.
 */
#define READER_PIECE (16u << 10)

int file_hdr_check(const struct vmmprof_file_hdr *hdr, size_t size,
		   unsigned int kind)
{
	if (size < sizeof(*hdr))
		return -ENODATA;
	if (memcmp(hdr->magic, VMMPROF_MAGIC, sizeof(hdr->magic)))
		return -EBADMSG;
	if (hdr->min_version > VMMPROF_FILE_VERSION)
		return -EPROTONOSUPPORT;
	if (hdr->version < VMMPROF_FILE_OLDEST)
		return -ESTALE;
	if (hdr->kind != kind)
		return -EBADMSG;
	if (hdr->hdr_size < sizeof(*hdr) || hdr->hdr_size % 8)
		return -EBADMSG;
	if (hdr->hdr_size > size)
		return -ENODATA;
	return 0;
}

/* Move the rest to the front and fill up to size, at most r->cap. */
static int reader_fill(struct reader *r, size_t size)
{
	ssize_t n;

	if (r->eof)
		return 0;
	memmove(r->buf, r->buf + r->pos, r->len - r->pos);
	r->len -= r->pos;
	r->offset += r->pos;
	r->pos = 0;
	if (r->len >= size)
		return 0;
	n = io_read(r->fd, r->buf + r->len, size - r->len);
	if (n < 0)
		return n;
	r->len += n;
	r->eof = r->len < size;
	return 0;
}

static int reader_start(struct reader *r)
{
	struct vmmprof_file_hdr hdr;
	int ret;

	memset(&hdr, 0, sizeof(hdr));
	memcpy(&hdr, r->buf, r->len < sizeof(hdr) ? r->len : sizeof(hdr));
	ret = file_hdr_check(&hdr, r->len, VMMPROF_FILE_RECORDS);
	if (ret)
		return ret;
	r->cpu = hdr.cpu;
	r->pos = hdr.hdr_size;
	return 0;
}

int reader_init(struct reader *r, int fd)
{
	int ret;

	memset(r, 0, sizeof(*r));
	r->fd = fd;
	r->cap = READER_BUF;
	r->buf = malloc(r->cap + READER_BEHIND);
	if (!r->buf)
		return -ENOMEM;
	ret = reader_fill(r, r->cap);
	if (!ret)
		ret = reader_start(r);
	if (ret)
		reader_deinit(r);
	return ret;
}

int reader_init_mem(struct reader *r, const void *data, size_t size)
{
	int ret;

	memset(r, 0, sizeof(*r));
	r->fd = -1;
	r->eof = true;
	r->cap = size;
	r->len = size;
	r->buf = malloc(size + READER_BEHIND);
	if (!r->buf)
		return -ENOMEM;
	if (size)
		memcpy(r->buf, data, size);
	ret = reader_start(r);
	if (ret)
		reader_deinit(r);
	return ret;
}

void reader_deinit(struct reader *r)
{
	free(r->buf);
	r->buf = NULL;
	r->len = 0;
	r->pos = 0;
	r->eof = true;
}

#define IMPOSSIBLE (~0ul) /* as size: no record has it */

size_t reader_chain_size(const struct vmmprof_rec_chain *c)
{
	const __u32 words = c->hdr.flags & VMMPROF_C_WORDS;
	size_t size = sizeof(*c);

	if (c->hdr.size < sizeof(*c))
		return IMPOSSIBLE;
	if (c->nr_kernel > (words ? VMMPROF_CHAIN_WORDS : VMMPROF_CHAIN_DEPTH))
		return IMPOSSIBLE;
	/* one more: the PC at which user mode was left */
	if (c->nr_user > VMMPROF_CHAIN_DEPTH + 1)
		return IMPOSSIBLE;
	if (c->stack_size > VMMPROF_CHAIN_STACK || c->stack_size % 8)
		return IMPOSSIBLE;
	if (c->hdr.flags & VMMPROF_C_REF && !c->id)
		return IMPOSSIBLE;
	if (c->hdr.flags & VMMPROF_C_REGS)
		size += sizeof(struct vmmprof_chain_regs);
	if (c->hdr.flags & VMMPROF_C_STATE)
		size += sizeof(struct vmmprof_chain_state);
	if (!(c->hdr.flags & VMMPROF_C_REF))
		size += 8ul * (c->nr_kernel + c->nr_user) + c->stack_size;
	return size;
}

/* Smallest size of a record of such a type, 0 for a type that is skipped. */
static size_t reader_min_size(const struct vmmprof_rec_hdr *hdr)
{
	switch (hdr->type) {
	case VMMPROF_REC_SAMPLE:
		return sizeof(struct vmmprof_rec_sample);
	case VMMPROF_REC_LOST:
		return sizeof(struct vmmprof_rec_lost);
	case VMMPROF_REC_THROTTLE:
		return sizeof(struct vmmprof_rec_throttle);
	case VMMPROF_REC_VCPU:
		return sizeof(struct vmmprof_rec_vcpu);
	case VMMPROF_REC_IDENTITY:
		return sizeof(struct vmmprof_rec_identity);
	case VMMPROF_REC_CHAIN:
		return reader_chain_size((const void *)hdr);
	case VMMPROF_REC_PACKED:
		return sizeof(*hdr);
	case VMMPROF_REC_OUT:
	case VMMPROF_REC_IN:
	case VMMPROF_REC_SWITCH:
		return sizeof(struct vmmprof_rec_switch);
	case VMMPROF_REC_WAKE:
	case VMMPROF_REC_MIGRATE:
		return sizeof(struct vmmprof_rec_wake);
	}
	return 0;
}

int reader_next_here(struct reader *r, const struct vmmprof_rec_hdr **ret)
{
	const struct vmmprof_rec_hdr *hdr;
	size_t left, min;

	for (;;) {
		left = r->len - r->pos;
		hdr = (const void *)(r->buf + r->pos);
		if (left < sizeof(*hdr) || left < hdr->size)
			return 0;
		if (hdr->size < sizeof(*hdr) || hdr->size % VMMPROF_REC_ALIGN)
			return -EBADMSG;
		min = reader_min_size(hdr);
		if (hdr->size < min)
			return -EBADMSG;
		r->pos += hdr->size;
		if (min)
			break;
		if (hdr->type != VMMPROF_REC_PAD)
			r->unknown++;
	}
	r->nr++;
	*ret = hdr;
	return 1;
}

int reader_more_keep(struct reader *r, size_t keep, size_t want)
{
	size_t left = r->len - r->pos;
	int ret;

	if (r->eof) {
		r->cut = left;
		return 0;
	}
	r->pos -= keep;
	ret = reader_fill(r, left < want ? keep + want : r->cap);
	r->pos += keep;
	return ret ?: 1;
}

int reader_more(struct reader *r)
{
	return reader_more_keep(r, 0, READER_PIECE);
}

int reader_next(struct reader *r, const struct vmmprof_rec_hdr **ret)
{
	int err = reader_next_here(r, ret);

	while (!err) {
		err = reader_more(r);
		if (err <= 0)
			return err;
		err = reader_next_here(r, ret);
	}
	return err;
}
