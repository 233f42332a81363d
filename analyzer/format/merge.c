// SPDX-License-Identifier: GPL-2.0-only
/*
 * Merges streams by TSC: a tournament tree over streams, each with a window in
 * which its next records are sorted.
 */

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "format/chain_unpack.h"
#include "format/items.h"
#include "format/merge.h"

#define WINDOW MERGE_WINDOW
#define ENDED  (~0ull) /* as time of a first record: there is none */

/*
 * order[]: the filled slots by TSC, oldest first; then the free ones, the last
 * of which holds the record that was returned last.
 */
struct stream {
	struct reader reader;
	int fd;
	bool end;
	char name[32];
	__u32 fill; /* slots in use */
	__u8 order[WINDOW + 1];
	__u64 tsc[WINDOW + 1]; /* of the slots */
	union rec slot[WINDOW + 1];
	struct {
		void *bytes;
		size_t cap;
	} rest[WINDOW + 1];	     /* of CHAIN records, by slot */
	struct chain_unpack *unpack; /* NULL: no packed record came yet */
};

int merge_init(struct merge *m, size_t max, struct problems *problems)
{
	size_t i;

	memset(m, 0, sizeof(*m));
	m->problems = problems;
	for (m->leaves = 1; m->leaves < max;)
		m->leaves *= 2;
	m->streams = calloc(max + 1, sizeof(*m->streams));
	m->first = malloc(m->leaves * sizeof(*m->first));
	m->winner = malloc(2 * m->leaves * sizeof(*m->winner));
	if (!m->streams || !m->first || !m->winner) {
		merge_deinit(m);
		return -ENOMEM;
	}
	for (i = 0; i < m->leaves; i++) {
		m->first[i] = ENDED;
		m->winner[m->leaves + i] = i;
	}
	for (i = m->leaves - 1; i > 0; i--)
		m->winner[i] = m->winner[2 * i];
	return 0;
}

void merge_deinit(struct merge *m)
{
	size_t i, k;

	for (i = 0; i < m->nr; i++) {
		for (k = 0; k <= WINDOW; k++)
			free(m->streams[i].rest[k].bytes);
		chain_unpack_free(m->streams[i].unpack);
		reader_deinit(&m->streams[i].reader);
		close(m->streams[i].fd);
	}
	free(m->streams);
	free(m->first);
	free(m->winner);
	m->streams = NULL;
	m->first = NULL;
	m->winner = NULL;
	m->nr = 0;
}

static void stream_ended(struct merge *m, struct stream *s, int err)
{
	unsigned long long at = reader_tell(&s->reader);
	unsigned long long nr = s->reader.nr;

	s->end = true;
	m->unknown += s->reader.unknown;
	if (err) {
		m->damaged = true;
		problem(m->problems,
			"%s: %s at byte %llu: the %llu records before it are used",
			s->name, err == -EBADMSG ? "damaged" : strerror(-err),
			at, nr);
	} else if (s->reader.cut) {
		m->damaged = true;
		problem(m->problems,
			"%s: cut off inside a record at byte %llu: the %llu records before it are used",
			s->name, at, nr);
	}
}

/* What follows the struct of a CHAIN record, which is longer than a slot. */
static int keep_chain(struct stream *s, __u8 slot,
		      const struct vmmprof_rec_chain *c)
{
	size_t size = c->hdr.size - sizeof(*c);
	void *more;

	if (size > s->rest[slot].cap) {
		more = realloc(s->rest[slot].bytes, size);
		if (!more)
			return -ENOMEM;
		s->rest[slot].bytes = more;
		s->rest[slot].cap = size;
	}
	if (size)
		memcpy(s->rest[slot].bytes, c + 1, size);
	s->slot[slot].chain.head = *c;
	s->slot[slot].chain.rest = s->rest[slot].bytes;
	return 0;
}

static int keep_packed(struct stream *s, __u8 slot,
		       const struct vmmprof_rec_hdr *hdr)
{
	int err;

	if (!s->unpack)
		s->unpack = chain_unpack_new();
	if (!s->unpack)
		return -ENOMEM;
	err = chain_unpack(s->unpack, hdr);
	return err ? err : keep_chain(s, slot, &s->unpack->rec.head);
}

/*
 * The sample that it belongs to, which stands a few records before it, has its
 * number from now on.
 */
static void give_identity(struct stream *s,
			  const struct vmmprof_rec_identity *who)
{
	struct vmmprof_rec_sample *sample;
	__u32 i;

	for (i = 0; i < s->fill; i++) {
		sample = &s->slot[s->order[i]].sample;
		if (sample->hdr.type == VMMPROF_REC_SAMPLE &&
		    sample->hdr.tsc == who->hdr.tsc &&
		    sample->identity == VMMPROF_WHO_LATER)
			sample->identity = who->id;
	}
}

