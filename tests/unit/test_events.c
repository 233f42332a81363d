// SPDX-License-Identifier: GPL-2.0-only
/* Names of events, raw codes, and the periods that follow from -c and -F. */

#include <linux/perf_event.h>

#include "test.h"
#include "host/events.h"

static struct event_list list;
static char bad[EVENT_NAME];

TEST(events_parses_list_in_order)
{
	TEST_EQ(events_parse("ref-cycles,branch-misses,r1b1", &list, bad), 0);
	TEST_EQ(list.nr, 3);
	TEST_STR(list.choice[0].name, "ref-cycles");
	TEST_EQ(list.choice[0].event.type, PERF_TYPE_HARDWARE);
	TEST_EQ(list.choice[0].event.config, PERF_COUNT_HW_REF_CPU_CYCLES);
	TEST_EQ(list.choice[1].event.config, PERF_COUNT_HW_BRANCH_MISSES);
	TEST_EQ(list.choice[2].event.type, PERF_TYPE_RAW);
	TEST_EQ(list.choice[2].event.config, 0x1b1);
	return 0;
}

TEST(events_cpu_clock_is_software)
{
	TEST_EQ(events_parse("cpu-clock", &list, bad), 0);
	TEST_OK(!event_is_hardware(&list.choice[0].event));
	TEST_EQ(events_parse("cycles", &list, bad), 0);
	TEST_OK(event_is_hardware(&list.choice[0].event));
	return 0;
}

TEST(events_unknown_name_is_named)
{
	TEST_EQ(events_parse("cycles,cycels", &list, bad), -ENOENT);
	TEST_STR(bad, "cycels");
	TEST_EQ(events_parse("rxyz", &list, bad), -ENOENT);
	TEST_EQ(events_parse("r", &list, bad), -ENOENT);
	TEST_EQ(events_parse("cycles.............................x", &list,
			     bad),
		-ENOENT);
	TEST_EQ(strlen(bad), EVENT_NAME - 1);
	return 0;
}

TEST(events_refuses_empty_twice_and_too_many)
{
	TEST_EQ(events_parse("", &list, bad), -EINVAL);
	TEST_EQ(events_parse("cycles,", &list, bad), -EINVAL);
	TEST_EQ(events_parse("r12345678901234567", &list, bad), -EINVAL);
	TEST_EQ(events_parse("cycles,cpu-cycles", &list, bad), -EEXIST);
	TEST_EQ(events_parse("r1,r2,r3,r4,r5,r6,r7,r8", &list, bad), 0);
	TEST_EQ(events_parse("r1,r2,r3,r4,r5,r6,r7,r8,r9", &list, bad), -E2BIG);
	return 0;
}

TEST(events_modifiers_leave_out_the_other_modes)
{
	static const struct {
		const char *text;
		uint32_t flags;
	} are[] = {
		{ "cycles:u", VMMPROF_EVENT_F_NO_KERNEL },
		{ "cycles:k", VMMPROF_EVENT_F_NO_USER },
		{ "cycles:uk", 0 },
		{ "ref-cycles:G", VMMPROF_EVENT_F_NO_HOST },
		{ "r1b1:H", VMMPROF_EVENT_F_NO_GUEST },
		{ "cycles:HG", 0 },
		{ "cycles:Gk",
		  VMMPROF_EVENT_F_NO_HOST | VMMPROF_EVENT_F_NO_USER },
		{ "branch-misses:kukGHGGk", 0 },
	};
	unsigned int i;

	for (i = 0; i < sizeof(are) / sizeof(are[0]); i++) {
		TEST_EQ(events_parse(are[i].text, &list, bad), 0);
		TEST_EQ(list.choice[0].event.flags, are[i].flags);
		TEST_STR(list.choice[0].name, are[i].text);
	}
	TEST_EQ(events_parse("cycles:G,cycles:H,cycles", &list, bad), 0);
	TEST_EQ(events_parse("cycles:uk,cycles", &list, bad), -EEXIST);
	TEST_EQ(events_parse("cycles:", &list, bad), -EPROTO);
	TEST_EQ(events_parse("cycles:p", &list, bad), -EPROTO);
	TEST_EQ(events_parse("cycles:u:k", &list, bad), -EPROTO);
	TEST_EQ(events_parse("cpu-clock:G", &list, bad), -EOPNOTSUPP);
	TEST_EQ(events_parse("cycels:u", &list, bad), -ENOENT);
	return 0;
}

TEST(events_modifiers_keep_the_rate)
{
	const struct rate none = { 0, 0 }, f = { .freq = 4000 };

	TEST_EQ(events_parse("ref-cycles:G", &list, bad), 0);
	events_set_rate(&list, &none, 2400000);
	TEST_EQ(list.choice[0].event.period, 2392800);
	TEST_EQ(list.choice[0].event.flags, VMMPROF_EVENT_F_NO_HOST);
	events_set_rate(&list, &f, 2400000);
	TEST_EQ(list.choice[0].event.flags,
		VMMPROF_EVENT_F_NO_HOST | VMMPROF_EVENT_F_FREQ);
	return 0;
}

TEST(events_default_period_is_997_us)
{
	const struct rate none = { 0, 0 };

	TEST_EQ(events_parse("ref-cycles,cpu-clock,cache-misses", &list, bad),
		0);
	events_set_rate(&list, &none, 2400000);
	TEST_EQ(list.choice[0].event.period, 2392800);
	TEST_EQ(list.choice[0].event.flags, 0);
	TEST_EQ(list.choice[1].event.period, 997000);
	TEST_EQ(list.choice[2].event.period, 1003);
	TEST_EQ(list.choice[2].event.flags, VMMPROF_EVENT_F_FREQ);
	return 0;
}

TEST(events_period_and_frequency_are_the_users)
{
	const struct rate c = { .period = 100000 };
	const struct rate f = { .freq = 4000 };

	TEST_EQ(events_parse("instructions,cpu-clock", &list, bad), 0);
	events_set_rate(&list, &f, 2400000);
	TEST_EQ(list.choice[0].event.period, 4000);
	TEST_EQ(list.choice[0].event.flags, VMMPROF_EVENT_F_FREQ);
	TEST_EQ(list.choice[1].event.period, 250000);
	TEST_EQ(list.choice[1].event.flags, 0);
	events_set_rate(&list, &c, 2400000);
	TEST_EQ(list.choice[0].event.period, 100000);
	TEST_EQ(list.choice[0].event.flags, 0);
	TEST_EQ(list.choice[1].event.period, 100000);
	return 0;
}
