// SPDX-License-Identifier: GPL-2.0-only
/* Runs the tests linked in, each in a process of its own: `ok` lines, TAP-like. */

#include <errno.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "test.h"

/* Of a CPU, and on the wall: a machine may have much else to do. */
enum { CPU_LIMIT_S = 120, TEST_LIMIT_S = 1200 };

extern const struct test __start_vmmprof_tests[];
extern const struct test __stop_vmmprof_tests[];

bool tests_alone;

static void limit(void)
{
	struct rlimit cpu = { CPU_LIMIT_S, CPU_LIMIT_S };

	setrlimit(RLIMIT_CPU, &cpu);
	alarm(TEST_LIMIT_S);
}

/* Waits for the end of a process, and says what ended it.  0: it ended well. */
static int wait_for(pid_t pid)
{
	int status;

	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return 1;
	if (WIFSIGNALED(status))
		printf("# ended by signal %d\n", WTERMSIG(status));
	fflush(stdout);
	return status != 0;
}

/*
 * Where /proc has no process but the test's, if we may.  Its first one only waits: what
 * ends others does not end that (kernel/signal.c, SIGNAL_UNKILLABLE).
 */
static void be_alone(void)
{
	pid_t pid;

	if (geteuid() || unshare(CLONE_NEWPID | CLONE_NEWNS))
		return;
	pid = fork();
	if (!pid) {
		if (mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
		    mount("proc", "/proc", "proc", 0, NULL))
			_exit(1);
		pid = fork();
		if (!pid)
			return;
	}
	_exit(wait_for(pid));
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
		if (tests_alone)
			be_alone();
		limit();
		status = t->run();
		/* before the leak checker ends it, which prints nothing of ours */
		fflush(stdout);
		exit(status);
	}
	return wait_for(pid);
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
