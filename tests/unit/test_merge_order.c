// SPDX-License-Identifier: GPL-2.0-only
/*
 * Records of several CPUs come in the order that is defined: each CPU has the
 * next MERGE_WINDOW records of its file at hand, and the oldest one that any of
 * them has comes first.  Files are longer than what is read at a time, records of
 * all sizes, and times anything.  Samples may be taken out before they are sorted,
 * and given back.
 */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "build.h"
#include "test.h"
#include "format/merge.h"

#define STREAMS 6
#define RECORDS 900

static struct one {
	__u64 tsc;
	__u32 id;
} all[STREAMS][RECORDS];
static size_t nr[STREAMS];

/* What is odd in a file, a bit each. */
enum odd {
	LATE = 1,
	EQUAL = 2,
	LAST = 4,
	CHAINS = 8,
	LARGE = 16,
	SKIPPED = 32
};

static __u64 draw_tsc(__u64 now, unsigned int odd)
{
	if (odd & LATE && !(rand() % 20))
		return now - now / (1 + rand() % 1000);
	if (odd & LAST && !(rand() % 30))
		return ~0ull - rand() % 3;
	return now;
}

static void put_chain(FILE *f, const struct one *r, unsigned int odd)
{
	static const __u64 zero[4096];
	struct vmmprof_rec_chain c = { .hdr.type = VMMPROF_REC_CHAIN };

	c.hdr.tsc = r->tsc;
	c.id = r->id;
	c.stack_size = odd & LARGE ? 16 * (rand() % 2000) : 16 * (rand() % 9);
	c.hdr.size = sizeof(c) + c.stack_size;
	fwrite(&c, sizeof(c), 1, f);
	fwrite(zero, c.stack_size, 1, f);
}

static void put_one(FILE *f, const struct one *r, unsigned int odd)
{
	struct vmmprof_rec_sample s = { .hdr.type = VMMPROF_REC_SAMPLE };
	struct vmmprof_rec_hdr pad = { .size = 16 };

	if (odd & SKIPPED && !(rand() % 5)) {
		pad.type = rand() % 2 ? VMMPROF_REC_PAD : 99;
		fwrite(&pad, sizeof(pad), 1, f);
	}
	if (odd & CHAINS && !(rand() % 2)) {
		put_chain(f, r, odd);
		return;
	}
	s.hdr.size = sizeof(s);
	s.hdr.tsc = r->tsc;
	s.pid = r->id;
	fwrite(&s, sizeof(s), 1, f);
}

static int stream_file(unsigned int x, unsigned int odd)
{
	FILE *f = tmpfile();
	struct build b;
	__u64 now = rand() % 1000;
	size_t i;
	int fd;

	assert(f);
	build_header(&b, VMMPROF_FILE_RECORDS);
	fwrite(b.data, b.size, 1, f);
	nr[x] = rand() % 4 ? rand() % RECORDS : rand() % 6;
	for (i = 0; i < nr[x]; i++) {
		now += odd & EQUAL ? rand() % 3 : rand() % 100000;
		all[x][i].tsc = draw_tsc(now, odd);
		all[x][i].id = x * RECORDS + i;
		put_one(f, &all[x][i], odd);
	}
	fflush(f);
	fd = dup(fileno(f));
	fclose(f);
	lseek(fd, 0, SEEK_SET);
	return fd;
}

/* As the order is defined, one record at a time. */
static void by_window(struct one *of, size_t n)
{
	struct one r;
	size_t i, k, first;

	for (i = 0; i < n; i++) {
		first = i < MERGE_WINDOW ? 0 : i - (MERGE_WINDOW - 1);
		r = of[i];
		for (k = i; k > first && of[k - 1].tsc > r.tsc; k--)
			of[k] = of[k - 1];
		of[k] = r;
	}
}

/* The last of all times comes together with the one before. */
static __u64 time_of(const struct one *r)
{
	return r->tsc == ~0ull ? r->tsc - 1 : r->tsc;
}

static const struct one *oldest(size_t at[STREAMS], unsigned int streams)
{
	unsigned int x, best = STREAMS;

	for (x = 0; x < streams; x++)
		if (at[x] < nr[x] &&
		    (best == STREAMS ||
		     time_of(&all[x][at[x]]) < time_of(&all[best][at[best]])))
			best = x;
	return best == STREAMS ? NULL : &all[best][at[best]++];
}

static __u32 id_of(const union rec *rec)
{
	return rec->hdr.type == VMMPROF_REC_CHAIN ? rec->chain.head.id :
						    rec->sample.pid;
}

