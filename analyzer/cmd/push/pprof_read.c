// SPDX-License-Identifier: GPL-2.0-only

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/gzip.h"
#include "cmd/push/pprof_read.h"

#define UNPACKED_MAX (16u << 20) /* bytes: what export makes has 4 MiB */

static bool read_varint(struct proto_bytes *b, __u64 *v)
{
	unsigned int shift;

	*v = 0;
	for (shift = 0; shift < 64 && b->at < b->end; shift += 7) {
		*v |= (__u64)(*b->at & 0x7f) << shift;
		if (!(*b->at++ & 0x80))
			return true;
	}
	return false;
}

bool proto_next(struct proto_bytes *b, struct proto_field *f)
{
	struct proto_bytes at = *b;
	__u64 tag;

	if (!read_varint(&at, &tag) || tag >> 3 > 0xffff ||
	    !read_varint(&at, &f->value))
		return false;
	f->nr = tag >> 3;
	f->is_bytes = (tag & 7) == 2;
	if ((tag & 7) && !f->is_bytes)
		return false;
	if (f->is_bytes) {
		if (f->value > (__u64)(at.end - at.at))
			return false;
		f->bytes.at = at.at;
		f->bytes.end = at.at += f->value;
	}
	*b = at;
	return true;
}

static const __u8 part_fields[NR_PPROF_PARTS] = {
	[PPROF_SAMPLE] = 2,   [PPROF_MAPPING] = 3, [PPROF_LOCATION] = 4,
	[PPROF_FUNCTION] = 5, [PPROF_TEXT] = 6,
};

int pprof_each(const struct pprof *p, enum pprof_part part, pprof_fn fn,
	       void *arg)
{
	const __u8 *data = p->data;
	struct proto_bytes b = { data, data + p->size };
	struct proto_field f;
	int ret = 0;

	while (!ret && proto_next(&b, &f)) {
		if (f.nr == part_fields[part])
			ret = fn(arg, f.bytes);
	}
	return ret;
}

/* ValueType: type = 1, unit = 2 */
static bool read_type(struct pprof *p, struct proto_bytes b)
{
	struct proto_field f;

	while (proto_next(&b, &f)) {
		if (f.is_bytes || f.value > ~0u)
			return false;
		if (f.nr == 1)
			p->type = f.value;
		if (f.nr == 2)
			p->unit = f.value;
	}
	return b.at == b.end;
}

static bool read_field(struct pprof *p, const struct proto_field *f)
{
	unsigned int i;

	for (i = 0; i < NR_PPROF_PARTS; i++) {
		if (f->nr != part_fields[i])
			continue;
		p->nr[i]++;
		return f->is_bytes;
	}
	switch (f->nr) {
	case 1:
	case 11:
		/* what is counted, and in what its period is: the same */
		return f->is_bytes && read_type(p, f->bytes);
	case 9:
		p->time_ns = f->value;
		break;
	case 10:
		p->duration_ns = f->value;
		break;
	case 12:
		p->period_ns = f->value;
		break;
	default:
		return false;
	}
	return !f->is_bytes;
}

static int unpack(struct pprof *p, const void *packed, size_t size)
{
	struct gunzip g = { 0 };
	size_t room = 64 << 10;
	ssize_t n = 1;
	void *more;

	gunzip_feed(&g, packed, size);
	while (n > 0 && !g.ended) {
		room *= 2;
		more = room > UNPACKED_MAX ? NULL : realloc(p->data, room);
		if (!more) {
			gunzip_end(&g);
			return room > UNPACKED_MAX ? -EINVAL : -ENOMEM;
		}
		p->data = more;
		n = gunzip_read(&g, p->data + p->size, room - p->size);
		p->size += n > 0 ? n : 0;
	}
	gunzip_end(&g);
	return n == -ENOMEM ? -ENOMEM : n < 0 || !g.ended ? -EINVAL : 0;
}

int pprof_open(struct pprof *p, const void *packed, size_t size)
{
	struct proto_field f;
	struct proto_bytes b;
	int ret;

	memset(p, 0, sizeof(*p));
	ret = unpack(p, packed, size);
	b.at = p->data;
	b.end = b.at + p->size;
	while (!ret && proto_next(&b, &f)) {
		if (!read_field(p, &f))
			ret = -EINVAL;
	}
	if (!ret && (b.at != b.end || p->type >= p->nr[PPROF_TEXT] ||
		     p->unit >= p->nr[PPROF_TEXT]))
		ret = -EINVAL;
	if (ret)
		pprof_close(p);
	return ret;
}

void pprof_close(struct pprof *p)
{
	free(p->data);
	p->data = NULL;
}
