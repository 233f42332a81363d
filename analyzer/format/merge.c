// SPDX-License-Identifier: GPL-2.0-only
/*
 * Merges streams by TSC.  Each stream has some records read ahead, in its own
 * order; all of them up to the time until which every stream has some are sorted
 * at once, by counting, as times are mostly spread evenly: that takes the same
 * for each record, however many streams there are.
 */

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/sort.h"
#include "format/chain_unpack.h"
#include "format/items.h"
#include "format/merge.h"

#define WINDOW	   MERGE_WINDOW
#define AHEAD	   MERGE_READ
#define LAST_KEY   (~0ull - 1)
#define NO_END	   (~0u)
#define MORE_BITS  2 /* places are so much more than records */
/* Bits of the times of records that are sorted at once. */
#define SPAN_BITS  (64 - MERGE_ID_BITS)
#define PACKED_MAX (32u << 10) /* bytes of chains that were packed */

_Static_assert(MERGE_REC_MAX <= READER_BEHIND, "records may be copied whole");

/*
 * A record that comes next may have its place before the WINDOW - 1 ones before
 * it: these are not final.
 */
struct stream {
	struct reader reader;
	int fd;
	int err; /* why it has ended */
	bool end;
	bool odd; /* a time is not as .key has to be */
	char name[32];
	__u64 key;     /* of the last final one */
	__u32 at, nr;  /* in .ahead: the next one; behind the last one */
	__u32 final;   /* behind the last final one */
	__u32 ends_at; /* NO_END: it is not told of, or was already */
	struct merge_read *ahead;    /* AHEAD of them */
	const struct phases *phases; /* NULL: all samples are returned */
	struct left_out left_out;
	/* CHAIN records, as they are returned */
	struct rec_chain chain[AHEAD];
	__u32 nr_chains;
	__u8 *packed; /* what follows them, of packed ones; NULL: none came yet */
	size_t nr_packed;
	struct chain_unpack *unpack;
	/* those not final, while the memory they were in is used again */
	union rec slot[WINDOW];
	struct {
		void *bytes;
		size_t cap;
	} rest[WINDOW]; /* of CHAIN records, by slot */
};

int merge_init(struct merge *m, size_t max, struct problems *problems)
{
	size_t items = (max + 1) * AHEAD;

	memset(m, 0, sizeof(*m));
	m->problems = problems;
	m->streams = calloc(max + 1, sizeof(*m->streams));
	m->cpus = malloc((max + 1) * sizeof(*m->cpus));
	m->item = calloc(items + 2 * MERGE_AHEAD, sizeof(*m->item));
	m->unsorted = malloc(items * sizeof(*m->unsorted));
	m->read = calloc(items, sizeof(*m->read));
	m->places = malloc((items << MORE_BITS) * sizeof(*m->places));
	if (m->streams && m->cpus && m->item && m->unsorted && m->read &&
	    m->places)
		return 0;
	merge_deinit(m);
	return -ENOMEM;
}

void merge_deinit(struct merge *m)
{
	struct stream *s;
	size_t i, k;

	for (i = 0; i < m->nr; i++) {
		s = &m->streams[i];
		for (k = 0; k < WINDOW; k++)
			free(s->rest[k].bytes);
		free(s->packed);
		chain_unpack_free(s->unpack);
		reader_deinit(&s->reader);
		close(s->fd);
	}
	free(m->streams);
	free(m->cpus);
	free(m->item);
	free(m->unsorted);
	free(m->read);
	free(m->places);
	m->streams = NULL;
	m->cpus = NULL;
	m->item = NULL;
	m->unsorted = NULL;
	m->read = NULL;
	m->places = NULL;
	m->nr = 0;
	m->nr_items = 0;
	m->nr_ends = 0;
	m->at = 0;
}

__u64 merge_left_out(const struct merge *m, size_t i)
{
	return m->streams[i].left_out.nr;
}

static void stream_tells_end(struct merge *m, const struct stream *s)
{
	unsigned long long at = reader_tell(&s->reader);
	unsigned long long nr = s->reader.nr;

	m->unknown += s->reader.unknown;
	if (s->err) {
		m->damaged = true;
		problem(m->problems,
			"%s: %s at byte %llu: the %llu records before it are used",
			s->name,
			s->err == -EBADMSG ? "damaged" : strerror(-s->err), at,
			nr);
	} else if (s->reader.cut) {
		m->damaged = true;
		problem(m->problems,
			"%s: cut off inside a record at byte %llu: the %llu records before it are used",
			s->name, at, nr);
	}
}

void merge_look_for_end(struct merge *m, __u64 item)
{
	struct stream *s = &m->streams[MERGE_STREAM(item)];

	if (MERGE_ID(item) % AHEAD != s->ends_at)
		return;
	s->ends_at = NO_END;
	m->nr_ends--;
	stream_tells_end(m, s);
}

