// SPDX-License-Identifier: GPL-2.0-only
/* k-way merge by TSC: a binary heap of streams, each with a sorted window. */

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "items.h"
#include "merge.h"

/* slot[] is a ring; order[] lists the filled slots by TSC, oldest first. */
struct vmmprof_stream {
	struct vmmprof_reader reader;
	int fd;
	bool end;
	char name[32];
	__u32 fill; /* slots in use */
	__u8 order[VMMPROF_MERGE_WINDOW + 1];
	union vmmprof_rec slot[VMMPROF_MERGE_WINDOW + 1];
};

int vmmprof_merge_init(struct vmmprof_merge *m, size_t max,
		       struct vmmprof_problems *problems)
{
	memset(m, 0, sizeof(*m));
	m->problems = problems;
	m->streams = calloc(max + 1, sizeof(*m->streams));
	m->heap = calloc(max + 1, sizeof(*m->heap));
	if (m->streams && m->heap)
		return 0;
	vmmprof_merge_deinit(m);
	return -ENOMEM;
}

void vmmprof_merge_deinit(struct vmmprof_merge *m)
{
	size_t i;

	for (i = 0; i < m->nr; i++) {
		vmmprof_reader_deinit(&m->streams[i].reader);
		close(m->streams[i].fd);
	}
	free(m->streams);
	free(m->heap);
	m->streams = NULL;
	m->heap = NULL;
	m->nr = 0;
	m->heap_nr = 0;
}

static void stream_ended(struct vmmprof_merge *m, struct vmmprof_stream *s,
			 int err)
{
	unsigned long long at = vmmprof_reader_tell(&s->reader);
	unsigned long long nr = s->reader.nr;

	s->end = true;
	m->unknown += s->reader.unknown;
	if (err) {
		m->damaged = true;
		vmmprof_problem(
			m->problems,
			"%s: %s at byte %llu: the %llu records before it are used",
			s->name, err == -EBADMSG ? "damaged" : strerror(-err),
			at, nr);
	} else if (s->reader.cut) {
		m->damaged = true;
		vmmprof_problem(
			m->problems,
			"%s: cut off inside a record at byte %llu: the %llu records before it are used",
			s->name, at, nr);
	}
}

/* Fill the window: insertion sort, the usual case is 'newest last'. */
static void stream_fill(struct vmmprof_merge *m, struct vmmprof_stream *s,
			__u8 slot)
{
	const struct vmmprof_rec_hdr *hdr;
	size_t size;
	__u32 i;
	int ret;

	if (s->end)
		return;
	ret = vmmprof_reader_next(&s->reader, &hdr);
	if (ret <= 0) {
		stream_ended(m, s, ret);
		return;
	}
	size = hdr->size;
	if (size > sizeof(s->slot[0]))
		size = sizeof(s->slot[0]);
	memcpy(&s->slot[slot], hdr, size);
	if (m->soon)
		m->soon(m->soon_arg, &s->slot[slot]);
	for (i = s->fill; i > 0; i--) {
		if (s->slot[s->order[i - 1]].hdr.tsc <= hdr->tsc)
			break;
		s->order[i] = s->order[i - 1];
	}
	s->order[i] = slot;
	s->fill++;
}

static inline __u64 stream_tsc(const struct vmmprof_merge *m, __u32 i)
{
	const struct vmmprof_stream *s = &m->streams[i];

	return s->slot[s->order[0]].hdr.tsc;
}

/* Stream x takes the place of the first. */
static void heap_sift_down(struct vmmprof_merge *m, __u32 x)
{
	struct vmmprof_merge_entry *h = m->heap;
	__u64 tsc = stream_tsc(m, x);
	size_t i = 0, c;

	for (; (c = 2 * i + 1) < m->heap_nr; i = c) {
		if (c + 1 < m->heap_nr && h[c + 1].tsc < h[c].tsc)
			c++;
		if (tsc <= h[c].tsc)
			break;
		h[i] = h[c];
	}
	h[i].tsc = tsc;
	h[i].stream = x;
}

static void heap_push(struct vmmprof_merge *m, __u32 x)
{
	struct vmmprof_merge_entry *h = m->heap;
	__u64 tsc = stream_tsc(m, x);
	size_t i = m->heap_nr++, parent;

	for (; i > 0; i = parent) {
		parent = (i - 1) / 2;
		if (h[parent].tsc <= tsc)
			break;
		h[i] = h[parent];
	}
	h[i].tsc = tsc;
	h[i].stream = x;
}

int vmmprof_merge_add(struct vmmprof_merge *m, int fd, const char *name)
{
	struct vmmprof_stream *s = &m->streams[m->nr];
	int ret, i;

	ret = vmmprof_reader_init(&s->reader, fd);
	if (ret) {
		close(fd);
		return ret;
	}
	s->fd = fd;
	snprintf(s->name, sizeof(s->name), "%s", name);
	for (i = 0; i < VMMPROF_MERGE_WINDOW; i++)
		stream_fill(m, s, i);
	if (s->fill)
		heap_push(m, m->nr);
	m->nr++;
	return 0;
}

/* Take the oldest record out of s; its slot is refilled at once. */
static const union vmmprof_rec *stream_take(struct vmmprof_merge *m,
					    struct vmmprof_stream *s)
{
	__u8 taken = s->order[0];
	__u8 spare = 0;
	__u32 i;

	/* The slot that is in no window: the one returned last time. */
	for (i = 0; i < s->fill; i++)
		spare ^= s->order[i] + 1;
	s->fill--;
	memmove(s->order, s->order + 1, s->fill);
	if (s->end)
		return &s->slot[taken];
	/* 1 ^ 2 ^ 3 ^ 4 ^ 5 == 1: what is missing from the five */
	stream_fill(m, s, (spare ^ 1) - 1);
	return &s->slot[taken];
}

_Static_assert(VMMPROF_MERGE_WINDOW == 4, "stream_take() counts on 5 slots");

int vmmprof_merge_next(struct vmmprof_merge *m, const union vmmprof_rec **ret)
{
	struct vmmprof_stream *s;
	__u32 x;

	if (!m->heap_nr)
		return 0;
	x = m->heap[0].stream;
	s = &m->streams[x];
	*ret = stream_take(m, s);
	m->cpu = s->reader.cpu;
	if (!s->fill)
		x = m->heap[--m->heap_nr].stream;
	if (m->heap_nr)
		heap_sift_down(m, x);
	m->records++;
	if ((*ret)->hdr.tsc < m->last_tsc)
		m->unordered++;
	m->last_tsc = (*ret)->hdr.tsc;
	return 1;
}
