// SPDX-License-Identifier: GPL-2.0-only
/* Several CPUs become one stream in the order of the TSC. */

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "build.h"
#include "test.h"
#include "format/merge.h"

static struct build b;

static int to_file(const struct build *f)
{
	char path[] = "/tmp/vmmprof-test-XXXXXX";
	int fd = mkstemp(path);

	assert(fd >= 0);
	unlink(path);
	assert(write(fd, f->data, f->size) == (ssize_t)f->size);
	lseek(fd, 0, SEEK_SET);
	return fd;
}

static int file_of(const __u64 *tsc, size_t n)
{
	size_t i;

	build_header(&b, VMMPROF_FILE_RECORDS);
	for (i = 0; i < n; i++)
		build_sample(&b, tsc[i], 0);
	return to_file(&b);
}

static int expect(struct merge *m, const __u64 *want, size_t n)
{
	const union rec *rec;
	size_t i;

	for (i = 0; i < n; i++) {
		TEST_EQ(merge_next(m, &rec), 1);
		TEST_EQ(rec->hdr.tsc, want[i]);
	}
	TEST_EQ(merge_next(m, &rec), 0);
	return 0;
}

TEST(merge_orders_records_of_three_cpus)
{
	static const __u64 x[] = { 1, 4, 7, 10, 13, 16, 19 };
	static const __u64 y[] = { 2, 5, 8 };
	static const __u64 z[] = { 0, 3, 6, 9, 11, 12, 14, 15, 17, 18 };
	__u64 want[20], i;
	struct problems p = { 0 };
	struct merge m;

	for (i = 0; i < 20; i++)
		want[i] = i;
	TEST_EQ(merge_init(&m, 3, &p), 0);
	TEST_EQ(merge_add(&m, file_of(x, 7), "x"), 0);
	TEST_EQ(merge_add(&m, file_of(y, 3), "y"), 0);
	TEST_EQ(merge_add(&m, file_of(z, 10), "z"), 0);
	if (expect(&m, want, 20))
		return 1;
	TEST_EQ(m.unordered, 0);
	TEST_EQ(p.nr, 0);
	merge_deinit(&m);
	return 0;
}

/* An NMI inside an hrtimer handler completes first with the later TSC. */
TEST(merge_puts_swapped_neighbours_right)
{
	static const __u64 x[] = { 1, 3, 2, 4, 7, 6, 5, 8 };
	static const __u64 want[] = { 1, 2, 3, 4, 5, 6, 7, 8 };
	struct problems p = { 0 };
	struct merge m;

	TEST_EQ(merge_init(&m, 1, &p), 0);
	TEST_EQ(merge_add(&m, file_of(x, 8), "x"), 0);
	if (expect(&m, want, 8))
		return 1;
	merge_deinit(&m);
	return 0;
}

TEST(merge_goes_on_when_one_file_is_damaged)
{
	static const __u64 x[] = { 1, 3, 5 };
	static const __u64 y[] = { 2, 4, 6, 8 };
	static const __u64 want[] = { 1, 2, 3, 4, 5 };
	struct problems p = { 0 };
	struct vmmprof_rec_sample *s;
	struct merge m;

	TEST_EQ(merge_init(&m, 2, &p), 0);
	TEST_EQ(merge_add(&m, file_of(x, 3), "x"), 0);
	close(file_of(y, 4));
	s = (void *)(b.data + 32 + 2 * sizeof(*s));
	s->hdr.size = 24;
	TEST_EQ(merge_add(&m, to_file(&b), "y"), 0);
	if (expect(&m, want, 5))
		return 1;
	TEST_EQ(p.nr, 1);
	TEST_OK(strstr(p.line[0], "y: damaged at byte 224"));
	TEST_OK(m.damaged);
	merge_deinit(&m);
	problems_deinit(&p);
	return 0;
}

TEST(merge_refuses_what_is_no_record_file)
{
	struct problems p = { 0 };
	struct merge m;

	TEST_EQ(merge_init(&m, 1, &p), 0);
	build_header(&b, VMMPROF_FILE_MAPS);
	TEST_EQ(merge_add(&m, to_file(&b), "x"), -EBADMSG);
	if (expect(&m, NULL, 0))
		return 1;
	merge_deinit(&m);
	return 0;
}

