// SPDX-License-Identifier: GPL-2.0-only
/* Time stolen by parts of the measurement, and how many pairs there may be. */

#include <stdlib.h>
#include <string.h>

#include "test.h"
#include "model/steal_times.h"
#include "model/thief.h"

#define FROM  1000
#define PAIRS 3

/* What each tick of a measurement took, added up by the parts there are. */
static int same_parts(const struct steal_times *st, const __u32 *took,
		      size_t ticks, unsigned int pair)
{
	__u64 sum[STEAL_PARTS] = { 0 };
	size_t i;

	for (i = 0; i < ticks; i++)
		sum[i / st->width] += took[i];
	return !memcmp(st->ticks[pair], sum, sizeof(sum));
}

/*
 * Stretches in the order of their ends, some of which begin many parts earlier
 * or end a little earlier than one before; the time goes on until it is @ticks,
 * and @until was said before.
 */
static int times_of(__u64 until, size_t ticks)
{
	__u32 *took[PAIRS], seed = 1;
	struct steal_times st;
	size_t end, from, to, i;
	unsigned int k;
	__u16 pair;

	steal_times_init(&st, FROM, until);
	for (k = 0; k < PAIRS; k++) {
		took[k] = calloc(ticks, sizeof(*took[k]));
		TEST_OK(took[k]);
	}
	for (end = 1; end <= ticks; end += 1 + seed % 7) {
		seed = seed * 1103515245 + 12345;
		k = seed >> 16 & 3;
		to = seed >> 18 & 31 ? end : end - (seed >> 24 & 63) % end;
		from = seed >> 20 & 15 ? to - 1 : to / 2;
		if (k == PAIRS) /* one of too many: only the time goes on */
			pair = STEAL_PAIR_NONE;
		else
			TEST_EQ(steal_times_pair(&st, k, 7 - k, &pair), 0);
		steal_times_add(&st, pair, FROM + from, FROM + to);
		for (i = from; k < PAIRS && i < to; i++)
			took[k][i]++;
	}
	steal_times_end(&st, FROM + ticks);
	TEST_EQ(st.nr, PAIRS);
	for (k = 0; k < PAIRS; k++) {
		TEST_EQ(steal_times_pair(&st, k, 7 - k, &pair), 0);
		TEST_OK(same_parts(&st, took[k], ticks, pair));
		free(took[k]);
	}
	steal_times_deinit(&st);
	return 0;
}

TEST(each_part_has_what_was_taken_in_it)
{
	TEST_EQ(times_of(FROM + 5000, 5000), 0);
	/* it becomes twice as long, four times, and many times */
	TEST_EQ(times_of(FROM + 5000, 9000), 0);
	TEST_EQ(times_of(FROM + 5000, 17000), 0);
	TEST_EQ(times_of(0, 20000), 0);
	/* parts of one tick, and fewer ticks than parts */
	TEST_EQ(times_of(FROM + 256, 256), 0);
	TEST_EQ(times_of(FROM + 100, 100), 0);
	return 0;
}

TEST(sums_of_a_part_stop)
{
	const __u64 most = VMMPROF_SATURATED;
	struct steal_times st;
	__u16 pair;
	int i;

	steal_times_init(&st, 0, 0);
	TEST_EQ(steal_times_pair(&st, 1, 2, &pair), 0);
	for (i = 0; i < 300; i++)
		steal_times_add(&st, pair, 0, most - 1);
	steal_times_end(&st, most);
	TEST_EQ(st.ticks[pair][0], most);
	TEST_OK(saturated);
	saturated = false;
	steal_times_deinit(&st);
	return 0;
}

TEST(too_many_pairs_have_no_times)
{
	struct steal_times st;
	__u32 i;
	__u16 pair;

	steal_times_init(&st, 0, 256);
	for (i = 0; i < STEAL_PAIRS_MAX + 10; i++) {
		TEST_EQ(steal_times_pair(&st, i, i, &pair), 0);
		TEST_EQ(pair, i < STEAL_PAIRS_MAX ? i : STEAL_PAIR_NONE);
		steal_times_add(&st, pair, i % 256, i % 256 + 1);
	}
	TEST_EQ(st.nr, STEAL_PAIRS_MAX);
	TEST_EQ(steal_times_pair(&st, 5, 5, &pair), 0);
	TEST_EQ(pair, 5);
	steal_times_end(&st, 256);
	TEST_EQ(st.ticks[1023][255], 1);
	TEST_EQ(st.ticks[1023][0], 0);
	steal_times_deinit(&st);
	return 0;
}

/* Beyond the bound a track's time is taken by BY_UNKNOWN, which it may have. */
TEST(too_many_stolen_times_are_unknown)
{
	struct thieves cs = { 0 };
	__u32 i, at;

	for (i = 0; i < STOLEN_TIMES_MAX - 1; i++)
		TEST_EQ(thieves_stolen(&cs, i & 1023, 1 + (i >> 10), &at), 0);
	TEST_EQ(thieves_add(&cs, 3, 0, false, 10), 0);
	TEST_EQ(cs.nr_stolen, STOLEN_TIMES_MAX);
	TEST_EQ(thieves_stolen(&cs, 3, 5000, &at), 0);
	TEST_EQ(cs.stolen[at].thief, 0);
	TEST_EQ(cs.stolen[at].track, 3);
	TEST_EQ(thieves_add(&cs, 3, 5000, true, 7), 0);
	TEST_EQ(cs.stolen[at].preempted, 10);
	TEST_EQ(cs.stolen[at].woken, 7);
	TEST_EQ(cs.stolen[at].longest, 10);
	TEST_EQ(thieves_stolen(&cs, 4, 5000, &at), 0);
	TEST_EQ(cs.stolen[at].thief, 0);
	TEST_EQ(cs.stolen[at].track, 4);
	TEST_EQ(cs.nr_stolen, STOLEN_TIMES_MAX + 1);
	TEST_EQ(thieves_stolen(&cs, 5, 9, &at), 0);
	TEST_EQ(cs.stolen[at].thief, 9);
	thieves_deinit(&cs);
	return 0;
}
