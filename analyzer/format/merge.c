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

#include "base/search.h"
#include "format/merge.h"
#include "format/merge_sort.h"
#include "format/merge_stream.h"

#define AHEAD	  MERGE_READ
/* Bits of the times of records that are sorted at once. */
#define SPAN_BITS (64 - MERGE_ID_BITS)

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
	m->places = malloc((items << MERGE_MORE_BITS) * sizeof(*m->places));
	m->given_back = calloc(items, sizeof(*m->given_back));
	if (m->streams && m->cpus && m->item && m->unsorted && m->read &&
	    m->places && m->given_back)
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
		for (k = 0; k < MERGE_WINDOW; k++)
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
	free(m->given_back);
	m->streams = NULL;
	m->cpus = NULL;
	m->item = NULL;
	m->unsorted = NULL;
	m->read = NULL;
	m->places = NULL;
	m->given_back = NULL;
	m->nr = 0;
	m->nr_items = 0;
	m->nr_ends = 0;
	m->at = 0;
}

__u64 merge_left_out(const struct merge *m, size_t i)
{
	return m->streams[i].left_out.nr;
}

static void note_cut(struct merge *m, const struct stream *s)
{
	m->damaged = true;
	if (m->cuts)
		merge_cuts_add(m->cuts, s->reader.cpu,
			       s->nr ? s->ahead[s->nr - 1].key : s->key);
}

static void stream_tells_end(struct merge *m, const struct stream *s)
{
	unsigned long long at = reader_tell(&s->reader);
	unsigned long long nr = s->reader.nr;

	m->unknown += s->reader.unknown;
	if (s->err) {
		note_cut(m, s);
		problem(m->problems,
			"%s: %s at byte %llu: the %llu records before it are used",
			s->name,
			s->err == -EBADMSG ? "damaged" : strerror(-s->err), at,
			nr);
	} else if (s->reader.cut) {
		note_cut(m, s);
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
	s->ends_at = STREAM_NO_END;
	m->nr_ends--;
	stream_tells_end(m, s);
}

static void read_ahead(struct merge *m, struct stream *s)
{
	stream_read_ahead(s);
	if (s->end && s->ends_at == STREAM_NO_END)
		stream_tells_end(m, s);
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
	bool any;    /* a stream may have more; false: all that there are */
	bool odd;    /* some of the times were changed */
	__u64 clock; /* the latest time of a VCPU record */
};

/*
 * All streams that have few records left read on together, so that all reach a time
 * that is far away.
 */
static void read_on(struct merge *m)
{
	struct stream *s;
	bool none = false;
	__u32 i;

	for (i = 0; i < m->nr && !none; i++) {
		s = &m->streams[i];
		none = s->at == s->final && !s->end;
	}
	for (i = 0; i < m->nr && none; i++) {
		s = &m->streams[i];
		if (!s->end && (s->at == s->final ||
				(!s->slots && s->final - s->at < AHEAD / 2)))
			read_ahead(m, s);
	}
}

static struct limit find_limit(struct merge *m)
{
	struct limit l = { .first = ~0ull };
	struct stream *s;
	__u32 i;

	read_on(m);
	for (i = 0; i < m->nr; i++) {
		s = &m->streams[i];
		l.odd |= s->odd;
		if (s->clock > l.clock)
			l.clock = s->clock;
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

/* How many of a stream's come until @last. */
static __u32 stream_until(const struct stream *s, __u64 last)
{
	__u32 from = s->at, to = s->final, mid;

	BISECT(from, to, mid, s->ahead[mid].key <= last);
	return from - s->at;
}

/* The records of a stream until @last. */
static void take_stream(struct merge *m, __u32 stream, __u64 last)
{
	struct stream *s = &m->streams[stream];
	const __u32 nr = stream_until(s, last), from = stream * AHEAD + s->at;
	const struct merge_read *a = m->read + from;
	__u64 *item = m->unsorted + m->nr_items;
	__u8 left[AHEAD];
	__u32 i, nr_left;

	if (!nr)
		return;
	s->at += nr;
	m->nr_ends += s->ends_at < s->at;
	/* where a stream ends is told when its record is returned */
	if (!m->taking || s->ends_at < s->at) {
		for (i = 0; i < nr; i++)
			*item++ = (a[i].key - m->first) << MERGE_ID_BITS |
				  (from + i);
		memset(m->given_back + from, 0, nr);
		m->nr_items += nr;
		return;
	}
	nr_left = m->taker->look(m->taker->arg, stream, a, nr, left);
	for (i = 0; i < nr_left; i++) {
		*item++ = (a[left[i]].key - m->first) << MERGE_ID_BITS |
			  (from + left[i]);
		m->given_back[from + left[i]] = false;
	}
	m->nr_items += nr_left;
	m->nr_taken += nr - nr_left;
	if (a[nr - 1].key > m->last_taken)
		m->last_taken = a[nr - 1].key;
}

/* The next records of all streams, until a time that every stream has reached. */
static bool take_all(struct merge *m)
{
	struct limit l = find_limit(m);
	const __u64 nr_taken = m->nr_taken;
	__u64 last;
	__u32 i;

	if (l.key > l.first && (l.key - l.first) >> SPAN_BITS) {
		l.key = l.first + (1ull << SPAN_BITS) - 1;
		l.any = false;
	}
	m->first = l.first;
	last = l.key;
	m->taking = m->taker &&
		    m->taker->begin(m->taker->arg, l.first, &last) && !l.odd &&
		    l.clock < l.first;
	if (last < l.key) {
		l.key = last;
		l.any = false;
	}
	for (i = 0; i < m->nr; i++)
		if (i <= l.stream || !l.any)
			take_stream(m, i, l.key);
		else if (l.key)
			take_stream(m, i, l.key - 1);
	if (m->nr_items)
		merge_sort(m, l.key - l.first);
	m->records += m->nr_taken - nr_taken;
	return m->nr_items || m->nr_taken != nr_taken;
}

bool merge_more(struct merge *m)
{
	bool more;

	do {
		m->at = 0;
		m->nr_items = 0;
		m->not_ahead = 0;
		if (m->last_taken > m->last_tsc)
			m->last_tsc = m->last_taken;
		more = take_all(m);
	} while (more && !m->nr_items);
	return more;
}

void merge_give_back(struct merge *m, __u32 stream, const __u8 *place, __u32 nr)
{
	__u32 i, id;

	for (i = 0; i < nr; i++) {
		id = stream * MERGE_READ + place[i];
		m->given_back[id] = true;
		m->unsorted[i] = (m->read[id].key - m->first) << MERGE_ID_BITS |
				 id;
	}
	merge_insert(m, m->unsorted, nr);
	m->not_ahead = m->at + MERGE_AHEAD;
	m->records -= nr;
}