static int cmp_tsc(const void *a, const void *b)
{
	const __u64 *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

/* Any number of CPUs, each with its neighbours swapped, equal times, the last. */
TEST(merge_orders_any_number_of_cpus)
{
	static __u64 all[40 * 50], of[50];
	struct problems p = { 0 };
	struct merge m;
	size_t cpus, i, k, n, nr;
	char name[24];

	srand(1);
	for (cpus = 1; cpus <= 40; cpus++) {
		nr = 0;
		TEST_EQ(merge_init(&m, cpus, &p), 0);
		for (i = 0; i < cpus; i++) {
			n = rand() % 50;
			for (k = 0; k < n; k++)
				of[k] = rand() % 7 ? rand() % 1000u : ~0ull;
			qsort(of, n, sizeof(*of), cmp_tsc);
			memcpy(&all[nr], of, n * sizeof(*of));
			nr += n;
			for (k = 3; k < n; k += 4) {
				of[k] ^= of[k - 3];
				of[k - 3] ^= of[k];
				of[k] ^= of[k - 3];
			}
			snprintf(name, sizeof(name), "%zu", i);
			TEST_EQ(merge_add(&m, file_of(of, n), name), 0);
		}
		qsort(all, nr, sizeof(*all), cmp_tsc);
		if (expect(&m, all, nr))
			return 1;
		TEST_EQ(m.unordered, 0);
		TEST_EQ(m.records, nr);
		merge_deinit(&m);
	}
	return 0;
}

/* A sample, and a CHAIN record of nr words that all are the same. */
static void put_chained(__u64 tsc, __u64 chain_tsc, __u16 nr, __u64 word)
{
	struct vmmprof_rec_chain c = {
		.hdr = { VMMPROF_REC_CHAIN, sizeof(c) + 8 * nr, 0, chain_tsc },
		.nr_kernel = nr,
	};

	build_sample(&b, tsc, 0);
	if (!nr)
		return;
	build_put(&b, &c, sizeof(c));
	while (nr--)
		build_put(&b, &word, sizeof(word));
}

/* Longer than other records may be, behind its sample, and no word is lost. */
TEST(merge_keeps_chains_whole_and_behind_their_samples)
{
	const __u64 *words;
	struct problems p = { 0 };
	const union rec *rec;
	struct merge m;
	size_t i, k;

	build_header(&b, VMMPROF_FILE_RECORDS);
	for (i = 0; i < 20; i++)
		put_chained(10 * i, 10 * i, 2 * i, 1000 + i);
	TEST_EQ(merge_init(&m, 1, &p), 0);
	TEST_EQ(merge_add(&m, to_file(&b), "x"), 0);
	for (i = 0; i < 20; i++) {
		TEST_EQ(merge_next(&m, &rec), 1);
		TEST_EQ(rec->hdr.type, VMMPROF_REC_SAMPLE);
		TEST_EQ(rec->hdr.tsc, 10 * i);
		if (!i)
			continue;
		TEST_EQ(merge_next(&m, &rec), 1);
		TEST_EQ(rec->hdr.type, VMMPROF_REC_CHAIN);
		TEST_EQ(rec->hdr.tsc, 10 * i);
		TEST_EQ(rec->chain.head.nr_kernel, 2 * i);
		words = rec->chain.rest;
		for (k = 0; k < 2 * i; k++)
			TEST_EQ(words[k], 1000 + i);
	}
	TEST_EQ(merge_next(&m, &rec), 0);
	TEST_EQ(m.unordered, 0);
	TEST_EQ(p.nr, 0);
	merge_deinit(&m);
	return 0;
}

/* So late that no window puts it right: still no record is out of order. */
TEST(merge_does_not_count_late_chains_as_unordered)
{
	struct problems p = { 0 };
	const union rec *rec;
	struct merge m;
	int i, n = 0;

	build_header(&b, VMMPROF_FILE_RECORDS);
	for (i = 0; i < 20; i++)
		put_chained(10 * i, 10, i == 12 ? 2 : 0, 1);
	TEST_EQ(merge_init(&m, 1, &p), 0);
	TEST_EQ(merge_add(&m, to_file(&b), "x"), 0);
	while (merge_next(&m, &rec))
		n++;
	TEST_EQ(n, 21);
	TEST_EQ(m.unordered, 0);
	merge_deinit(&m);
	return 0;
}
