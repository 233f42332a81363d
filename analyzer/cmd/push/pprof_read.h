/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Reads a gzipped profile that view/pprof_stacks wrote (github.com/google/pprof,
 * proto/profile.proto).  The bytes may be anybody's: what that does not write is
 * refused.
 */
#ifndef CMD_PUSH_PPROF_READ_H
#define CMD_PUSH_PPROF_READ_H

#include <stdbool.h>
#include <stddef.h>

#include <linux/types.h>

/* Bytes of protobuf that are read one field at a time. */
struct proto_bytes {
	const __u8 *at, *end;
};

/* A field: of wire type 0 (.value) or 2 (.bytes). */
struct proto_field {
	__u32 nr;
	bool is_bytes;
	__u64 value;
	struct proto_bytes bytes;
};

/* False: the end, where .at == .end, or bytes that are no field. */
bool proto_next(struct proto_bytes *b, struct proto_field *f);

/* Messages of a profile, in the order of the file, whose ids count from 1. */
enum pprof_part {
	PPROF_SAMPLE,
	PPROF_MAPPING,
	PPROF_LOCATION, /* one function each, without an address */
	PPROF_FUNCTION,
	PPROF_TEXT,
	NR_PPROF_PARTS,
};

struct pprof {
	void *data; /* unpacked */
	size_t size;
	__u32 nr[NR_PPROF_PARTS];
	__u64 time_ns, duration_ns, period_ns;
	__u32 type, unit; /* texts: what samples count */
};

/* Calls fn for each of them; it ends with what fn returns, if that is not 0. */
typedef int (*pprof_fn)(void *arg, struct proto_bytes message);
int pprof_each(const struct pprof *p, enum pprof_part part, pprof_fn fn,
	       void *arg);

/* 0, -EINVAL (it is no such profile) or -ENOMEM; pprof_close() after 0. */
int pprof_open(struct pprof *p, const void *packed, size_t size);
void pprof_close(struct pprof *p);

#endif /* CMD_PUSH_PPROF_READ_H */
