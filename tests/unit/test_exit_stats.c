// SPDX-License-Identifier: GPL-2.0-only
/* Percentiles of counted VM exits, and rows out of damaged items. */

#include <stdlib.h>
#include <string.h>

#include "model/exit_stats.h"
#include "test.h"

static struct exit_stat row(__u64 nr, unsigned int step, __u64 max)
{
	struct exit_stat r = { .nr = nr, .max = max };

	r.count[step] = nr;
	return r;
}

TEST(exit_percentile_is_the_end_of_its_step)
{
	struct exit_stat r = row(100, 5, 1000);

	/* 16 to 31 */
	TEST_EQ(exit_stats_from(5), 16);
	TEST_EQ(exit_stats_quantile(&r, 1, 2), 31);
	TEST_EQ(exit_stats_quantile(&r, 99, 100), 31);
	/* 98 there, two longer ones */
	r.count[5] = 98;
	r.count[10] = 2;
	TEST_EQ(exit_stats_quantile(&r, 98, 100), 31);
	TEST_EQ(exit_stats_quantile(&r, 99, 100), 1000);
	return 0;
}

TEST(exit_percentile_is_never_above_the_largest)
{
	struct exit_stat r = row(3, 5, 17);

	TEST_EQ(exit_stats_quantile(&r, 1, 2), 17);
	r = row(3, VMMPROF_EXIT_COUNTS - 1, 1ull << 60);
	TEST_EQ(exit_stats_quantile(&r, 1, 2), 1ull << 60);
	r = row(1, 0, 0);
	TEST_EQ(exit_stats_quantile(&r, 99, 100), 0);
	return 0;
}

TEST(exit_percentile_of_nothing)
{
	struct exit_stat r = row(0, 0, 0);

	TEST_EQ(exit_stats_quantile(&r, 1, 2), 0);
	TEST_EQ(exit_stats_mean(&r), 0);
	/* a sum that stopped at its largest number */
	r = row(~0ull, 3, 7);
	r.count[4] = ~0ull;
	TEST_EQ(exit_stats_quantile(&r, 99, 100), 7);
	return 0;
}

static struct analysis a;
static struct vmmprof_info_exit items[4];
static const struct vmmprof_info_exit *list[4] = { &items[0], &items[1],
						   &items[2], &items[3] };

static int rows_of(struct exit_stats *s, bool by_vcpu)
{
	memset(&a, 0, sizeof(a));
	a.session.exits = list;
	a.session.nr_exits = 4;
	return exit_stats_init(s, &a, by_vcpu);
}

TEST(exit_items_of_one_vcpu_and_reason_are_one_row)
{
	static const __u32 reasons[4] = { 10, 12, 10, 70000 };
	struct exit_stats s;
	unsigned int i;

	for (i = 0; i < 4; i++) {
		memset(&items[i], 0, sizeof(items[i]));
		items[i].exit = (struct vmmprof_exit){ .pid = 5,
						       .vcpu_id = i % 2,
						       .reason = reasons[i],
						       .total = 8,
						       .min = 1 + i,
						       .max = 4 + i };
		items[i].exit.count[2] = 2;
	}
	items[1].exit.open = 9;
	TEST_EQ(rows_of(&s, false), 0);
	TEST_EQ(s.nr, 4); /* all, 10, 12, not read */
	TEST_EQ(s.rows[0].reason, EXIT_ALL);
	TEST_EQ(s.rows[0].nr, 8);
	TEST_EQ(s.rows[0].total, 32);
	TEST_EQ(s.rows[0].min, 1);
	TEST_EQ(s.rows[0].max, 7);
	TEST_EQ(s.rows[0].not_ended, 1);
	TEST_EQ(s.rows[1].reason, 10);
	TEST_EQ(s.rows[1].nr, 4);
	TEST_EQ(s.rows[1].max, 6);
	TEST_EQ(s.rows[2].open, 9);
	/* a reason has 16 bits */
	TEST_EQ(s.rows[3].reason, VMMPROF_NONE);
	exit_stats_deinit(&s);
	guests_deinit(&a.resolver.guests);

	TEST_EQ(rows_of(&s, true), 0);
	TEST_EQ(s.nr, 5); /* all, 10; all, 12, not read */
	TEST_EQ(s.rows[0].vcpu, 0);
	TEST_EQ(s.rows[2].vcpu, 1);
	TEST_EQ(s.rows[2].reason, EXIT_ALL);
	TEST_EQ(s.rows[2].nr, 4);
	exit_stats_deinit(&s);
	guests_deinit(&a.resolver.guests);
	return 0;
}
