// SPDX-License-Identifier: GPL-2.0-only
/* Reads a file's records ahead, each in its place among those of the file. */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "format/merge_stream.h"

#define WINDOW	   MERGE_WINDOW
#define AHEAD	   MERGE_READ
#define LAST_KEY   (~0ull - 1)
#define PACKED_MAX (32u << 10) /* bytes of chains that were packed */
#define KEEP_MAX   (32u << 10) /* bytes of records that are read ahead */

_Static_assert(MERGE_REC_MAX <= READER_BEHIND, "records may be copied whole");

static bool in_slot(const struct stream *s, const union rec *rec)
{
	return rec >= s->slot && rec < s->slot + WINDOW;
}

static bool any_in_slot(const struct stream *s)
{
	__u32 i;

	for (i = 0; i < s->nr; i++)
		if (in_slot(s, s->ahead[i].rec))
			return true;
	return false;
}

/* There is one: fewer records than slots are not final. */
static unsigned int free_slot(const struct stream *s)
{
	unsigned int used = 0, i;

	for (i = 0; i < s->nr; i++)
		if (in_slot(s, s->ahead[i].rec))
			used |= 1u << (s->ahead[i].rec - s->slot);
	for (i = 0; used & 1u << i;)
		i++;
	return i;
}

/* What follows the struct of a CHAIN record, which is longer than a slot. */
static int keep_rest(struct stream *s, unsigned int slot)
{
	struct rec_chain *c = &s->slot[slot].chain;
	size_t size = c->head.hdr.size - sizeof(c->head);
	void *more;

	if (size > s->rest[slot].cap) {
		more = realloc(s->rest[slot].bytes, size);
		if (!more)
			return -ENOMEM;
		s->rest[slot].bytes = more;
		s->rest[slot].cap = size;
	}
	if (size)
		memcpy(s->rest[slot].bytes, c->rest, size);
	c->rest = s->rest[slot].bytes;
	return 0;
}

/* The memory that all records ahead are in will be used for others. */
static int keep_all(struct stream *s)
{
	struct merge_read *a;
	unsigned int slot;
	int err = 0;

	for (a = s->ahead; a < s->ahead + s->nr && !err; a++) {
		if (in_slot(s, a->rec))
			continue;
		slot = free_slot(s);
		if (a->rec->hdr.type == VMMPROF_REC_CHAIN) {
			s->slot[slot].chain = a->rec->chain;
			err = keep_rest(s, slot);
		} else {
			s->slot[slot] = *a->rec;
		}
		a->rec = &s->slot[slot];
	}
	return err;
}

/*
 * The sample that it belongs to, which stands a few records before it, has its
 * number from now on.
 */
static void give_identity(struct stream *s,
			  const struct vmmprof_rec_identity *who)
{
	__u32 i = s->nr < WINDOW ? 0 : s->nr - (WINDOW - 1);
	struct vmmprof_rec_sample *sample;

	for (; i < s->nr; i++) {
		sample = &s->ahead[i].rec->sample;
		if (sample->hdr.type == VMMPROF_REC_SAMPLE &&
		    sample->hdr.tsc == who->hdr.tsc &&
		    sample->identity == VMMPROF_WHO_LATER)
			sample->identity = who->id;
	}
}

static union rec *read_chain(struct stream *s,
			     const struct vmmprof_rec_chain *c,
			     const void *rest)
{
	struct rec_chain *ret = &s->chain[s->nr_chains++];

	s->slots = true;
	ret->head = *c;
	ret->rest = rest;
	return (union rec *)ret;
}

static int read_packed(struct stream *s, const struct vmmprof_rec_hdr *hdr,
		       union rec **ret)
{
	const struct vmmprof_rec_chain *c;
	size_t size;
	int err;