static int keep_record(struct stream *s, __u8 slot,
		       const struct vmmprof_rec_hdr *hdr)
{
	size_t size = hdr->size;

	if (hdr->type == VMMPROF_REC_CHAIN)
		return keep_chain(s, slot, (const void *)hdr);
	if (hdr->type == VMMPROF_REC_PACKED)
		return keep_packed(s, slot, hdr);
	if (hdr->type == VMMPROF_REC_IDENTITY && hdr->flags & VMMPROF_I_SAMPLE)
		give_identity(s, (const void *)hdr);
	if (size > sizeof(s->slot[0]))
		size = sizeof(s->slot[0]);
	memcpy(&s->slot[slot], hdr, size);
	return 0;
}

/* The next record of s into a slot.  False: there is none. */
static bool stream_read(struct merge *m, struct stream *s, __u8 slot)
{
	const struct vmmprof_rec_sample *sample = reader_next_sample(
		&s->reader);
	const struct vmmprof_rec_hdr *hdr;
	int ret;

	if (sample) {
		s->slot[slot].sample = *sample;
		return true;
	}
	ret = reader_next(&s->reader, &hdr);
	if (ret > 0) {
		ret = keep_record(s, slot, hdr) ?: 1;
		s->reader.nr -= ret < 0; /* it is not used */
	}
	if (ret <= 0)
		stream_ended(m, s, ret);
	return ret > 0;
}

/* Fill the window: insertion sort, the usual case is 'newest last'. */
static void stream_fill(struct merge *m, struct stream *s, __u8 slot)
{
	const struct vmmprof_rec_hdr *hdr = &s->slot[slot].hdr;
	__u64 tsc;
	__u32 i;

	if (s->end || !stream_read(m, s, slot))
		return;
	/* a task is told before its first sample, which has the same time */
	tsc = hdr->tsc - (hdr->type == VMMPROF_REC_IDENTITY);
	s->tsc[slot] = tsc;
	if (m->prefetch)
		m->prefetch(m->prefetch_arg, &s->slot[slot]);
	for (i = s->fill; i > 0; i--) {
		if (s->tsc[s->order[i - 1]] <= tsc)
			break;
		s->order[i] = s->order[i - 1];
	}
	s->order[i] = slot;
	s->fill++;
}

/* The first record of stream x has changed: find the first of all streams. */
static void play(struct merge *m, __u32 x)
{
	const struct stream *s = &m->streams[x];
	__u64 tsc = s->fill ? s->tsc[s->order[0]] : ENDED;
	const __u64 *first = m->first;
	size_t i = m->leaves + x;
	__u32 a, b;

	/* The last of all times there are comes together with the one before. */
	m->first[x] = s->fill && tsc == ENDED ? ENDED - 1 : tsc;
	while (i > 1) {
		i /= 2;
		a = m->winner[2 * i];
		b = m->winner[2 * i + 1];
		m->winner[i] = first[b] < first[a] ? b : a;
	}
}

int merge_add(struct merge *m, int fd, const char *name)
{
	struct stream *s = &m->streams[m->nr];
	int ret, i;

	ret = reader_init(&s->reader, fd);
	if (ret) {
		close(fd);
		return ret;
	}
	s->fd = fd;
	snprintf(s->name, sizeof(s->name), "%s", name);
	s->order[WINDOW] = WINDOW;
	for (i = 0; i < WINDOW; i++)
		stream_fill(m, s, i);
	play(m, m->nr++);
	return 0;
}

/* Take the oldest record out of s; a free slot is filled at once. */
static const union rec *stream_take(struct merge *m, struct stream *s)
{
	__u8 taken = s->order[0], spare = s->order[WINDOW];

	memmove(s->order, s->order + 1, WINDOW);
	s->order[WINDOW] = taken;
	s->fill--;
	if (!s->end)
		stream_fill(m, s, spare);
	return &s->slot[taken];
}

int merge_next(struct merge *m, const union rec **ret)
{
	__u32 x = m->winner ? m->winner[1] : 0;
	struct stream *s;

	if (!m->winner || m->first[x] == ENDED)
		return 0;
	s = &m->streams[x];
	*ret = stream_take(m, s);
	m->cpu = s->reader.cpu;
	play(m, x);
	m->records++;
	if ((*ret)->hdr.tsc < m->last_tsc) {
		/* it has the time of the record that it belongs to */
		if ((*ret)->hdr.type == VMMPROF_REC_CHAIN ||
		    (*ret)->hdr.type == VMMPROF_REC_IDENTITY)
			return 1;
		m->unordered++;
	}
	m->last_tsc = (*ret)->hdr.tsc;
	return 1;
}
