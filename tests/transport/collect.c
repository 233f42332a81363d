// SPDX-License-Identifier: GPL-2.0-only
/*
 * collect ROOT PID PROGRAM DIR SECONDS [USER@HOST]: has the guest of one VMM watch for
 * that long and fetches its bundle into the session DIR; prints how it went.
 */

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "data/sessionwriter.h"
#include "transport/collect.h"

int main(int argc, char **argv)
{
	struct vmmprof_sessionwriter w;
	struct vmmprof_vm vm = { .name = "guest" };
	struct vmmprof_collect c = {
		.allow = ~0u,
		.watch_limit = 120,
		.begin_ns = 60000000000,
		.end_ns = 60000000000,
		.out = &w,
	};
	struct vmmprof_collect_rule rule = { .name = "guest" };
	const struct vmmprof_collect_guest *g;

	if (argc != 6 && argc != 7)
		return 2;
	rule.ssh = argc == 7 ? argv[6] : NULL;
	c.rules = &rule;
	c.nr_rules = 1;
	c.root = argv[1];
	vm.pid = atoi(argv[2]);
	c.program = argv[3];
	if (vmmprof_sessionwriter_create(argv[4], false, &w) ||
	    vmmprof_collect_open(&c))
		return 1;
	vmmprof_collect_add(&c, &vm);
	vmmprof_collect_begin(&c);
	sleep(atoi(argv[5]));
	vmmprof_collect_end(&c);
	g = c.guests;
	printf("error=%d watching=%d how=%u size=%llu\n", g->reach.error,
	       g->watching, g->reach.how, (unsigned long long)g->size);
	printf("sent=%llu received=%llu begin=%.3f end=%.3f text=%s\n",
	       (unsigned long long)g->reach.sent,
	       (unsigned long long)g->reach.received, g->reach.begin_ns / 1e9,
	       g->reach.end_ns / 1e9, g->text);
	vmmprof_collect_deinit(&c);
	return vmmprof_sessionwriter_close(&w, true) ? 1 : 0;
}
