// SPDX-License-Identifier: GPL-2.0-only
/* `vmmprof record`: what guests are asked for before sampling. */

#include "test.h"
#include "cmd/record/guests.c"

static uint32_t watch_limit(double duration, double timeout)
{
	struct record_options opts = {
		.transports = 1u << VMMPROF_REACH_SSH,
		.guest_program = "/bin/true",
		.no_cache = true,
		.duration_ns = duration * 1e9,
		.guest_timeout_ns = timeout * 1e9,
	};
	struct recording r = { .opts = &opts, .cache.dirfd = -1 };
	uint32_t limit;

	record_begin_guests(&r);
	limit = r.guests.watch_limit;
	collect_deinit(&r.guests);
	return limit;
}

/* A guest that watches at once does so while another one takes all its time. */
TEST(guests_watch_until_the_recording_has_ended)
{
	TEST_EQ(watch_limit(30, 20), 30 + 20 + 60);
	TEST_EQ(watch_limit(0.5, 600.5), 601 + 60);
	TEST_EQ(watch_limit(0, 20), 86400 + 20);
	return 0;
}
