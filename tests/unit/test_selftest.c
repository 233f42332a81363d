// SPDX-License-Identifier: GPL-2.0-only
/* The self-test's judgement, on figures that are made up: good ones, and each wrong. */

#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "test.h"
#include "cmd/selftest_json.h"
#include "selftest/checks.h"

static struct figures good;
static struct checks got;

/* A second of a host with VT-x and a PMU: 5 loops in 10, 3 and 2. */
static void make_good(void)
{
	good = (struct figures){
		.hardware = true,
		.ref = true,
		.khz = 1000000,
		.rounds = 100,
		.params = { .length = { 5000, 3000, 2000 },
			    .cpuids = 40,
			    .outs = 20,
			    .hlts = 10 },
		.period = 100000, /* 0.1 ms */
		.guest_ticks = 990000000,
		.samples = 10100,
		.count = 10100 * 100000ull,
		.all = 10100,
		.own = 10000,
		.guest = 9600,
		.in_loop = { 4770, 2860, 1910 },
		.in_exits = 40,
		.in_rest = 20,
		.handling = { 100, 150, 20, 5, 20, 2 },
		.chains_taken = true,
		.chains = 9540,
		.chains_right = 9500,
		.chains_none = 40,
		.exits_counted = true,
		.exits = { 4000, 2001, 1000, 9600, 1000, 10 },
		.exits_open = 1,
		.exit_ticks = 30000000,
		.outs = 2001,
		.hlts = 1000,
		.has_track = true,
		.delay = { .known = true,
			   .agrees = true,
			   .ours = 500000000,
			   .theirs = 501000000 },
		.run = { .known = true,
			 .agrees = true,
			 .ours = 1000000000,
			 .theirs = 1000000000 },
		.elapsed_ns = 1000000000,
	};
}

/* A second of halts, 2 ms each, 40 us of it exits. */
static void make_halting(void)
{
	good = (struct figures){
		.khz = 1000000,
		.params = { .halts = 500,
			    .halted = 1020000000,
			    .timer = 2000000 },
		.exits_counted = true,
		.exits = { [KNOWN_HLT] = 500, [KNOWN_IO] = 1 },
		.slept = 500,
		.asleep = 990000000,
		.woken = 10000000,
		.has_track = true,
	};
}

static void judge(void)
{
	memset(&got, 0, sizeof(got));
	checks_alone(&got, &good);
	checks_shared(&got, &good);
}

/* Which checks of that verdict there are, with a comma behind each. */
static const char *with(enum check_verdict verdict)
{
	static char text[512];
	unsigned int i;

	*text = '\0';
	for (i = 0; i < got.nr; i++) {
		if (got.list[i].verdict != verdict)
			continue;
		printf("# %s: %s\n", got.list[i].name, got.list[i].text);
		strcat(text, got.list[i].name);
		strcat(text, ",");
	}
	return text;
}

/* The checks that fail after one change. */
#define FAILS(change, names)                      \
	do {                                      \
		make_good();                      \
		change;                           \
		judge();                          \
		TEST_STR(with(CHECK_BAD), names); \
	} while (0)

TEST(good_figures_are_good)
{
	make_good();
	judge();
	TEST_STR(with(CHECK_BAD), "");
	TEST_STR(with(CHECK_SKIPPED), "");
	TEST_EQ(got.nr, 16);
	TEST_EQ(checks_count(&got, CHECK_OK), 16);
	return 0;
}

TEST(what_is_lost_is_bad)
{
	FAILS(good.lost = 1, "losses,");
	FAILS(good.lost_other = 1, "losses,");
	FAILS(good.all = 10099, "losses,");
	return 0;
}

TEST(interrupts_are_as_many_as_the_counter_says)
{
	FAILS(good.count = 10500 * 100000ull, "rate,");
	FAILS(good.count = 9500 * 100000ull, "rate,");
	FAILS(good.wrong_interrupt = 1, "interrupts,");
	FAILS(good.period = 200000; good.count *= 2, "frequency,");
	return 0;
}

