/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Protobuf's wire format, as much as Perfetto's traces and pprof's profiles
 * need: small messages, built one inside the other from the innermost out.
 */
#ifndef VIEW_PROTO_H
#define VIEW_PROTO_H

#include <stddef.h>
#include <linux/types.h>

/*
 * One message under construction; a zeroed one is empty.  Its size is enough:
 * strings are cut, and no message has more than three of them, or one inner
 * message with three.
 */
struct proto {
	size_t size;
	__u8 data[1024];
};

/* A number as it is, without a field. */
void proto_varint(struct proto *m, __u64 v);

/* A field of wire type 0. */
void proto_number(struct proto *m, unsigned int field, __u64 v);

/* A field of wire type 2: bytes, a message, a string (at most 255 bytes). */
void proto_bytes(struct proto *m, unsigned int field, const void *p,
		 size_t size);
void proto_string(struct proto *m, unsigned int field, const char *s);

/* The head of such a field, when its bytes are written behind it. */
void proto_head(struct proto *m, unsigned int field, size_t size);

#endif /* VIEW_PROTO_H */
