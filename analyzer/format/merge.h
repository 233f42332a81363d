/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The records of several CPUs as one stream in the order of the host TSC.
 * Within a CPU a record may follow one that interrupted it (an NMI inside an
 * hrtimer handler): a small window per CPU sorts such neighbours.
 */
#ifndef FORMAT_MERGE_H
#define FORMAT_MERGE_H

#include <string.h>

#include "base/problem.h"
#include "format/phases.h"
#include "format/reader.h"

#define MERGE_WINDOW  4
#define MERGE_REC_MAX 128 /* longer ones are cut to this, but not CHAIN */

struct stream;

union rec;

#define MERGE_AHEAD	   8 /* records that merge_ahead() looks ahead */

#define MERGE_READ	   256 /* records that a stream has read ahead, at most */
#define MERGE_FILES	   8192

/*
 * One of the records that are sorted at a time is one number: its time, then its
 * stream, then its place among those that this stream has read ahead.
 */
#define MERGE_ID_BITS	   21
#define MERGE_ID(item)	   ((item) & ((1u << MERGE_ID_BITS) - 1))
#define MERGE_STREAM(item) (MERGE_ID(item) / MERGE_READ)

_Static_assert(MERGE_FILES *MERGE_READ == 1 << MERGE_ID_BITS, "one number");

/* A record that was read ahead. */
struct merge_read {
	/*
	 * Its time; of one whose place is final, if it is later, that of the
	 * latest before it: it came too late and comes at once.
	 */
	__u64 key;
	union rec *rec;
};

/* A CHAIN record: its struct, and what follows it. */
struct rec_chain {
	struct vmmprof_rec_chain head;
	/* head.hdr.size - sizeof(head) bytes; as long as the record is valid */
	const void *rest;
};

struct merge {
	struct stream *streams;
	size_t nr;
	/* the records that come next, in their order, and how many did already */
	__u64 *item;
	__u32 nr_items, at;
	__u32 nr_ends;		 /* streams that end behind one of them */
	struct merge_read *read; /* of all streams, by MERGE_ID() */
	__u64 *unsorted;
	__u32 *places; /* for sorting */
	__u32 *cpus;   /* of each stream: as its file says */
	struct problems *problems;
	struct phases phases; /* the caller's, before the first merge_add() */
	__u64 records;	      /* returned */
	__u64 unknown;	      /* records of unknown types, skipped */
	/* older than one returned before; CHAIN and IDENTITY are not counted */
	__u64 unordered;
	__u64 last_tsc;
	__u32 cpu;    /* whose record was returned last, by its file */
	bool damaged; /* a file could not be read to its end */
};

union rec {
	struct vmmprof_rec_hdr hdr;
	struct vmmprof_rec_sample sample;
	struct vmmprof_rec_lost lost;
	struct vmmprof_rec_throttle throttle;
	struct vmmprof_rec_vcpu vcpu;
	struct vmmprof_rec_identity identity;
	struct vmmprof_rec_switch sw; /* OUT, IN, SWITCH */
	struct vmmprof_rec_wake wake; /* WAKE, MIGRATE */
	struct rec_chain chain;
	__u8 raw[MERGE_REC_MAX];
};

/* A CHAIN record's data, behind what its flags say; NULL: it has no more. */
static inline const char *rec_chain_data(const struct rec_chain *c)
{
	size_t at = (c->head.hdr.flags & VMMPROF_C_REGS ?
			     sizeof(struct vmmprof_chain_regs) :
			     0) +
		    (c->head.hdr.flags & VMMPROF_C_STATE ?
			     sizeof(struct vmmprof_chain_state) :
			     0);

	return c->rest ? (const char *)c->rest + at : NULL;
}

/* Its state; false: it has none. */
static inline bool rec_chain_state(const struct rec_chain *c,
				   struct vmmprof_chain_state *ret)
{
	if (!(c->head.hdr.flags & VMMPROF_C_STATE))
		return false;
	memcpy(ret, rec_chain_data(c) - sizeof(*ret), sizeof(*ret));
	return true;
}

/*
 * Prepare to merge up to max record files, of which there are at most
 * MERGE_FILES.  Problems are noted in problems,
 * which must outlive m.  Returns 0 or -ENOMEM.
 */
int merge_init(struct merge *m, size_t max, struct problems *problems);

/*
 * Add the record file fd under a name for messages.  Takes fd, also when it
 * fails.  Returns 0 or what reader_init() says; a file that cannot be
 * read does not keep the others from being merged.
 */
int merge_add(struct merge *m, int fd, const char *name);

void merge_deinit(struct merge *m);

/* Samples of stream @i that its phases left out so far. */
__u64 merge_left_out(const struct merge *m, size_t i);

/* Sort the records that come next.  False: there are none. */
bool merge_more(struct merge *m);

/* With .nr_ends: tell if a stream ends behind the next few records. */
void merge_look_for_end(struct merge *m, __u64 item);

/*
 * The next record, valid until the next call.  Returns 1, or 0 at the end.
 * Records of the same time of one file come in the order of the file.
 * A file that turns out damaged ends there, with a line in the problems.
 */
static inline int merge_next(struct merge *m, const union rec **ret)
{
	const union rec *rec;
	__u64 item;

	if (m->at == m->nr_items && !merge_more(m))
		return 0;
	item = m->item[m->at++];
	if (m->nr_ends)
		merge_look_for_end(m, item);
	/* far ahead, so that merge_ahead()'s is in the cache; or any other one */
	__builtin_prefetch(
		m->read[MERGE_ID(m->item[m->at + 2 * MERGE_AHEAD])].rec);
	m->cpu = m->cpus[MERGE_STREAM(item)];
	m->records++;
	rec = m->read[MERGE_ID(item)].rec;
	*ret = rec;
	if (rec->hdr.tsc < m->last_tsc) {
		/* it has the time of the record that it belongs to */
		if (rec->hdr.type == VMMPROF_REC_CHAIN ||
		    rec->hdr.type == VMMPROF_REC_IDENTITY)
			return 1;
		m->unordered++;
	}
	m->last_tsc = rec->hdr.tsc;
	return 1;
}

/*
 * The record that will be returned MERGE_AHEAD records after the last one; NULL:
 * it is not known yet.
 */
static inline const union rec *merge_ahead(const struct merge *m)
{
	const __u32 i = m->at - 1 + MERGE_AHEAD;

	return i < m->nr_items ? m->read[MERGE_ID(m->item[i])].rec : NULL;
}

/* Did merge_ahead() return the last one, if it was asked for each? */
static inline bool merge_was_ahead(const struct merge *m)
{
	return m->at > MERGE_AHEAD;
}

#endif /* FORMAT_MERGE_H */
