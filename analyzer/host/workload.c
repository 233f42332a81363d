// SPDX-License-Identifier: GPL-2.0-only
/*
 * The command to be measured.  It is forked before anything else is opened, so
 * that it inherits nothing of the session, and waits until it may start.
 */

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "host/workload.h"

#define END_TRIES   40
#define END_STEP_NS 50000000 /* times END_TRIES: 2 s */

static void run_child(char *const *argv, int go_fd, int err_fd)
{
	char byte;
	int err;

	if (read(go_fd, &byte, 1) != 1)
		_exit(0);	  /* the recorder gave up or died */
	signal(SIGXFSZ, SIG_DFL); /* vmmprof ignores it */
	execvp(argv[0], argv);
	err = errno;
	if (write(err_fd, &err, sizeof(err)) != sizeof(err))
		_exit(126);
	_exit(127);
}

int workload_prepare(char *const *argv, struct workload *w)
{
	int go[2], err[2], ret;

	memset(w, 0, sizeof(*w));
	if (pipe2(go, O_CLOEXEC))
		return -errno;
	if (pipe2(err, O_CLOEXEC)) {
		ret = -errno;
		goto err_close_go;
	}
	w->pid = fork();
	if (w->pid < 0) {
		ret = -errno;
		goto err_close_err;
	}
	if (!w->pid) {
		close(go[1]);
		run_child(argv, go[0], err[1]);
	}
	close(go[0]);
	close(err[1]);
	w->go_fd = go[1];
	w->err_fd = err[0];
	return 0;

err_close_err:
	close(err[0]);
	close(err[1]);
err_close_go:
	close(go[0]);
	close(go[1]);
	w->pid = 0;
	return ret;
}

int workload_start(struct workload *w)
{
	ssize_t n = write(w->go_fd, "", 1);
	int err = 0;

	close(w->go_fd);
	w->go_fd = -1;
	if (n == 1)
		do {
			n = read(w->err_fd, &err, sizeof(err));
		} while (n < 0 && errno == EINTR);
	close(w->err_fd);
	if (n != sizeof(err))
		return 0; /* the pipe was closed by a successful exec */
	waitpid(w->pid, &w->status, 0);
	w->ended = true;
	return -err;
}

bool workload_poll(struct workload *w)
{
	if (w->pid && !w->ended)
		w->ended = waitpid(w->pid, &w->status, WNOHANG) == w->pid;
	return w->ended;
}

bool workload_end(struct workload *w)
{
	const struct timespec step = { .tv_nsec = END_STEP_NS };
	int i;

	if (!w->pid || w->ended)
		return true;
	if (w->go_fd >= 0) {
		close(w->go_fd);
		close(w->err_fd);
		w->go_fd = -1;
	} else {
		kill(w->pid, SIGTERM);
	}
	for (i = 0; i < END_TRIES && !workload_poll(w); i++)
		nanosleep(&step, NULL);
	return w->ended;
}
