// SPDX-License-Identifier: GPL-2.0-only
/* `vmmprof record`: what guests are asked for before sampling. */

#include <stdbool.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "test.h"
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

/* A guest behind an ssh that says nothing for a second. */
TEST(the_host_s_processes_are_read_while_guests_begin)
{
	struct record_options opts = {
		.transports = 1u << VMMPROF_REACH_SSH,
		.guest_program = "/bin/true",
		.no_cache = true,
		.duration_ns = 1000000000,
		.guest_timeout_ns = 1000000000,
		.rules = { { .name = "web", .ssh = "root@web" } },
		.nr_rules = 1,
	};
	struct vm vm = { .pid = getpid(), .name = "web" };
	struct recording r = {
		.opts = &opts,
		.cache.dirfd = -1,
		.host_open = true,
		.inv.vms = &vm,
		.inv.nr = 1,
	};
	char dir[] = "/tmp/vmmprof-test-XXXXXX", path[64], text[4096];
	char *old = strdup(getenv("PATH"));
	FILE *f;

	snprintf(path, sizeof(path), "%s/ssh", mkdtemp(dir));
	f = fopen(path, "w");
	fputs("#!/bin/sh\nexec sleep 60\n", f);
	fclose(f);
	chmod(path, 0700);
	snprintf(text, sizeof(text), "%s:%s", dir, old);
	setenv("PATH", text, 1);
	snprintf(text, sizeof(text), "%s/s", dir);
	TEST_EQ(session_writer_create(text, false, &r.out, NULL), 0);
	ticks = 0;
	record_begin_guests(&r);
	TEST_OK(ticks >= 5);
	TEST_EQ(r.guests.guests[0].reach.error, -ETIMEDOUT);
	setenv("PATH", old, 1);
	free(old);
	collect_deinit(&r.guests);
	session_writer_close(&r.out, true);
	snprintf(text, sizeof(text), "rm -r %s", dir);
	TEST_EQ(system(text), 0);
	return 0;
}