TEST(a_guest_sample_is_the_guests)
{
	FAILS(good.strangers = 1, "guest,other threads,");
	FAILS(good.contradictions[CONTRA_REASON] = 1, "guest,");
	/* taken for the guest's where it does nothing but exit */
	FAILS(good.in_exits = 400, "guest,");
	FAILS(good.exits[KNOWN_NMI] = 9599, "guest,");
	/* taken for the host's */
	FAILS(good.guest = 8000, "guest,time in guest,");
	FAILS(good.guest = 8000;
	      good.exits[KNOWN_NMI] = 8000, "time in guest,");
	FAILS(good.guest = 0; memset(good.in_loop, 0, sizeof(good.in_loop)),
			      "guest,time in guest,RIP,shares,CR3,CPL,chains,");
	return 0;
}

TEST(loops_are_known)
{
	FAILS(good.outside = 1, "RIP,");
	FAILS(good.in_rest = 400, "RIP,");
	FAILS(good.in_loop[0] -= 400; good.in_loop[1] += 400, "shares,");
	FAILS(good.wrong_cr3 = 1, "CR3,");
	FAILS(good.wrong_cpl = 1, "CPL,");
	/* by chance a tenth of that is possible, of so many samples */
	make_good();
	good.in_loop[0] -= 40;
	good.in_loop[1] += 40;
	judge();
	TEST_STR(with(CHECK_BAD), "");
	return 0;
}

TEST(few_samples_allow_more)
{
	unsigned int i;

	make_good();
	for (i = 0; i < GUEST_LOOPS; i++)
		good.in_loop[i] /= 30;
	good.in_loop[0] -= 20; /* 318: by 4 standard deviations 36 */
	good.in_loop[1] += 20;
	good.chains_right = 318;
	judge();
	TEST_STR(with(CHECK_BAD), "");
	good.in_loop[0] -= 30;
	good.in_loop[1] += 30;
	judge();
	TEST_STR(with(CHECK_BAD), "shares,");
	/* too few for anything */
	for (i = 0; i < GUEST_LOOPS; i++)
		good.in_loop[i] = 60;
	good.chains_right = 180;
	judge();
	TEST_STR(with(CHECK_BAD), "RIP,shares,CR3,CPL,chains,");
	for (i = 0; i < got.nr; i++)
		if (got.list[i].verdict == CHECK_BAD)
			TEST_EQ(!strstr(got.list[i].text,
					": too few samples, --seconds for more"),
				0);
	return 0;
}

TEST(exits_are_counted_exactly)
{
	FAILS(good.exits[KNOWN_CPUID]--, "exits,");
	FAILS(good.exits[KNOWN_IO]++, "exits,");
	FAILS(good.exits[KNOWN_HLT]++, "exits,");
	FAILS(good.exits_missed = 1, "exits,");
	FAILS(good.rounds = 0, "exits,");
	FAILS(good.handling[KNOWN_OTHER] = 300, "exit reasons,");
	return 0;
}

TEST(chains_are_known)
{
	FAILS(good.chains_wrong = 1, "chains,");
	FAILS(good.chains_right = 7000, "chains,");
	return 0;
}

TEST(steal_is_that_of_schedstat)
{
	FAILS(good.delay.agrees = false, "steal,");
	FAILS(good.run.agrees = false, "run time,");
	/* nothing was stolen: that says nothing */
	FAILS(good.delay.ours = good.delay.theirs = 1000, "steal,");
	FAILS(good.has_track = false, "steal,");
	return 0;
}

/* A switch has a time by the scheduler, and another one by the module 41 ms later. */
static void judge_late_switch(bool emulated, unsigned int gap)
{
	make_good();
	good.hardware = false;
	good.emulated = emulated;
	good.longest_gap = gap * 1000000ull;
	good.delay.theirs = good.delay.ours + 41000000;
	good.run.theirs = good.run.ours - 41000000;
	good.delay.tolerance = 37000000;
	good.run.tolerance = 37000000;
	good.delay.agrees = false;
	good.run.agrees = false;
	memset(&got, 0, sizeof(got));
	checks_shared(&got, &good);
}

