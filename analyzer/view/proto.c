// SPDX-License-Identifier: GPL-2.0-only
/* Messages in protobuf's wire format. */

#include <string.h>

#include "view/proto.h"

void proto_varint(struct proto *m, __u64 v)
{
	for (; v >= 0x80; v >>= 7)
		m->data[m->size++] = v | 0x80;
	m->data[m->size++] = v;
}

void proto_number(struct proto *m, unsigned int field, __u64 v)
{
	proto_varint(m, field << 3);
	proto_varint(m, v);
}

void proto_head(struct proto *m, unsigned int field, size_t size)
{
	proto_varint(m, field << 3 | 2);
	proto_varint(m, size);
}

void proto_bytes(struct proto *m, unsigned int field, const void *p,
		 size_t size)
{
	proto_head(m, field, size);
	memcpy(m->data + m->size, p, size);
	m->size += size;
}

void proto_string(struct proto *m, unsigned int field, const char *s)
{
	size_t len = strlen(s);

	proto_bytes(m, field, s, len < 255 ? len : 255);
}
