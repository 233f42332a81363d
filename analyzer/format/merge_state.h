/* SPDX-License-Identifier: GPL-2.0-only */
/* What a merge (format/merge.h) holds: its records, and those that come next. */
#ifndef FORMAT_MERGE_STATE_H
#define FORMAT_MERGE_STATE_H

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

/* Who deals with some records before those of all streams are sorted. */
struct merge_taker {
	/*
	 * All records until now were returned.  May some of those with times from
	 * @first to *@last be taken?  Not asked again if none of these may be: there
	 * is a VCPU record, or one that came too late.  *last may be made earlier,
	 * but not before @first: who deals with more at a time has those behind it
	 * the next time.
	 */
	bool (*begin)(void *arg, __u64 first, __u64 *last);
	/*
	 * Those of one stream, in order, which stay valid until .begin.  The places
	 * of all that are to be returned, rising, go to @left; how many there are.
	 */
	__u32 (*look)(void *arg, __u32 stream, const struct merge_read *read,
		      __u32 nr, __u8 *left);
	void *arg;
};

/* The records of a CPU behind that time are missing; 0: all of them are. */
struct merge_cut {
	__u64 tsc;
	__u32 cpu;
};

struct merge_cuts {
	struct merge_cut *at; /* room for one of each file */
	size_t nr;
};

static inline void merge_cuts_add(struct merge_cuts *c, __u32 cpu, __u64 tsc)
{
	c->at[c->nr++] = (struct merge_cut){ .tsc = tsc, .cpu = cpu };
}

struct merge {
	struct stream *streams;
	size_t nr;
	/* the records that come next, in their order, and how many did already */
	__u64 *item;
	__u32 nr_items, at;
	__u32 nr_ends;		 /* streams that end behind one of them */
	struct merge_read *read; /* of all streams, by MERGE_ID() */
	__u64 *unsorted;
	__u32 *places;	  /* for sorting */
	bool *given_back; /* as .read */
	/* lent; NULL: all records are returned */
	const struct merge_taker *taker;
	bool taking;
	__u64 first;	  /* the earliest time of those that come next */
	__u64 last_taken; /* the latest of records that may have been taken */
	__u64 nr_taken;
	__u32 not_ahead; /* merge_ahead() did not return those before this one */
	__u32 *cpus;	 /* of each stream: as its file says */
	struct problems *problems;
	struct phases phases; /* the caller's, before the first merge_add() */
	/* the same: those that end too early, right before they do; NULL */
	struct merge_cuts *cuts;
	__u64 records; /* returned or taken */
	__u64 unknown; /* records of unknown types, skipped */
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

#endif /* FORMAT_MERGE_STATE_H */
