/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The records of several CPUs as one stream in the order of the host TSC.
 * Within a CPU a record may follow one that interrupted it (an NMI inside an
 * hrtimer handler): a small window per CPU sorts such neighbours.
 */
#ifndef FORMAT_MERGE_H
#define FORMAT_MERGE_H

#include <string.h>

#include "format/merge_state.h"

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

/*
 * Return samples that were taken after all: @nr of a stream, whose places in .read,
 * after its first one there, are in @place, rising.  They come after the record that
 * was returned last.
 */
void merge_give_back(struct merge *m, __u32 stream, const __u8 *place,
		     __u32 nr);

/* The stream of the record that was returned last. */
static inline __u32 merge_stream(const struct merge *m)
{
	return MERGE_STREAM(m->item[m->at - 1]);
}

/* Was the record that was returned last given back? */
static inline bool merge_given_back(const struct merge *m)
{
	return m->given_back[MERGE_ID(m->item[m->at - 1])];
}

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
	return m->at > MERGE_AHEAD && m->at > m->not_ahead;
}

#endif /* FORMAT_MERGE_H */
