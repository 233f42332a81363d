/* SPDX-License-Identifier: GPL-2.0-only */
/* A record file that is merged with others: its records that were read ahead. */
#ifndef FORMAT_MERGE_STREAM_H
#define FORMAT_MERGE_STREAM_H

#include "format/chain_unpack.h"
#include "format/merge_state.h"

#define STREAM_NO_END (~0u)

/*
 * A record that comes next may have its place before the MERGE_WINDOW - 1 ones before
 * it: these are not final.
 */
struct stream {
	struct reader reader;
	int fd;
	int err; /* why it has ended */
	bool end;
	bool odd;   /* a time is not as .key has to be */
	bool slots; /* some of .ahead may be in .slot, or will be */
	char name[32];
	__u64 key;     /* of the last final one */
	__u64 clock;   /* the latest time of a VCPU record so far */
	__u32 at, nr;  /* in .ahead: the next one; behind the last one */
	__u32 final;   /* behind the last final one */
	__u32 ends_at; /* STREAM_NO_END: it is not told of, or was already */
	struct merge_read *ahead;    /* MERGE_READ of them */
	const struct phases *phases; /* NULL: all samples are returned */
	struct left_out left_out;
	/* CHAIN records, as they are returned */
	struct rec_chain chain[MERGE_READ];
	__u32 nr_chains;
	__u8 *packed; /* what follows them, of packed ones; NULL: none came yet */
	size_t nr_packed;
	struct chain_unpack *unpack;
	/* those not final, while the memory they were in is used again */
	union rec slot[MERGE_WINDOW];
	struct {
		void *bytes;
		size_t cap;
	} rest[MERGE_WINDOW]; /* of CHAIN records, by slot */
};

/*
 * Read on, behind the records ahead that were not taken yet: with .slots there may be
 * none.  At the end of the file .end is set, .err, and .ends_at, if there is such a
 * record.
 */
void stream_read_ahead(struct stream *s);

#endif /* FORMAT_MERGE_STREAM_H */
