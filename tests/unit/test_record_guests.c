// SPDX-License-Identifier: GPL-2.0-only
/* `vmmprof record`: what guests are asked for before sampling. */

#include <stdbool.h>
#include <signal.h>
#include <stdlib.h>

#include "test.h"
#include "base/clock.h"
#include "fake_program.h"
#include "host/host_maps.h"

static unsigned int ticks; /* of the host's processes */

static int tick(struct host_maps *hm, bool *started)
{
	(void)hm;
	*started = false;
	ticks++;
	return 0;
}

#define host_maps_tick tick
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

/* Seconds that record waits for a guest behind an ssh that says nothing. */
static double wait_for_silent(unsigned int timeout, struct recording *r)
{
	static struct vm vm = { .name = "web" };
	struct record_options opts = {
		.transports = 1u << VMMPROF_REACH_SSH,
		.guest_program = "/bin/true",
		.no_cache = true,
		.duration_ns = 1000000000,
		.guest_timeout_ns = timeout * 1000000000ull,
		.rules = { { .name = "web", .ssh = "root@web" } },
		.nr_rules = 1,
	};
	struct fake_program ssh;
	uint64_t begin;
	char text[64];

	vm.pid = getpid();
	memset(r, 0, sizeof(*r));
	r->opts = &opts;
	r->cache.dirfd = -1;
	r->host_open = true;
	r->inv.vms = &vm;
	r->inv.nr = 1;
	fake_program_begin(&ssh, "ssh", "exec sleep 60\n");
	snprintf(text, sizeof(text), "%s/s", ssh.dir);
	if (session_writer_create(text, false, &r->out, NULL))
		abort();
	begin = clock_now();
	record_begin_guests(r);
	begin = clock_now() - begin;
	session_writer_close(&r->out, true);
	fake_program_end(&ssh);
	return begin / 1e9;
}

TEST(the_host_s_processes_are_read_while_guests_begin)
{
	struct recording r;

	ticks = 0;
	TEST_OK(wait_for_silent(1, &r) > 0.9);
	TEST_OK(ticks >= 5);
	TEST_EQ(r.guests.guests[0].reach.error, -ETIMEDOUT);
	collect_deinit(&r.guests);
	return 0;
}

/* Its signals are blocked, as it reads them while it records. */
TEST(a_signal_ends_the_wait_for_guests)
{
	struct recording r;
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	sigprocmask(SIG_BLOCK, &set, NULL);
	TEST_EQ(kill(getpid(), SIGTERM), 0);
	TEST_OK(wait_for_silent(10, &r) < 5);
	collect_deinit(&r.guests);
	/* it is still there for who reads it */
	TEST_EQ(sigtimedwait(&set, NULL, &(struct timespec){ 0 }), SIGTERM);
	return 0;
}
