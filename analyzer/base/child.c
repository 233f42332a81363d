// SPDX-License-Identifier: GPL-2.0-only
/* fork(2) without orphans, and with a pair of sockets. */

#include <errno.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/child.h"

pid_t child_fork(void)
{
	pid_t parent = getpid(), pid = fork();

	if (pid)
		return pid < 0 ? -errno : pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
	/* it may have ended before that */
	if (getppid() != parent)
		_exit(1);
	return 0;
}

pid_t child_begin(int type, void (*run)(int sock, void *arg), void *arg,
		  int *sock)
{
	int pair[2];
	pid_t pid;

	*sock = -1;
	if (socketpair(AF_UNIX, type | SOCK_CLOEXEC, 0, pair))
		return -errno;
	pid = child_fork();
	if (!pid) {
		close(pair[0]);
		run(pair[1], arg);
		_exit(0);
	}
	if (pid < 0)
		close(pair[0]);
	else
		*sock = pair[0];
	close(pair[1]);
	return pid;
}
