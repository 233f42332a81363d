// SPDX-License-Identifier: GPL-2.0-only
/* Two processes with a pair of sockets: whichever ends, the other one notices. */

#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/child.h"
#include "sandbox/fd_pass.h"
#include "test.h"

static void answer_once(int sock, void *arg)
{
	char c;

	if (recv(sock, &c, 1, 0) == 1)
		fdpass_answer(sock, *(int *)arg);
}

TEST(the_end_of_the_child_is_read)
{
	int sock, status, fd = STDIN_FILENO, error = -ENOENT;
	pid_t pid;

	pid = child_begin(SOCK_SEQPACKET, answer_once, &fd, &sock);
	TEST_OK(pid > 0);
	TEST_EQ(send(sock, "x", 1, MSG_NOSIGNAL), 1);
	fd = fdpass_take(sock);
	TEST_OK(fd > 2 && !close(fd));
	TEST_EQ(fdpass_take(sock), -EPIPE);
	close(sock);
	TEST_EQ(waitpid(pid, &status, 0), pid);
	TEST_EQ(status, 0);
	/* an error; then nobody is there */
	TEST_OK(child_begin(SOCK_SEQPACKET, answer_once, &error, &sock) > 0);
	TEST_EQ(send(sock, "x", 1, MSG_NOSIGNAL), 1);
	TEST_EQ(fdpass_take(sock), -ENOENT);
	TEST_EQ(fdpass_take(sock), -EPIPE);
	close(sock);
	return 0;
}

static void wait_for_ever(int sock, void *arg)
{
	(void)sock;
	(void)arg;
	while (1)
		pause();
}

/* It does not read its socket: the kernel ends it. */
TEST(a_child_does_not_outlive_its_parent)
{
	struct pollfd p = { .events = POLLIN };
	int ends[2], sock;
	pid_t pid;

	TEST_EQ(pipe(ends), 0);
	pid = fork();
	if (!pid)
		_exit(child_begin(SOCK_STREAM, wait_for_ever, NULL, &sock) < 0);
	TEST_EQ(waitpid(pid, NULL, 0), pid);
	/* its end of the pipe is closed with it */
	close(ends[1]);
	p.fd = ends[0];
	TEST_EQ(poll(&p, 1, 60000), 1);
	TEST_OK(p.revents & POLLHUP);
	return 0;
}