	if (!s->unpack)
		s->unpack = chain_unpack_new();
	if (!s->packed)
		s->packed = malloc(PACKED_MAX + sizeof(s->unpack->rec));
	if (!s->unpack || !s->packed)
		return -ENOMEM;
	err = chain_unpack(s->unpack, hdr);
	if (err)
		return err;
	c = &s->unpack->rec.head;
	size = c->hdr.size - sizeof(*c);
	memcpy(s->packed + s->nr_packed, s->unpack->rec.more, size);
	*ret = read_chain(s, c, s->packed + s->nr_packed);
	s->nr_packed += size;
	return 0;
}

/* A record as it is returned.  0 or -errno. */
static int read_record(struct stream *s, struct vmmprof_rec_hdr *hdr,
		       union rec **ret)
{
	*ret = (union rec *)hdr;
	if (hdr->type == VMMPROF_REC_CHAIN)
		*ret = read_chain(s, (const void *)hdr,
				  (const struct vmmprof_rec_chain *)hdr + 1);
	else if (hdr->type == VMMPROF_REC_PACKED)
		return read_packed(s, hdr, ret);
	else if (hdr->type == VMMPROF_REC_IDENTITY &&
		 hdr->flags & VMMPROF_I_SAMPLE)
		give_identity(s, (const void *)hdr);
	else if (hdr->type == VMMPROF_REC_VCPU && hdr->tsc > s->clock)
		s->clock = hdr->tsc;
	return 0;
}

/* Neither later nor earlier than it may be: an odd time has make_final() look. */
static void add_earlier(struct stream *s, __u32 i, union rec *rec, __u64 tsc)
{
	struct merge_read *a = s->ahead;
	const __u32 first = i < WINDOW ? 0 : i - (WINDOW - 1);

	for (; i > first && a[i - 1].key > tsc; i--)
		a[i] = a[i - 1];
	s->odd |= (i ? a[i - 1].key : s->key) > tsc || tsc > LAST_KEY;
	a[i].key = tsc;
	a[i].rec = rec;
}

/* The usual case is 'newest last'. */
static inline void add_ahead(struct stream *s, __u32 i, union rec *rec,
			     __u64 tsc)
{
	struct merge_read *a = &s->ahead[i];

	if (!i || a[-1].key > tsc || tsc > LAST_KEY) {
		add_earlier(s, i, rec, tsc);
		return;
	}
	a->key = tsc;
	a->rec = rec;
}

/* The same as below. */
static void add_fewer_samples(struct stream *s)
{
	const struct vmmprof_rec_sample *sample;

	while (s->nr < AHEAD) {
		sample = reader_next_sample(&s->reader);
		if (!sample)
			break;
		if (phases_leave_out(s->phases, &s->left_out, sample))
			continue;
		add_ahead(s, s->nr++, (union rec *)sample, sample->hdr.tsc);
	}
}

static void add_samples(struct stream *s)
{
	const struct vmmprof_rec_sample *sample;
	__u32 i;

	for (i = s->nr; i < AHEAD; i++) {
		sample = reader_next_sample(&s->reader);
		if (!sample)
			break;
		add_ahead(s, i, (union rec *)sample, sample->hdr.tsc);
	}
	s->nr = i;
}

/* Returns 1, 0: no room or no more records in memory, or -errno. */
static int add_other(struct stream *s)
{
	const struct vmmprof_rec_hdr *hdr;
	const size_t nr_packed = s->nr_packed;
	union rec *rec;
	int ret;

	if (s->nr == AHEAD || s->nr_packed > PACKED_MAX)
		return 0;
	ret = reader_next_here(&s->reader, &hdr);
	if (ret <= 0)
		return ret;
	/* in the buffer, which is the stream's own */
	ret = read_record(s, (struct vmmprof_rec_hdr *)hdr, &rec);
	if (ret) {
		s->reader.nr--; /* it is not used */
		return ret;
	}
	if (s->phases && phases_left_chain(&s->left_out, &rec->hdr)) {
		s->nr_chains--;
		s->nr_packed = nr_packed;
		return 1;
	}
	/* a task is told before its first sample, which has the same time */
	add_ahead(s, s->nr++, rec,
		  rec->hdr.tsc - (rec->hdr.type == VMMPROF_REC_IDENTITY));
	return 1;
}

