// SPDX-License-Identifier: GPL-2.0-only
/* How much work a pass over a session does: counted, not timed. */

#include <stdlib.h>
#include <unistd.h>

#include "test.h"
#include "cmd/analysis_open.h"
#include "model/chain_pass.h"
#include "model/timeline.h"
#include "model/pass.h"

static struct analysis a;
static struct timeline tl;

static char dir[32];

/* Opens the session s that a command makes in $d. */
static int open_made(const char *make)
{
	char cmd[512];

	strcpy(dir, "/tmp/vmmprof-test-XXXXXX");
	if (!mkdtemp(dir))
		abort();
	snprintf(cmd, sizeof(cmd), "d=%s; %s", dir, make);
	if (system(cmd))
		abort();
	snprintf(cmd, sizeof(cmd), "%s/s", dir);
	memset(&a, 0, sizeof(a));
	return analysis_open(&a, cmd, NULL, 0);
}

static int remove_made(void)
{
	char cmd[64];

	snprintf(cmd, sizeof(cmd), "rm -rf %s", dir);
	return system(cmd);
}

/* A pass over a session of tests/data. */
static int pass(const char *data, enum gaps_for gaps)
{
	char make[128];
	int ret;

	snprintf(make, sizeof(make),
		 "tests/gen/mksession.py tests/data/%s $d/s", data);
	memset(&tl, 0, sizeof(tl));
	ret = open_made(make);
	if (!ret)
		ret = timeline_init(&tl, &a, gaps);
	if (!ret)
		ret = timeline_run(&tl, 0);
	return remove_made() ? -1 : ret;
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

/* 1, 0: as chain_pass_look() says of chains.txt, its info changed so by sed and sh. */
static int has_chains(const char *sed, const char *then)
{
	bool any = false;
	char make[256];
	int ret;

	snprintf(
		make, sizeof(make),
		"sed '%s' tests/data/chains.txt > $d/t && tests/gen/mksession.py $d/t $d/s && %s",
		sed, then);
	ret = open_made(make);
	if (!ret)
		ret = chain_pass_look(&a, &any);
	analysis_close(&a);
	return remove_made() || ret ? -1 : any;
}

/* Without the key no record is looked at, so that those there are not seen. */
TEST(records_are_searched_for_chains_only_if_info_tells_of_some)
{
	TEST_EQ(has_chains("", "true"), 1);
	TEST_EQ(has_chains("s/ chains=host[a-z,-]*//", "true"), 0);
	/* what is not there may have told of them */
	TEST_EQ(has_chains("s/^  text tool=.*//", "true"), 1);
	TEST_EQ(has_chains("s/ chains=host[a-z,-]*//",
			   "truncate -s -20 $d/s/info"),
		1);
	/* it tells of some, and there are none */
	TEST_EQ(has_chains("/^  chain /d; s/ chains=[0-9]//", "true"), 0);
	return 0;
}
