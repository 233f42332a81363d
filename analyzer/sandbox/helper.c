// SPDX-License-Identifier: GPL-2.0-only
/* Starts a helper process. */

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include "base/child.h"
#include "sandbox/helper.h"
#include "sandbox/limits.h"

/* Keep only these two descriptors; 0, 1 and 2 become /dev/null. */
static void keep_two(int a, int b)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC), i;

	for (i = 0; null >= 0 && i < 3; i++)
		dup2(null, i);
	a = fcntl(a, F_DUPFD, 16);
	b = fcntl(b, F_DUPFD, 16);
	if (null < 0 || dup2(a, HELPER_A) < 0 || dup2(b, HELPER_B) < 0)
		_exit(1);
	closefrom(HELPER_B + 1);
}

pid_t helper_begin(int a, int b, void (*run)(void *arg), void *arg)
{
	static const int ignored[] = { SIGINT, SIGQUIT, SIGTERM, SIGHUP };
	pid_t pid = child_fork();
	unsigned int i;

	if (pid)
		return pid;
	for (i = 0; i < 4; i++)
		signal(ignored[i], SIG_IGN);
	keep_two(a, b);
	run(arg);
	_exit(0);
}

void helper_confine(size_t memory)
{
	if (limits_set(memory, 0) || helper_give_up())
		_exit(1);
}