static void make_final(struct stream *s)
{
	struct merge_read *a = s->ahead;
	__u32 i;

	i = s->final; /* those before were so already */
	s->final = s->end ? s->nr : s->nr < WINDOW ? 0 : s->nr - (WINDOW - 1);
	for (; s->odd && i < s->final; i++) {
		if (a[i].key < s->key)
			a[i].key = s->key;
		/* the last of all times comes together with the one before */
		if (a[i].key > LAST_KEY)
			a[i].key = LAST_KEY;
		s->key = a[i].key;
	}
	if (s->final)
		s->key = a[s->final - 1].key;
}

#define READ_ENDED  1
#define READ_ENOUGH 2

/* Memory from the earliest of the records ahead on. */
static size_t kept_bytes(const struct stream *s)
{
	const __u8 *pos = s->reader.buf + s->reader.pos, *first = pos;
	__u32 i;

	for (i = 0; i < s->nr; i++)
		if ((const __u8 *)s->ahead[i].rec < first)
			first = (const __u8 *)s->ahead[i].rec;
	return pos - first;
}

/*
 * Read on; the records ahead stay valid.  As reader_more(), or READ_ENOUGH: so many of
 * them are final that they cannot be copied.
 */
static int read_more(struct stream *s)
{
	struct reader *r = &s->reader;
	const size_t was = r->pos, keep = s->slots ? 0 : kept_bytes(s);
	__u32 i;
	int ret;

	if (r->eof)
		return reader_more(r);
	if (s->slots || keep > KEEP_MAX) {
		if (s->nr >= WINDOW)
			return READ_ENOUGH;
		s->slots = true;
		ret = keep_all(s);
		return ret ? ret : reader_more(r);
	}
	/* so much that few bytes are left to be moved the next time */
	ret = reader_more_keep(
		r, keep, (AHEAD - s->nr) * sizeof(struct vmmprof_rec_sample));
	for (i = 0; i < s->nr; i++)
		s->ahead[i].rec = (union rec *)((__u8 *)s->ahead[i].rec +
						r->pos - was);
	return ret;
}

/* As many records as there are in memory: 0; there are no more: READ_ENDED. */
static int add_all(struct stream *s)
{
	int ret;

	for (;;) {
		if (s->phases)
			add_fewer_samples(s);
		else
			add_samples(s);
		ret = add_other(s);
		if (ret < 0)
			return ret;
		if (s->nr == AHEAD || s->nr_packed > PACKED_MAX)
			return 0;
		if (ret)
			continue;
		ret = read_more(s);
		if (ret == READ_ENOUGH)
			return 0;
		if (ret <= 0)
			return ret ? ret : READ_ENDED;
	}
}

/* Those until .at are done with. */
static void begin_reading(struct stream *s)
{
	s->nr -= s->at;
	s->final -= s->at;
	memmove(s->ahead, s->ahead + s->at, s->nr * sizeof(*s->ahead));
	s->at = 0;
	s->ends_at = STREAM_NO_END;
	s->slots = s->nr_chains || (s->slots && any_in_slot(s));
}

void stream_read_ahead(struct stream *s)
{
	int ret = 0;

	begin_reading(s);
	/* those that are not final */
	if (s->slots)
		ret = keep_all(s);
	s->nr_chains = 0;
	s->nr_packed = 0;
	/* what fails here fails again when the records in memory are used up */
	if (!ret && !s->reader.eof && !s->slots &&
	    s->reader.len - s->reader.pos <
		    (AHEAD - s->nr) * sizeof(struct vmmprof_rec_sample))
		read_more(s);
	if (!ret)
		ret = add_all(s);
	if (ret) {
		s->end = true;
		s->err = ret < 0 ? ret : 0;
		/* told of when the record is taken that has WINDOW - 1 behind it */
		if (s->nr >= WINDOW)
			s->ends_at = s->nr - WINDOW;
	}
	make_final(s);
}
