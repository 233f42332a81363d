// SPDX-License-Identifier: GPL-2.0-only
/* Messages in protobuf's wire format. */

#include <string.h>

#include "view/proto.h"

void vmmprof_proto_varint(struct vmmprof_proto *m, __u64 v)
{
	for (; v >= 0x80; v >>= 7)
		m->data[m->size++] = v | 0x80;
	m->data[m->size++] = v;
}

void vmmprof_proto_number(struct vmmprof_proto *m, unsigned int field, __u64 v)
{
	vmmprof_proto_varint(m, field << 3);
	vmmprof_proto_varint(m, v);
}

void vmmprof_proto_head(struct vmmprof_proto *m, unsigned int field,
			size_t size)
{
	vmmprof_proto_varint(m, field << 3 | 2);
	vmmprof_proto_varint(m, size);
}

void vmmprof_proto_bytes(struct vmmprof_proto *m, unsigned int field,
			 const void *p, size_t size)
{
	vmmprof_proto_head(m, field, size);
	memcpy(m->data + m->size, p, size);
	m->size += size;
}

void vmmprof_proto_string(struct vmmprof_proto *m, unsigned int field,
			  const char *s)
{
	size_t len = strlen(s);

	vmmprof_proto_bytes(m, field, s, len < 255 ? len : 255);
}
