// SPDX-License-Identifier: GPL-2.0-only
/* When the agent makes a session by itself: a function of time and steal. */

#include "live_session.h"
#include "cmd/agent/alarm.h"

#define S 1000000000ull

static const struct alarm_limit limit = { .percent = 20, .for_ns = 10 * S };

TEST(steal_alarms_after_it_lasted_and_not_before)
{
	struct alarm_streak s = { 0 };
	int i;

	for (i = 1; i <= 9; i++)
		TEST_OK(!alarm_streak_add(&s, &limit, S, 21, 100));
	TEST_OK(alarm_streak_add(&s, &limit, S, 21, 100));
	TEST_OK(alarm_streak_add(&s, &limit, S, 99, 100));
	/* just so much is not more, and it begins anew */
	TEST_OK(!alarm_streak_add(&s, &limit, S, 20, 100));
	for (i = 1; i <= 9; i++)
		TEST_OK(!alarm_streak_add(&s, &limit, S, 100, 100));
	TEST_OK(alarm_streak_add(&s, &limit, S, 100, 100));
	TEST_EQ(s.steal * 1000 / s.all, 1000);
	/* a VM without any time has lost none */
	TEST_OK(!alarm_streak_add(&s, &limit, S, 0, 0));
	TEST_EQ(s.ns, 0);
	/* one look after a long time is as good as many */
	TEST_OK(alarm_streak_add(&s, &limit, 11 * S, 30, 100));
	/* numbers that are too large alarm nobody falsely */
	TEST_OK(!alarm_streak_add(&s, &limit, S, ~0ull, ~0ull));
	return 0;
}

TEST(an_alarm_is_for_one_session_until_it_ends_or_records_have_gone)
{
	struct alarm_turn t = { .again_ns = 600 * S };
	__u64 now = 5 * S;

	TEST_OK(!alarm_turn_look(&t, false, now));
	TEST_OK(!alarm_turn_take(&t, now));
	TEST_OK(alarm_turn_look(&t, true, now));
	TEST_OK(alarm_turn_take(&t, now));
	TEST_OK(!alarm_turn_take(&t, now));
	for (; now < 605 * S; now += S) {
		TEST_OK(!alarm_turn_look(&t, true, now));
		TEST_OK(!alarm_turn_take(&t, now));
	}
	TEST_OK(alarm_turn_look(&t, true, now));
	TEST_OK(alarm_turn_take(&t, now));
	/* it ends, and there is another one, which waits for its turn, and ends */
	TEST_OK(!alarm_turn_look(&t, true, now + S));
	TEST_OK(!alarm_turn_look(&t, false, now + 2 * S));
	TEST_OK(alarm_turn_look(&t, true, now + 3 * S));
	TEST_OK(!alarm_turn_look(&t, true, now + 4 * S));
	TEST_OK(!alarm_turn_take(&t, now + 4 * S));
	TEST_OK(!alarm_turn_look(&t, false, now + 5 * S));
	TEST_OK(!alarm_turn_take(&t, now + 299 * S));
	TEST_OK(alarm_turn_take(&t, now + 300 * S));
	TEST_OK(!alarm_turn_take(&t, now + 2000 * S));
	TEST_OK(!alarm_turn_look(&t, false, now + 2000 * S));
	return 0;
}

/* What comes and goes each second makes a session each half of the time. */
TEST(alarms_that_come_and_go_make_no_storm)
{
	struct alarm_turn t = { .again_ns = 600 * S };
	int i, sessions = 0;

	for (i = 0; i <= 3000; i++) {
		alarm_turn_look(&t, i % 2, i * S);
		sessions += alarm_turn_take(&t, i * S);
	}
	TEST_EQ(sessions, 10);
	return 0;
}

/* Looks at a window each 50 ms: how many alarm, and the last one. */
static int look_at(struct recorded *s, struct alarm *a, __u64 from, __u64 to,
		   unsigned int *looks, struct agent_alarm *last)
{
	struct agent_alarm now;
	__u64 until;

	for (until = from + 50 * MS; until <= to; until += 50 * MS) {
		bool anew = !s->l.begun;

		TEST_EQ(drain(&s->file[0], until), 0);
		TEST_EQ(drain(&s->file[1], until), 0);
		TEST_EQ(until < to ? live_more(&s->l, until) :
				     live_feed(&s->l, until, false),
			0);
		TEST_EQ(alarm_look(a, &s->l.tl, until, anew, &now), 0);
		*looks += now.pid != 0;
		if (now.pid)
			*last = now;
	}
	return 0;
}

/* How many of the looks at two windows alarm, and the last one of these. */
static int alarms(__u32 percent, __u64 for_ns, unsigned int *looks,
		  struct agent_alarm *last)
{
	struct alarm a = { .limit = { percent, for_ns } };
	struct recorded s;

	*looks = 0;
	*last = (struct agent_alarm){ 0 };
	TEST_EQ(begin(&s), 0);
	TEST_EQ(look_at(&s, &a, 100 * MS, 600 * MS, looks, last), 0);
	TEST_EQ(look_at(&s, &a, 600 * MS, 1100 * MS, looks, last), 0);
	alarm_deinit(&a);
	end(&s);
	return 0;
}

/* beta waits from 0.2 to 0.3 and from 0.4 to 0.82 s, across the windows' border. */
TEST(steal_is_seen_at_each_look)
{
	struct agent_alarm last;
	unsigned int looks;

	TEST_EQ(alarms(50, 1, &looks, &last), 0);
	TEST_EQ(looks, 2 + 8);
	TEST_EQ(last.pid, 600);
	TEST_EQ(last.permille, 1000);
	TEST_EQ(alarms(50, 100 * MS, &looks, &last), 0);
	TEST_EQ(looks, 1 + 7);
	TEST_EQ(alarms(50, 200 * MS, &looks, &last), 0);
	TEST_EQ(looks, 5);
	TEST_EQ(alarms(50, 500 * MS, &looks, &last), 0);
	TEST_EQ(looks, 0);
	/* from 0.3 to 0.4 s one of alpha's two vCPUs waits; 20 of 50 ms of beta */
	TEST_EQ(alarms(39, 1, &looks, &last), 0);
	TEST_EQ(looks, 2 + 2 + 9);
	TEST_EQ(last.pid, 600);
	TEST_EQ(last.permille, 933);
	/* 0: there is no alarm */
	TEST_EQ(alarms(0, 1, &looks, &last), 0);
	TEST_EQ(looks, 0);
	return 0;
}