TEST(an_emulated_cpu_may_stop_within_a_switch)
{
	judge_late_switch(true, 41);
	TEST_STR(with(CHECK_BAD), "");
	/* there were samples all the time: it did not stop */
	judge_late_switch(true, 3);
	TEST_STR(with(CHECK_BAD), "steal,run time,");
	/* a real one does not */
	judge_late_switch(false, 41);
	TEST_STR(with(CHECK_BAD), "steal,run time,");
	return 0;
}

TEST(a_halted_vcpu_sleeps)
{
#define HALTS(change, n)                                      \
	do {                                                  \
		make_halting();                               \
		change;                                       \
		memset(&got, 0, sizeof(got));                 \
		checks_halting(&got, &good);                  \
		TEST_EQ(got.nr, 1);                           \
		TEST_EQ(checks_count(&got, CHECK_BAD), n);    \
		TEST_EQ(checks_count(&got, CHECK_OK), 1 - n); \
	} while (0)

	HALTS(, 0);
	/* taken for another sleep, or for a wait */
	HALTS(good.slept = 400, 1);
	HALTS(good.asleep = 700000000, 1);
	HALTS(good.slept = 510, 0);
	HALTS(good.slept = 560, 1);
	HALTS(good.asleep = 1040000000, 1);
	HALTS(good.exits[KNOWN_HLT] = 499, 1);
	HALTS(good.exits[KNOWN_HLT] = 0; good.exits_counted = false, 0);
	HALTS(good.has_track = false, 1);
	HALTS(good.asleep = 600000000; good.emulated = true, 0);
	/* its timer was due before it came to HLT */
	HALTS(good.slept = 400; good.emulated = true, 0);
	HALTS(good.slept = 249; good.emulated = true, 1);
	/* others had its CPU meanwhile */
	HALTS(good.asleep = 700000000; good.preempted = 290000000, 0);
	/* what it polled is known by a few samples only */
	HALTS(good.polled = 200000000, 0);
	/* KVM polls for longer than the halt */
	HALTS(good.slept = 3; good.asleep = 6000000; good.woken = 0;
	      good.polled = 980000000, 0);
	HALTS(good.params.halts = 9; good.slept = 9;
	      good.exits[KNOWN_HLT] = 9, 1);
	return 0;
}

TEST(what_is_not_possible_is_skipped)
{
	make_good();
	good.no_ept = true;
	good.exits_counted = false;
	good.throttled = 1;
	good.delay.known = false;
	good.delay.why = NO_CHECK_NO_STATE;
	memset(good.handling, 0, sizeof(good.handling));
	good.in_exits = 0;
	judge();
	TEST_STR(with(CHECK_BAD), "");
	TEST_STR(with(CHECK_SKIPPED),
		 "rate,time in guest,CR3,exit reasons,exits,chains,steal,");
	return 0;
}

TEST(a_timer_may_be_late_but_not_early)
{
	make_good();
	good.hardware = false;
	good.count = 11000 * 100000ull;
	good.in_exits = 4000;
	good.exits[KNOWN_IRQ] = good.guest;
	judge();
	TEST_STR(with(CHECK_BAD), "");
	TEST_STR(with(CHECK_SKIPPED), "frequency,time in guest,");
	good.count = 9000 * 100000ull;
	judge();
	TEST_STR(with(CHECK_BAD), "rate,");
	good.count = 20000 * 100000ull;
	judge();
	TEST_STR(with(CHECK_BAD), "rate,");
	good.emulated = true;
	judge();
	TEST_STR(with(CHECK_BAD), "");
	return 0;
}

/* Where a guest exits for another reason, no interrupt ended it. */
TEST(a_timer_at_an_exit_is_no_exit_for_it)
{
	make_good();
	good.hardware = false;
	good.in_exits = 40;
	good.exits[KNOWN_IRQ] = good.guest - 40;
	judge();
	TEST_STR(with(CHECK_BAD), "");
	good.exits[KNOWN_IRQ]--;
	judge();
	TEST_STR(with(CHECK_BAD), "guest,");
	/* late, one interrupt may call the timer twice, but not many do */
	good.emulated = true;
	judge();
	TEST_STR(with(CHECK_BAD), "");
	good.exits[KNOWN_IRQ] = (good.guest - 40) * 97 / 100;
	judge();
	TEST_STR(with(CHECK_BAD), "guest,");
	/* where it was late for as many periods it may be */
	good.count = (good.samples + 300) * good.period;
	judge();
	TEST_STR(with(CHECK_BAD), "");
	good.exits[KNOWN_IRQ] = (good.guest - 40) * 9 / 10;
	judge();
	TEST_STR(with(CHECK_BAD), "guest,");
	return 0;
}