static bool in_slot(const struct stream *s, const union rec *rec)
{
	return rec >= s->slot && rec < s->slot + WINDOW;
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

static void stream_ended(struct merge *m, struct stream *s, int err)
{
	s->end = true;
	s->err = err;
	/* told of when the record is taken that has WINDOW - 1 behind it */
	if (s->nr >= WINDOW)
		s->ends_at = s->nr - WINDOW;
	else
		stream_tells_end(m, s);
}

static void make_final(struct stream *s)
{
	struct merge_read *a = s->ahead;
	__u32 i;

	s->final = s->end ? s->nr : s->nr < WINDOW ? 0 : s->nr - (WINDOW - 1);
	for (i = 0; s->odd && i < s->final; i++) {
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

#define ENDED 1

/* As many records as there are in memory: 0; there are no more: ENDED. */
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
		/* one is final, and of the end nothing is known yet */
		if (s->nr >= WINDOW && !s->reader.eof)
			return 0;
		ret = s->reader.eof ? 0 : keep_all(s);
		if (!ret)
			ret = reader_more(&s->reader);
		if (ret <= 0)
			return ret ? ret : ENDED;
	}
}

/* All that were final are taken. */
static void read_ahead(struct merge *m, struct stream *s)
{
	int ret;

	s->nr -= s->final;
	memmove(s->ahead, s->ahead + s->final, s->nr * sizeof(*s->ahead));
	s->at = 0;
	s->ends_at = NO_END;
	ret = keep_all(s);
	s->nr_chains = 0;
	s->nr_packed = 0;
	if (!ret)
		ret = add_all(s);
	if (ret)
		stream_ended(m, s, ret < 0 ? ret : 0);
	make_final(s);
}

int merge_add(struct merge *m, int fd, const char *name)
{
	struct stream *s = &m->streams[m->nr];
	int ret;

	ret = reader_init(&s->reader, fd);
	if (ret) {
		close(fd);
		return ret;
	}
	s->fd = fd;
	s->ahead = m->read + m->nr * AHEAD;
	s->phases = m->phases.nr ? &m->phases : NULL;
	snprintf(s->name, sizeof(s->name), "%s", name);
	m->cpus[m->nr++] = s->reader.cpu;
	read_ahead(m, s);
	return 0;
}

/* Until where records are taken: to this time and this stream of that time. */
struct limit {
	__u64 first; /* the earliest time there is */
	__u64 key;
	__u32 stream;
	bool any; /* a stream may have more; false: all that there are */
};

static struct limit find_limit(struct merge *m)
{
	struct limit l = { .first = ~0ull };
	struct stream *s;
	__u32 i;

	for (i = 0; i < m->nr; i++) {
		s = &m->streams[i];
		if (s->at == s->final && !s->end)
			read_ahead(m, s);
		if (s->at == s->final)
			continue;
		if (s->ahead[s->at].key < l.first)
			l.first = s->ahead[s->at].key;
		if (s->end ? !l.any && s->key >= l.key :
			     !l.any || s->key < l.key) {
			l.key = s->key;
			l.stream = i;
			l.any |= !s->end;
		}
	}
	return l;
}

/* The records of a stream until @last. */
static void take_stream(struct merge *m, __u32 stream, __u64 first, __u64 last)
{
	struct stream *s = &m->streams[stream];
	const struct merge_read *a = s->ahead + s->at;
	const struct merge_read *end = s->ahead + s->final;
	__u64 id = stream * AHEAD + s->at, *item = m->unsorted + m->nr_items;

	for (; a < end && a->key <= last; a++)
		*item++ = (a->key - first) << MERGE_ID_BITS | id++;
	m->nr_items = item - m->unsorted;
	s->at = a - s->ahead;
	m->nr_ends += s->ends_at < s->at;
}

static int cmp_item(const void *v, const void *w)
{
	const __u64 *a = v, *b = w;

	return *a < *b ? -1 : *a > *b;
}

/*
 * Put right what is sorted but for near neighbours: most are two that have to change
 * places, which takes no branch that the CPU would have to guess.
 */
static void sort_neighbours(__u64 *item, __u32 nr)
{
	__u64 last = item[0], one;
	__u32 i, k, moves = 4 * nr;

	for (i = 1; i < nr; i++) {
		one = item[i];
		item[i - 1] = one < last ? one : last;
		last = one < last ? last : one;
		item[i] = last;
	}
	last = item[0];
	for (i = 1; i < nr; i++) {
		one = item[i];
		if (one >= last) {
			last = one;
			continue;
		}
		for (k = i; k && item[k - 1] > one; k--)
			item[k] = item[k - 1];
		item[k] = one;
		if (i - k > moves) {
			/* times that are not spread evenly */
			sort_array(item, nr, sizeof(*item), cmp_item);
			return;
		}
		moves -= i - k;
	}
}

/* By their times' upper bits, by counting; then the rest. */
static void sort_items(struct merge *m, __u64 span)
{
	const __u32 nr = m->nr_items;
	unsigned int bits = 31 - __builtin_clz(nr) + MORE_BITS, shift = 0;
	__u32 *places = m->places, i, at = 0, n;
	const __u64 *item = m->unsorted;

	while (span >> shift >> bits)
		shift++;
	n = (span >> shift) + 1;
	memset(places, 0, sizeof(*places) * n);
	shift += MERGE_ID_BITS;
	for (i = 0; i < nr; i++)
		places[item[i] >> shift]++;
	for (i = 0; i < n; i++) {
		__u32 here = places[i];

		places[i] = at;
		at += here;
	}
	for (i = 0; i < nr; i++)
		m->item[places[item[i] >> shift]++] = item[i];
	sort_neighbours(m->item, nr);
}

bool merge_more(struct merge *m)
{
	struct limit l = find_limit(m);
	__u32 i;

	m->at = 0;
	m->nr_items = 0;
	if (l.key > l.first && (l.key - l.first) >> SPAN_BITS) {
		l.key = l.first + (1ull << SPAN_BITS) - 1;
		l.any = false;
	}
	for (i = 0; i < m->nr; i++)
		if (i <= l.stream || !l.any)
			take_stream(m, i, l.first, l.key);
		else if (l.key)
			take_stream(m, i, l.first, l.key - 1);
	if (!m->nr_items)
		return false;
	sort_items(m, l.key - l.first);
	return true;
}
