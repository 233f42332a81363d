// SPDX-License-Identifier: GPL-2.0-only
/* How large rings are if nobody says it. */

#include <vmmprof/record.h>

#include "host/ring_size.h"
#include "test.h"
#include "tree.h"

static struct event_list events;

static const struct ring_need big = {
	.events = &events,
	.tsc_khz = 2500000,
	.max_rate = 100000,
	.switches = true,
	.nr_cpus = 16,
	.memory = 64ull << 30,
};

static void sample(const char *names, struct rate rate)
{
	char bad[EVENT_NAME];

	if (events_parse(names, &events, bad))
		abort();
	events_set_rate(&events, &rate, big.tsc_khz);
}

/* Seconds of samples that a ring of that size has room for. */
static double seconds(const struct ring_need *need)
{
	return (double)ring_size(need) / sizeof(struct vmmprof_rec_sample) /
	       ring_rate(need);
}

TEST(ring_size_of_the_default_rate)
{
	sample("ref-cycles", (struct rate){ 0 });
	TEST_EQ(ring_rate(&big), 1003);
	TEST_EQ(ring_size(&big), 512u << 10);
	sample("cpu-clock", (struct rate){ 0 });
	TEST_EQ(ring_size(&big), 512u << 10);
	sample("cache-misses", (struct rate){ 0 });
	TEST_EQ(ring_size(&big), 512u << 10);
	return 0;
}

TEST(ring_size_follows_the_rate)
{
	/* 0.1 ms, by each way to ask for it */
	sample("ref-cycles", (struct rate){ .period = 250000 });
	TEST_EQ(ring_rate(&big), 10000);
	TEST_EQ(ring_size(&big), 8u << 20);
	TEST_OK(seconds(&big) >= 5);
	sample("cycles", (struct rate){ .freq = 10000 });
	TEST_EQ(ring_rate(&big), 10000);
	TEST_EQ(ring_size(&big), 8u << 20);
	sample("cpu-clock", (struct rate){ .period = 100000 });
	TEST_EQ(ring_rate(&big), 10000);
	TEST_EQ(ring_size(&big), 8u << 20);
	sample("cpu-clock", (struct rate){ .freq = 4000 });
	TEST_EQ(ring_rate(&big), 4000);
	TEST_EQ(ring_size(&big), 2u << 20);
	TEST_OK(seconds(&big) >= 5);
	/* all events share it */
	sample("cycles,instructions,cache-misses", (struct rate){ 0 });
	TEST_EQ(ring_rate(&big), 1003 * 3);
	TEST_EQ(ring_size(&big), 2u << 20);
	TEST_OK(seconds(&big) >= 5);
	return 0;
}

TEST(ring_size_of_rare_samples)
{
	struct ring_need need = big;

	sample("cycles", (struct rate){ .freq = 19 });
	TEST_EQ(ring_size(&need), 512u << 10); /* switches are as many */
	need.switches = false;
	TEST_EQ(ring_size(&need), 64u << 10);
	return 0;
}

TEST(ring_size_of_chains)
{
	struct ring_need need = big;

	sample("ref-cycles", (struct rate){ 0 });
	need.chains = true;
	TEST_EQ(ring_size(&need), 4u << 20);
	need.chain_stack = 8192;
	TEST_EQ(ring_size(&need), 8u << 20);
	return 0;
}

TEST(ring_size_has_bounds)
{
	struct ring_need need = big;

	/* as often as perf takes samples, which is less than what was asked */
	sample("cycles", (struct rate){ .period = 1 });
	TEST_EQ(ring_rate(&need), 100000);
	need.max_rate = 0;
	TEST_EQ(ring_rate(&need), 2500000000u);
	TEST_EQ(ring_size(&need), 8u << 20);
	/* a 32nd of the memory: 64 MiB, of which each CPU gets 512 KiB */
	need.memory = 2ull << 30;
	need.nr_cpus = 100;
	TEST_EQ(ring_size(&need), 512u << 10);
	need.memory = 1 << 20;
	TEST_EQ(ring_size(&need), 64u << 10);
	need.memory = 0;
	TEST_EQ(ring_size(&need), 8u << 20);
	/* no event has a rate yet */
	events.nr = 0;
	TEST_EQ(ring_size(&need), 512u << 10);
	return 0;
}

TEST(ring_size_asks_the_machine)
{
	char root[] = "/tmp/vmmprof-ring-XXXXXX", command[64];
	struct ring_need need;

	if (!mkdtemp(root))
		return -1;
	ring_machine(root, &need);
	TEST_EQ(need.max_rate, 0);
	TEST_EQ(need.memory, 0);
	tree_put(root, "proc/sys/kernel/perf_event_max_sample_rate", "25000\n");
	tree_put(root, "proc/meminfo",
		 "MemTotal:       16303440 kB\nMemFree:  5 kB\n");
	ring_machine(root, &need);
	TEST_EQ(need.max_rate, 25000);
	TEST_EQ(need.memory, 16303440ull << 10);
	snprintf(command, sizeof(command), "rm -r %s", root);
	TEST_EQ(system(command), 0);
	return 0;
}
