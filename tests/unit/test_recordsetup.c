// SPDX-License-Identifier: GPL-2.0-only
/* What `record` asks of a module that may be without switch records. */

#include <errno.h>

#include "host/device.h"
#include "test.h"

static unsigned int calls;
static uint32_t last_flags, last_size;
static uint32_t room = ~0u; /* the module has no memory for larger rings */
static int err_with, err_without; /* what the module says to a call */
static unsigned int bad_event;

static int fake_setup(struct device *dev, const struct event_list *events,
		      const struct cpus *cpus, uint32_t ring_size,
		      uint32_t flags, struct setup_error *where)
{
	(void)dev;
	(void)events;
	(void)cpus;
	calls++;
	last_flags = flags;
	last_size = ring_size;
	where->event = bad_event;
	if (ring_size > room)
		return -ENOMEM;
	return flags & VMMPROF_SETUP_F_SWITCHES ? err_with : err_without;
}

#define device_setup fake_setup
#include "cmd/record/begin.c"

static struct recording r;

static int ask(int with, int without, unsigned int event, bool no_switches)
{
	static struct record_options opts;
	struct setup_error where;

	opts.no_switches = no_switches;
	r.opts = &opts;
	calls = 0;
	err_with = with;
	err_without = without;
	bad_event = event;
	return setup(&r, &where);
}

TEST(record_asks_for_switch_records)
{
	TEST_EQ(ask(0, -EIO, VMMPROF_NONE, false), 0);
	TEST_EQ(calls, 1);
	TEST_EQ(last_flags, VMMPROF_SETUP_F_SWITCHES);
	TEST_EQ(r.switches_err, 0);
	TEST_EQ(ask(-EIO, 0, VMMPROF_NONE, true), 0);
	TEST_EQ(calls, 1);
	TEST_EQ(last_flags, 0);
	TEST_EQ(r.switches_err, 0);
	return 0;
}

TEST(record_asks_for_exits)
{
	static struct record_options opts = { .exits = true };
	struct setup_error where;

	r.opts = &opts;
	err_with = 0;
	bad_event = VMMPROF_NONE;
	TEST_EQ(setup(&r, &where), 0);
	TEST_EQ(last_flags, VMMPROF_SETUP_F_SWITCHES | VMMPROF_SETUP_F_EXITS);
	/* a module that knows nothing of them, and one that does */
	TEST_EQ(record_check_exits(&r), -EOPNOTSUPP);
	r.dev.info.features = VMMPROF_FEAT_EXITS;
	TEST_EQ(record_check_exits(&r), 0);
	r.layout = LAYOUT_DIFFERS;
	TEST_EQ(record_check_exits(&r), -EOPNOTSUPP);
	r.layout = LAYOUT_SAME;
	r.dev.info.features = 0;
	opts.exits = false;
	TEST_EQ(record_check_exits(&r), 0);
	return 0;
}

TEST(record_asks_for_chains)
{
	static struct record_options opts = { .graph = true, .max_stack = 9 };
	struct setup_error where;

	r.opts = &opts;
	err_with = 0;
	bad_event = VMMPROF_NONE;
	/* a module that knows nothing of them, and one that does */
	TEST_EQ(record_check_chains(&r), -EOPNOTSUPP);
	r.dev.info.features = VMMPROF_FEAT_CHAINS;
	TEST_EQ(record_check_chains(&r), 0);
	TEST_EQ(r.dev.chain_flags, 0xf);
	TEST_EQ(r.dev.chain_depth, 9);
	TEST_EQ(setup(&r, &where), 0);
	TEST_EQ(last_flags, VMMPROF_SETUP_F_SWITCHES | VMMPROF_SETUP_F_CHAINS);
	/* no guests, so no chains of theirs */
	r.layout = LAYOUT_DIFFERS;
	TEST_EQ(record_check_chains(&r), 0);
	TEST_EQ(r.dev.chain_flags, 0xb);
	opts.call_graph = VMMPROF_CHAIN_F_GUEST;
	TEST_EQ(record_check_chains(&r), 0);
	TEST_EQ(setup(&r, &where), 0);
	TEST_EQ(last_flags, VMMPROF_SETUP_F_NO_GUEST);
	r.layout = LAYOUT_SAME;
	r.dev.info.features = 0;
	opts.graph = false;
	opts.call_graph = 0;
	TEST_EQ(record_check_chains(&r), 0);
	TEST_EQ(r.dev.chain_flags, 0);
	return 0;
}

TEST(record_goes_on_without_them)
{
	TEST_EQ(ask(-EINVAL, 0, VMMPROF_NONE, false), 0);
	TEST_EQ(calls, 2);
	TEST_EQ(last_flags, 0);
	TEST_EQ(r.switches_err, -EINVAL);
	TEST_EQ(ask(-ENODEV, 0, VMMPROF_NONE, false), 0);
	TEST_EQ(r.switches_err, -ENODEV);
	return 0;
}

TEST(record_tells_other_errors_of_setup)
{
	/* the event's fault: nothing is tried again */
	TEST_EQ(ask(-ENOENT, 0, 0, false), -ENOENT);
	TEST_EQ(calls, 1);
	TEST_EQ(ask(-EBUSY, -EBUSY, VMMPROF_NONE, false), -EBUSY);
	TEST_EQ(calls, 2);
	return 0;
}

static int begin_timer(const struct record_options *opts)
{
	char bad[EVENT_NAME];

	r.opts = opts;
	r.dev.info.tsc_khz = 2500000;
	return cpus_parse("0-1", &r.cpus) ?:
		       events_parse("cpu-clock", &r.events, bad);
}

TEST(record_takes_rings_that_samples_fit_into)
{
	static struct record_options opts;
	struct setup_error where;

	TEST_EQ(begin_timer(&opts), 0);
	err_with = 0;
	bad_event = VMMPROF_NONE;
	/* how much more depends on the machine that this runs on */
	TEST_EQ(setup(&r, &where), 0);
	TEST_EQ(last_size, 512u << 10);
	TEST_EQ(r.ring_size, last_size);
	opts.rate.freq = 10000;
	TEST_EQ(setup(&r, &where), 0);
	TEST_OK(last_size > 512u << 10);
	TEST_EQ(r.ring_size, last_size);
	opts.ring_size = 256u << 10;
	TEST_EQ(setup(&r, &where), 0);
	TEST_EQ(last_size, 256u << 10);
	TEST_EQ(r.ring_size, last_size);
	return 0;
}

TEST(record_takes_smaller_rings_if_there_is_no_memory)
{
	static struct record_options opts = { .rate.freq = 10000 };
	struct setup_error where;

	TEST_EQ(begin_timer(&opts), 0);
	err_with = 0;
	bad_event = VMMPROF_NONE;
	room = 512 << 10;
	TEST_EQ(setup(&r, &where), 0);
	TEST_EQ(r.ring_size, 512u << 10);
	TEST_OK(last_flags & VMMPROF_SETUP_F_SWITCHES);
	TEST_EQ(r.switches_err, 0);
	/* not if the user asks for more, and not forever */
	opts.ring_size = 1u << 20;
	TEST_EQ(setup(&r, &where), -ENOMEM);
	opts.ring_size = 0;
	room = 0;
	TEST_EQ(setup(&r, &where), -ENOMEM);
	TEST_EQ(last_size, 64u << 10);
	room = ~0u;
	return 0;
}
