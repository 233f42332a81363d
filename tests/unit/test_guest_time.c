// SPDX-License-Identifier: GPL-2.0-only
/* Time in guests, spread over samples. */

#include "test.h"
#include "model/guest_time.h"

#define EVENT 1

static struct track tracks[3] = {
	{ .guest = 0, .vcpu_id = 0, .on_ticks = { 1000, 7 } },
	{ .guest = 0, .vcpu_id = 1, .on_ticks = { 10, 0, 5 } },
	/* the same vCPU again: another thread */
	{ .guest = 0, .vcpu_id = 0, .on_ticks = { 1 } },
};

static const struct {
	__u32 guest, vcpu;
	__u8 event, mode, cause;
	__u64 samples, ticks;
} buckets[] = {
	/* of 1001 ticks thirds */
	{ 1, 0, EVENT, MODE_KERNEL, 0, 1, 333 },
	{ 1, 0, EVENT, MODE_KERNEL, 1, 1, 334 },
	{ 1, 0, EVENT, MODE_KERNEL, 2, 1, 334 },
	{ 1, 0, EVENT, MODE_USER, 0, 9, 7 },
	/* more samples than ticks */
	{ 1, 1, EVENT, MODE_KERNEL, 0, ~0ull - 1, 9 },
	{ 1, 1, EVENT, MODE_KERNEL, 1, 1, 1 },
	/* not of that time */
	{ 1, 0, EVENT + 1, MODE_KERNEL, 0, 5, 0 },
	{ 1, VMMPROF_NONE, EVENT, MODE_KERNEL, 0, 5, 0 },
	{ 2, 0, EVENT, MODE_KERNEL, 0, 5, 0 },
	{ 0, 0, EVENT, MODE_KERNEL, 0, 5, 0 },
};

TEST(time_is_spread_to_the_tick)
{
	struct analysis a = { 0 };
	struct track *list[] = { &tracks[0], &tracks[1], &tracks[2] };
	struct timeline tl = {
		.a = &a, .tracks = list, .nr = 3, .period = 1, .event = EVENT
	};
	struct bucket_key key;
	size_t i;

	for (i = 0; i < sizeof(buckets) / sizeof(buckets[0]); i++) {
		memset(&key, 0, sizeof(key));
		key.guest = buckets[i].guest;
		key.vcpu = buckets[i].vcpu;
		key.event = buckets[i].event;
		key.mode = buckets[i].mode;
		key.cause = buckets[i].cause;
		TEST_EQ(profile_add(&a.profile, &key, buckets[i].samples), 0);
	}
	/* twice: what is spread replaces what was */
	TEST_EQ(guest_time_spread(&tl), 0);
	TEST_EQ(guest_time_spread(&tl), 0);
	for (i = 0; i < a.profile.nr; i++) {
		printf("# bucket %zu\n", i);
		TEST_EQ(a.profile.buckets[i].ticks, buckets[i].ticks);
	}
	/* nothing was sampled there */
	TEST_EQ(tracks[0].bare[MODE_KERNEL], 0);
	TEST_EQ(tracks[1].bare[MODE_UNKNOWN], 5);
	TEST_EQ(tracks[1].bare[MODE_KERNEL], 0);
	profile_deinit(&a.profile);
	return 0;
}