/* Takes some samples, and may give back those of the records that come next. */
static struct taking {
	struct merge *m;
	bool on;
	bool taken[STREAMS * RECORDS]; /* by a record's number */
	struct {
		__u8 place[MERGE_READ];
		__u32 id[MERGE_READ];
		__u32 nr;
	} of[STREAMS];
} taking;

static bool may_take(void *arg, __u64 first, __u64 *last)
{
	struct taking *t = arg;
	unsigned int x;

	for (x = 0; x < STREAMS; x++)
		t->of[x].nr = 0;
	if (first > *last)
		return false;
	if (!(rand() % 4))
		*last = first + (*last - first) / 2;
	return rand() % 8;
}

static __u32 take(void *arg, __u32 stream, const struct merge_read *read,
		  __u32 nr_read, __u8 *left)
{
	struct taking *t = arg;
	__u32 i, n, nr_left = 0;

	for (i = 0; i < nr_read; i++) {
		if (read[i].rec->hdr.type != VMMPROF_REC_SAMPLE ||
		    !(rand() % 3)) {
			left[nr_left++] = i;
			continue;
		}
		n = t->of[stream].nr++;
		t->of[stream].id[n] = id_of(read[i].rec);
		t->of[stream].place[n] = read + i - t->m->read -
					 stream * MERGE_READ;
		t->taken[id_of(read[i].rec)] = true;
	}
	return nr_left;
}

/* Of one stream all that come after number @now of all, by @order. */
static void give_some_back(struct taking *t, const __u32 *order, __u32 now)
{
	unsigned int x = rand() % STREAMS;
	__u32 i = 0, k;

	while (i < t->of[x].nr && order[t->of[x].id[i]] < now)
		i++;
	if (i == t->of[x].nr)
		return;
	for (k = i; k < t->of[x].nr; k++)
		t->taken[t->of[x].id[k]] = false;
	merge_give_back(t->m, x, t->of[x].place + i, t->of[x].nr - i);
	t->of[x].nr = 0;
}

static const struct merge_taker taker = { may_take, take, &taking };

/* All records in their order, and the number of each in it. */
static __u32 in_order(unsigned int streams, const struct one **ret,
		      __u32 *order)
{
	size_t at[STREAMS] = { 0 };
	__u32 n = 0;

	for (ret[0] = oldest(at, streams); ret[n];
	     ret[n] = oldest(at, streams)) {
		order[ret[n]->id] = n;
		n++;
	}
	return n;
}

static int expect_in_order(struct merge *m, const struct one **want,
			   const __u32 *order, __u32 n)
{
	const union rec *rec;
	__u32 i = 0, left;

	while (merge_next(m, &rec)) {
		for (; i < n && want[i]->id != id_of(rec); i++)
			TEST_EQ(taking.taken[want[i]->id], 1);
		TEST_EQ(i < n, 1);
		TEST_EQ(taking.taken[want[i]->id], 0);
		TEST_EQ(rec->hdr.tsc, want[i]->tsc);
		if (rec->hdr.type == VMMPROF_REC_CHAIN &&
		    rec->chain.head.stack_size)
			TEST_EQ(*(const __u8 *)rec->chain.rest, 0);
		i++;
		if (taking.on && !(rand() % 20))
			give_some_back(&taking, order, i);
	}
	for (left = i; left < n; left++)
		TEST_EQ(taking.taken[want[left]->id], 1);
	TEST_EQ(m->records, n);
	return 0;
}

static int round_of(unsigned int odd)
{
	static const struct one *want[STREAMS * RECORDS + 1];
	static __u32 order[STREAMS * RECORDS];
	unsigned int streams = 1 + rand() % STREAMS, x;
	struct problems p = { 0 };
	struct merge m;
	char name[16];
	int failed;

	TEST_EQ(merge_init(&m, streams, &p), 0);
	for (x = 0; x < streams; x++) {
		snprintf(name, sizeof(name), "%u", x);
		TEST_EQ(merge_add(&m, stream_file(x, odd), name), 0);
		by_window(all[x], nr[x]);
	}
	memset(&taking, 0, sizeof(taking));
	taking.m = &m;
	taking.on = rand() % 2;
	m.taker = taking.on ? &taker : NULL;
	/* as in the middle of a very long session */
	m.nr_taken = rand() % 2 ? (1ull << 33) - STREAMS : 0;
	failed = expect_in_order(&m, want, order,
				 in_order(streams, want, order));
	TEST_EQ(p.nr, 0);
	merge_deinit(&m);
	return failed;
}

TEST(merge_has_the_order_of_one_record_at_a_time)
{
	unsigned int odd;

	srand(7);
	for (odd = 0; odd < 192; odd++)
		if (round_of(odd % 64))
			return 1;
	return 0;
}