/* @ticks a sample, and one pair in which something else ran. */
static void cost(struct cost_figures *c, __u64 ticks)
{
	unsigned int i;

	memset(c, 0, sizeof(*c));
	c->pairs = COST_PAIRS;
	for (i = 0; i < COST_PAIRS; i++) {
		c->without[i] = 50000000 + i;
		c->samples[i] = 500;
		c->with[i] = c->without[i] + ticks * c->samples[i] + 100 * i;
	}
	c->with[3] += 900000000;
}

TEST(a_sample_costs_little)
{
	struct cost_figures c;

	make_good();
	memset(&got, 0, sizeof(got));
	cost(&c, 2000);
	checks_cost(&got, "cost", &c, &good);
	TEST_EQ(got.list[0].verdict, CHECK_OK);
	printf("# %s\n", got.list[0].text);
	TEST_OK(strstr(got.list[0].text, "median 2001 ticks"));
	TEST_OK(strstr(got.list[0].text, ": 0.20 % of a CPU"));
	cost(&c, 60000);
	checks_cost(&got, "cost", &c, &good);
	TEST_EQ(got.list[1].verdict, CHECK_BAD);
	good.emulated = true;
	checks_cost(&got, "cost", &c, &good);
	TEST_EQ(got.list[2].verdict, CHECK_SKIPPED);
	memset(c.samples, 0, sizeof(c.samples));
	checks_cost(&got, "cost", &c, &good);
	TEST_EQ(got.list[3].verdict, CHECK_SKIPPED);
	good.emulated = false;
	checks_cost(&got, "cost", &c, &good);
	TEST_EQ(got.list[4].verdict, CHECK_BAD);
	return 0;
}

/* What --json says of the judgement. */
static json_t *as_json(void)
{
	static struct selftest t;
	FILE *f = tmpfile();
	json_t *j;

	t.events.nr = 1;
	snprintf(t.events.choice[0].name, sizeof(t.events.choice[0].name), "e");
	selftest_json(f, &t, &got, NULL);
	rewind(f);
	j = json_loadf(f, JSON_REJECT_DUPLICATES, NULL);
	fclose(f);
	return j;
}

static const char *text_of(json_t *j, const char *key)
{
	return json_string_value(json_object_get(j, key));
}

static unsigned int number_of(json_t *j, const char *key)
{
	return json_integer_value(json_object_get(j, key));
}

TEST(the_judgement_is_the_same_as_json)
{
	json_t *j, *list, *one;
	unsigned int i;

	make_good();
	good.lost = 1;
	judge();
	j = as_json();
	TEST_OK(j);
	TEST_STR(text_of(j, "verdict"), "fail");
	TEST_OK(json_is_null(json_object_get(j, "error")));
	TEST_EQ(number_of(j, "ok"), checks_count(&got, CHECK_OK));
	TEST_EQ(number_of(j, "failed"), 1);
	TEST_EQ(number_of(j, "skipped"), checks_count(&got, CHECK_SKIPPED));
	list = json_object_get(j, "checks");
	TEST_EQ(json_array_size(list), got.nr);
	for (i = 0; i < got.nr; i++) {
		one = json_array_get(list, i);
		TEST_STR(text_of(one, "name"), got.list[i].name);
		TEST_STR(text_of(one, "text"), got.list[i].text);
		TEST_STR(text_of(one, "verdict"),
			 selftest_word(got.list[i].verdict));
	}
	json_decref(j);
	make_good();
	judge();
	j = as_json();
	TEST_STR(text_of(j, "verdict"), "ok");
	json_decref(j);
	return 0;
}
