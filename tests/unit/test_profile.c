// SPDX-License-Identifier: GPL-2.0-only
/* Buckets by the numbers of their two parts, also of very many parts. */

#include <stdlib.h>
#include <string.h>

#include "test.h"
#include "model/profile.h"

#define FAR 4194304u /* 2 to the power of PAIR_PART_BITS */
#define NR  5

static struct profile p, parts;

static __u32 counted[64];

static int note(void *arg, unsigned int place, __u32 bucket)
{
	(void)arg;
	counted[place] = bucket;
	return 0;
}

/* Parts, of which no others than those used here are ever touched. */
static int many_parts(void)
{
	memset(&p, 0, sizeof(p));
	memset(&parts, 0, sizeof(parts));
	parts.buckets = calloc(FAR + NR, sizeof(*parts.buckets));
	return parts.buckets ? 0 : 1;
}

static void part(__u32 i, __u32 proc, __u32 func)
{
	parts.buckets[i].key.proc = proc;
	parts.buckets[i].key.func = func;
}

static __u64 samples_of(__u32 proc, __u32 func)
{
	__u64 n = 0;
	size_t i;

	for (i = 0; i < p.nr; i++)
		if (p.buckets[i].key.proc == proc &&
		    p.buckets[i].key.func == func)
			n += p.buckets[i].samples;
	return n;
}

TEST(parts_of_large_numbers_have_buckets_as_others_have)
{
	const __u32 stems[] = { 0, 1, FAR - 2, FAR - 1, FAR };
	const __u32 places[] = { 2, 3, FAR - 3, FAR + 1, FAR + 2 };
	unsigned int i, k, n;

	TEST_EQ(many_parts(), 0);
	for (i = 0; i < NR; i++) {
		part(stems[i], 10 + i, 0);
		part(places[i], 0, 20 + i);
	}
	for (n = 0; n < 3; n++)
		for (i = 0; i < NR; i++)
			for (k = 0; k < NR; k++)
				TEST_EQ(profile_pair_later(&p, &parts, stems[i],
							   places[k]),
					0);
	TEST_EQ(profile_flush(&p, &parts), 0);
	TEST_EQ(p.nr, NR * NR);
	TEST_EQ(p.samples, 3 * NR * NR);
	for (i = 0; i < NR; i++)
		for (k = 0; k < NR; k++)
			TEST_EQ(samples_of(10 + i, 20 + k), 3);
	/* at once, and .last is known */
	TEST_EQ(profile_pair(&p, &parts, FAR, FAR + 1), 0);
	TEST_EQ(p.buckets[p.last].samples, 4);
	TEST_EQ(profile_pair(&p, &parts, 0, 2), 0);
	TEST_EQ(p.buckets[p.last].samples, 4);
	/* and whoever asks is told of each */
	p.counted = note;
	TEST_EQ(profile_pair_later(&p, &parts, 1, 3), 0);
	TEST_EQ(profile_pair_later(&p, &parts, FAR, 3), 0);
	TEST_EQ(profile_flush(&p, &parts), 0);
	TEST_EQ(p.buckets[counted[0]].key.proc, 11);
	TEST_EQ(p.buckets[counted[1]].key.proc, 14);
	free(parts.buckets);
	profile_deinit(&p);
	return 0;
}

TEST(more_samples_than_a_pair_has_room_for_are_all_counted)
{
	const __u64 nr = 3ull * PAIR_COUNT_MAX + 5;
	const __u64 pair = profile_pair_of(0, 1);
	__u64 i, *known;

	TEST_EQ(many_parts(), 0);
	part(0, 7, 0);
	part(1, 0, 8);
	TEST_EQ(profile_pair_later(&p, &parts, 0, 1), 0);
	TEST_EQ(profile_flush(&p, &parts), 0);
	known = profile_known_pair(&p, pair, profile_hash(pair));
	TEST_EQ(!known, 0);
	for (i = 1; i < nr; i++)
		profile_count_pair(&p, known);
	TEST_EQ(!profile_known_pair(&p, profile_pair_of(0, 2),
				    profile_hash(profile_pair_of(0, 2))),
		1);
	TEST_EQ(profile_flush(&p, &parts), 0);
	TEST_EQ(p.nr, 1);
	TEST_EQ(p.buckets[0].samples, nr);
	TEST_EQ(p.samples, nr);
	free(parts.buckets);
	profile_deinit(&p);
	return 0;
}

TEST(buckets_are_there_by_the_machine_that_they_are_on)
{
	struct bucket_key key = { 0 };
	struct profile_buckets of;
	__u32 i;

	memset(&p, 0, sizeof(p));
	TEST_EQ(profile_buckets_on(&p, 0, &of), 0);
	TEST_EQ(of.nr, 0);
	/* the host's are 0, 3, 6 and so on */
	for (i = 0; i < 100; i++) {
		key.guest = i % 3;
		key.func = i;
		TEST_EQ(profile_add(&p, &key, 1), 0);
	}
	TEST_EQ(profile_buckets_of(&p, 0, &of), 0);
	TEST_EQ(of.nr, 100);
	TEST_EQ(profile_bucket(&p, &of, 99)->key.func, 99);
	TEST_EQ(profile_buckets_on(&p, 0, &of), 0);
	TEST_EQ(of.nr, 34);
	for (i = 0; i < of.nr; i++)
		TEST_EQ(profile_bucket(&p, &of, i)->key.func, 3 * i);
	TEST_EQ(profile_buckets_of(&p, 2, &of), 0);
	TEST_EQ(of.nr, 33);
	TEST_EQ(profile_bucket(&p, &of, 32)->key.func, 98);
	TEST_EQ(profile_buckets_on(&p, 7, &of), 0);
	TEST_EQ(of.nr, 0);
	profile_deinit(&p);
	return 0;
}
