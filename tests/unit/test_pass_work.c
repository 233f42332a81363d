// SPDX-License-Identifier: GPL-2.0-only
/* How much work a pass over a session does: counted, not timed. */

#include <stdlib.h>
#include <unistd.h>

#include "test.h"
#include "cmd/analysis_open.h"
#include "model/timeline.h"
#include "model/pass.h"

static struct analysis a;
static struct timeline tl;

/* A pass over a session of tests/data. */
static int pass(const char *data, enum gaps_for gaps)
{
	char dir[] = "/tmp/vmmprof-test-XXXXXX", cmd[256];
	int ret;

	if (!mkdtemp(dir))
		abort();
	snprintf(cmd, sizeof(cmd), "tests/gen/mksession.py tests/data/%s %s/s",
		 data, dir);
	if (system(cmd))
		abort();
	snprintf(cmd, sizeof(cmd), "%s/s", dir);
	memset(&a, 0, sizeof(a));
	memset(&tl, 0, sizeof(tl));
	ret = analysis_open(&a, cmd, NULL, 0);
	if (!ret)
		ret = timeline_init(&tl, &a, gaps);
	if (!ret)
		ret = timeline_run(&tl, 0);
	snprintf(cmd, sizeof(cmd), "rm -rf %s", dir);
	return ret ? ret : system(cmd);
}

static void done(void)
{
	timeline_deinit(&tl);
	analysis_close(&a);
}

TEST(samples_alone_are_looked_at_only_without_switch_records)
{
	TEST_EQ(pass("steal.txt", GAPS_WITHOUT_SWITCHES), 0);
	TEST_OK(timeline_exact(&tl) && a.counts.samples);
	TEST_EQ(tl.gaps.looked, 0);
	done();
	TEST_EQ(pass("steal.txt", GAPS_ALWAYS), 0);
	TEST_EQ(tl.gaps.looked, a.counts.samples);
	done();
	TEST_EQ(pass("two-guests.txt", GAPS_WITHOUT_SWITCHES), 0);
	TEST_OK(!timeline_exact(&tl));
	TEST_EQ(tl.gaps.looked, tl.gaps.on ? a.counts.samples : 0);
	done();
	return 0;
}
