// SPDX-License-Identifier: GPL-2.0-only
/* Runs the tests linked in, each in a process of its own: `ok` lines, TAP-like. */

#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "test.h"

/* Of a CPU, and on the wall: a machine may have much else to do. */
enum { CPU_LIMIT_S = 120, TEST_LIMIT_S = 1200 };

extern const struct test __start_vmmprof_tests[];
extern const struct test __stop_vmmprof_tests[];

static void limit(void)
{
	struct rlimit cpu = { CPU_LIMIT_S, CPU_LIMIT_S };

	setrlimit(RLIMIT_CPU, &cpu);
	alarm(TEST_LIMIT_S);
}

/* 0 if the test passed; its output goes to stdout. */
static int run_one(const struct test *t)
{
	int status;
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (pid < 0)
		return 1;
	if (!pid) {
		limit();
		status = t->run();
		/* before the leak checker ends it, which prints nothing of ours */
		fflush(stdout);
		exit(status);
	}
	if (waitpid(pid, &status, 0) < 0)
		return 1;
	if (WIFSIGNALED(status))
		printf("# ended by signal %d\n", WTERMSIG(status));
	return status != 0;
}

/* Arguments: names of tests; none: all.  Exit status 1 if one failed. */
int main(int argc, char **argv)
{
	const struct test *t;
	int failed = 0;

	for (t = __start_vmmprof_tests; t < __stop_vmmprof_tests; t++) {
		int bad, i;

		for (i = 1; i < argc && strcmp(argv[i], t->name); i++)
			;
		if (argc > 1 && i == argc)
			continue;
		bad = run_one(t);
		printf("%sok - %s\n", bad ? "not " : "", t->name);
		failed |= bad;
	}
	return failed;
}
