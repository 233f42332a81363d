// SPDX-License-Identifier: GPL-2.0-only
/*
 * spooler DIR ARCHIVE PROFILES WINDOWS MS [KIB [GID]]: the agent's part of a spool without
 * its recorder: keeps the archive as a window, so many times, each MS
 * milliseconds, in at most KIB KiB (default, or 0: no bound).  GID: as of --spool-group.
 */
#include <err.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "cmd/agent/spool.h"

int main(int argc, char **argv)
{
	unsigned int i, windows;
	struct spool s;
	__u64 now;
	int from, ret;

	if (argc < 6)
		errx(2,
		     "usage: spooler DIR ARCHIVE PROFILES WINDOWS MS [KIB [GID]]");
	from = open(argv[2], O_RDONLY);
	if (from < 0)
		err(1, "%s", argv[2]);
	ret = spool_open(&s, argv[1], argc > 7 ? atoi(argv[7]) : -1);
	if (ret)
		errx(1, "%s: %s", argv[1], strerror(-ret));
	s.max_bytes = argc > 6 ? strtoull(argv[6], NULL, 0) << 10 : 0;
	if (!s.max_bytes)
		s.max_bytes = ~0ull;
	s.max_age_ns = 3300000000000ull;
	windows = atoi(argv[4]);
	for (i = 0; i < windows; i++) {
		now = clock_ns(CLOCK_REALTIME);
		ret = spool_put(&s, from, atoi(argv[3]), now, now);
		if (ret)
			fprintf(stderr, "spooler: %s\n", strerror(-ret));
		poll(NULL, 0, atoi(argv[5]));
	}
	spool_close(&s);
	return 0;
}
