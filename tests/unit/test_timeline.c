// SPDX-License-Identifier: GPL-2.0-only
/* The state machine of a vCPU's thread, and the arithmetic of its sums. */

#include "test.h"
#include "model/log_histogram.h"
#include "model/track.h"
#include "model/slices.h"

#define UNKNOWN	  STATE_UNKNOWN
#define ON_CPU	  STATE_ON_CPU
#define PREEMPTED STATE_PREEMPTED
#define WOKEN	  STATE_WOKEN
#define HALT	  STATE_HALT
#define BLOCKED	  STATE_BLOCKED

#define OUT_P	  EV_OUT_PREEMPTED
#define OUT_H	  EV_OUT_HALT
#define OUT_B	  EV_OUT_BLOCKED
#define IN	  EV_IN
#define WAKE	  EV_WAKE
#define MIGRATE	  EV_MIGRATE
#define SEEN	  EV_SEEN
#define NOT_HERE  EV_NOT_HERE

static const struct {
	__u8 now, event, same, before, after, missing;
} steps[] = {
	/* a life without gaps */
	{ ON_CPU, OUT_P, 1, ON_CPU, PREEMPTED, 0 },
	{ ON_CPU, OUT_H, 1, ON_CPU, HALT, 0 },
	{ ON_CPU, OUT_B, 1, ON_CPU, BLOCKED, 0 },
	{ PREEMPTED, IN, 1, PREEMPTED, ON_CPU, 0 },
	{ WOKEN, IN, 1, WOKEN, ON_CPU, 0 },
	{ HALT, WAKE, 1, HALT, WOKEN, 0 },
	{ BLOCKED, WAKE, 0, BLOCKED, WOKEN, 0 },
	{ PREEMPTED, MIGRATE, 0, PREEMPTED, PREEMPTED, 0 },
	{ HALT, MIGRATE, 0, HALT, HALT, 0 },
	{ ON_CPU, SEEN, 1, ON_CPU, ON_CPU, 0 },
	/* waking what runs or waits is nothing */
	{ ON_CPU, WAKE, 1, ON_CPU, ON_CPU, 0 },
	{ PREEMPTED, WAKE, 1, PREEMPTED, PREEMPTED, 0 },
	{ WOKEN, WAKE, 0, WOKEN, WOKEN, 0 },
	/* a record is missing: the time between is unknown */
	{ ON_CPU, IN, 1, UNKNOWN, ON_CPU, 1 },
	{ HALT, IN, 1, UNKNOWN, ON_CPU, 1 },
	{ BLOCKED, IN, 1, UNKNOWN, ON_CPU, 1 },
	{ ON_CPU, OUT_P, 0, UNKNOWN, PREEMPTED, 1 },
	{ HALT, OUT_P, 1, UNKNOWN, PREEMPTED, 1 },
	{ PREEMPTED, OUT_H, 1, UNKNOWN, HALT, 1 },
	{ WOKEN, OUT_B, 1, UNKNOWN, BLOCKED, 1 },
	{ ON_CPU, MIGRATE, 0, UNKNOWN, UNKNOWN, 1 },
	{ ON_CPU, SEEN, 0, UNKNOWN, ON_CPU, 1 },
	{ HALT, SEEN, 1, UNKNOWN, ON_CPU, 1 },
	{ WOKEN, SEEN, 1, UNKNOWN, ON_CPU, 1 },
	{ ON_CPU, NOT_HERE, 1, UNKNOWN, UNKNOWN, 1 },
	/* after a loss only what a record says by itself */
	{ UNKNOWN, IN, 1, UNKNOWN, ON_CPU, 0 },
	{ UNKNOWN, OUT_H, 1, UNKNOWN, HALT, 0 },
	{ UNKNOWN, WAKE, 1, UNKNOWN, UNKNOWN, 0 },
	{ UNKNOWN, MIGRATE, 1, UNKNOWN, UNKNOWN, 0 },
	{ UNKNOWN, SEEN, 1, UNKNOWN, ON_CPU, 0 },
	{ UNKNOWN, NOT_HERE, 1, UNKNOWN, UNKNOWN, 0 },
	{ HALT, NOT_HERE, 1, HALT, HALT, 0 },
};

TEST(each_record_ends_one_state_and_begins_another)
{
	struct step s;
	size_t i;

	for (i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
		s = state_step(steps[i].now, steps[i].event, steps[i].same);
		printf("# step %zu\n", i);
		TEST_EQ(s.before, steps[i].before);
		TEST_EQ(s.after, steps[i].after);
		TEST_EQ(s.missing, steps[i].missing);
	}
	return 0;
}

TEST(an_out_record_tells_why)
{
	struct vmmprof_rec_switch out = { .mp_state = 3 };

	TEST_EQ(state_of_out(&out), OUT_B); /* no vCPU loaded */
	out.hdr.flags = VMMPROF_W_VCPU;
	TEST_EQ(state_of_out(&out), OUT_H);
	out.hdr.flags |= VMMPROF_W_RUNNABLE;
	TEST_EQ(state_of_out(&out), OUT_P);
	out.hdr.flags = VMMPROF_W_VCPU;
	out.mp_state = 0; /* asleep in KVM_RUN, but not halted: a page fault */
	TEST_EQ(state_of_out(&out), OUT_B);
	return 0;
}

