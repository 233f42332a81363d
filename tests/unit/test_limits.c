// SPDX-License-Identifier: GPL-2.0-only
/* What a process that reads foreign bytes may use of the machine. */

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#include "sandbox/confine.h"
#include "sandbox/limits.h"
#include "test.h"

static int oom_score(void)
{
	FILE *f = fopen("/proc/self/oom_score_adj", "re");
	int score = 0;

	if (!f || fscanf(f, "%d", &score) != 1)
		score = 0;
	if (f)
		fclose(f);
	return score;
}

static bool is_limit(int what, rlim_t value, rlim_t most)
{
	struct rlimit r;

	return !getrlimit(what, &r) && r.rlim_cur == value &&
	       r.rlim_max == most;
}

static int has_limits(void *arg)
{
	(void)arg;
	if (limits_set(1ull << 30, 5))
		return 1;
	if (oom_score() != 1000)
		return 2;
	if (!is_limit(RLIMIT_CORE, 0, 0) || !is_limit(RLIMIT_CPU, 5, 6))
		return 3;
#ifndef __SANITIZE_ADDRESS__
	if (!is_limit(RLIMIT_AS, 1ull << 30, 1ull << 30) || malloc(1ull << 30))
		return 4;
#endif
	/* a second call lowers only, 0 leaves alone */
	if (limits_set(0, 9) || !is_limit(RLIMIT_CPU, 5, 6))
		return 5;
	return 7;
}

TEST(limits_are_on_memory_time_and_dumps_and_the_process_goes_first)
{
	int sig;

	TEST_EQ(confine_run_until(has_limits, NULL, NULL, UINT64_MAX, &sig), 7);
	TEST_OK(limits_memory() >= 2ull << 30);
	return 0;
}

static int computes_on(void *arg)
{
	sigset_t none;

	(void)arg;
	if (limits_set(0, 1) || confine_self())
		return 1;
	while (!sigprocmask(SIG_BLOCK, NULL, &none))
		;
	return 0;
}

TEST(process_that_computes_on_ends_by_its_limit)
{
	int sig;

	TEST_EQ(confine_run_until(computes_on, NULL, NULL, UINT64_MAX, &sig),
		-EINTR);
	TEST_EQ(sig, SIGXCPU);
	return 0;
}
