// SPDX-License-Identifier: GPL-2.0-only
/* Which row of the timeline's text and picture has a stretch of time. */

#include "test.h"
#include "view/timeline.h"

/* Its thread may be another vCPU's meanwhile, by its records. */
TEST(a_stretch_is_its_tracks)
{
	struct track first = { .index = 0, .pid = 5, .tid = 6 };
	struct track second = { .index = 1, .pid = 5, .tid = 6 };
	struct track *tracks[] = { &first, &second };
	struct timeline tl = { .tracks = tracks, .nr = 2 };
	struct slots s;

	TEST_EQ(hash_set(&tl.by_tid, 5ull << 32 | 6, 1), 0);
	TEST_EQ(slots_init(&s, &tl, 100, 200, 2), 0);
	TEST_EQ(slots_stretch(&s, &first, STATE_ON_CPU, 120, 160, VMMPROF_NONE),
		0);
	TEST_EQ(s.nr, 2);
	TEST_EQ(s.ticks[STATE_ON_CPU], 30);
	TEST_EQ(s.ticks[NR_STATES + STATE_ON_CPU], 10);
	TEST_EQ(s.ticks[2 * NR_STATES + STATE_ON_CPU], 0);
	slots_deinit(&s);
	hash_deinit(&tl.by_tid);
	return 0;
}