TEST(the_time_before_the_first_record_is_what_proc_said)
{
	struct vmmprof_info_vcpu_state s = { .tsc = 1000 };

	TEST_EQ(state_first(NULL, OUT_P, 2000), UNKNOWN);
	TEST_EQ(state_first(&s, OUT_P, 2000), UNKNOWN);
	s.state = VMMPROF_VCPU_RUNNABLE;
	TEST_EQ(state_first(&s, OUT_P, 2000), ON_CPU);
	TEST_EQ(state_first(&s, SEEN, 2000), ON_CPU);
	TEST_EQ(state_first(&s, IN, 2000), PREEMPTED);
	TEST_EQ(state_first(&s, WAKE, 2000), UNKNOWN);
	s.state = VMMPROF_VCPU_HALTED;
	TEST_EQ(state_first(&s, WAKE, 2000), HALT);
	TEST_EQ(state_first(&s, IN, 2000), UNKNOWN);
	/* read after the record: it only says that the thread was there */
	TEST_EQ(state_first(&s, OUT_P, 500), ON_CPU);
	TEST_EQ(state_first(&s, WAKE, 500), UNKNOWN);
	s.state = VMMPROF_VCPU_ASLEEP;
	TEST_EQ(state_first(&s, WAKE, 2000), BLOCKED);
	return 0;
}

TEST(parts_sum_to_the_whole)
{
	__u64 counts[3] = { 1, 1, 1 }, parts[3], i, sum;

	for (i = 0; i < 100; i++) {
		split_ticks(i, counts, 3, parts);
		TEST_EQ(parts[0] + parts[1] + parts[2], i);
	}
	counts[0] = ~0ull >> 8;
	counts[1] = 0;
	counts[2] = 12345;
	split_ticks(1ull << 60, counts, 3, parts);
	sum = parts[0] + parts[1] + parts[2];
	TEST_EQ(sum, 1ll << 60);
	TEST_EQ(parts[1], 0);
	memset(counts, 0, sizeof(counts));
	split_ticks(77, counts, 3, parts);
	TEST_EQ(parts[0] + parts[1] + parts[2], 0);
	/* counts whose sum has more than 64 bits */
	for (i = 0; i < 3; i++)
		counts[i] = 1ull << 63;
	split_ticks(30, counts, 3, parts);
	TEST_EQ(parts[0], 10);
	TEST_EQ(parts[1], 10);
	TEST_EQ(parts[2], 10);
	return 0;
}

TEST(slices_end_where_time_does)
{
	struct timeline tl = { 0 };
	struct track t = { .pid = 1, .tid = 2 }, *tracks[] = { &t };
	struct slices s;
	__u64 sum = 0;
	size_t i;

	tl.tracks = tracks;
	tl.nr = 1;
	TEST_OK(!hash_set(&tl.by_tid, 1ull << 32 | 2, 0));
	slices_init(&s, &tl, 0, ~0ull);
	TEST_OK(s.width);
	TEST_OK(!slices_halve(&s));
	/* the slice of this stretch ends at 2^64 */
	TEST_OK(!tl.stretch(&s, &t, STATE_HALT, ~0ull - 9, ~0ull,
			    VMMPROF_NONE));
	for (i = 0; i < s.nr; i++)
		sum += s.counts[i].n;
	TEST_EQ(sum, 9);
	slices_deinit(&s);
	hash_deinit(&tl.by_tid);
	return 0;
}

TEST(quantiles_are_within_two_percent)
{
	static struct log_histogram h;
	__u64 i, q;

	TEST_EQ(log_histogram_quantile(&h, 1, 2), 0);
	for (i = 1; i <= 100000; i++)
		log_histogram_add(&h, i * 1000);
	q = log_histogram_quantile(&h, 1, 2);
	TEST_OK(q > 49000000 && q < 51000000);
	q = log_histogram_quantile(&h, 99, 100);
	TEST_OK(q > 97000000 && q < 101000000);
	TEST_EQ(h.max, 100000000);
	log_histogram_add(&h, ~0ull);
	TEST_OK(log_histogram_quantile(&h, 1, 1) > ~0ull / 64 * 63);
	return 0;
}

TEST(a_small_value_is_its_own_quantile)
{
	static struct log_histogram h;
	__u64 i;

	for (i = 0; i < 64; i++) {
		memset(&h, 0, sizeof(h));
		log_histogram_add(&h, i);
		TEST_EQ(log_histogram_quantile(&h, 1, 2), i);
	}
	return 0;
}

TEST(time_on_a_cpu_is_split_by_samples)
{
	static struct track t;
	struct track_sum s;

	t.ticks[ON_CPU] = 1000;
	t.ticks[HALT] = 300;
	t.ticks[UNKNOWN] = 5;
	track_sum(&t, &s);
	TEST_EQ(s.not_sampled, 1000);
	TEST_EQ(s.unknown, 1005);
	t.idle = 200;
	t.on_cpu[ON_GUEST_USER] = 5;
	t.on_cpu[ON_VMM_EXIT + 30] = 2;
	t.on_cpu[ON_POLL] = 1;
	track_by_samples(&t);
	track_sum(&t, &s);
	TEST_EQ(s.guest, 500);
	TEST_EQ(s.vmm, 200);
	TEST_EQ(s.poll, 100);
	TEST_EQ(s.halt, 300 + 100 + 200);
	TEST_EQ(s.unknown, 5);
	TEST_EQ(s.guest + s.vmm + s.steal + s.halt + s.blocked + s.unknown,
		1305);
	return 0;
}
