// SPDX-License-Identifier: GPL-2.0-only
/*
 * The socket of the agent's metrics: what is answered to whom, by a process that has
 * no rights and ends with the agent's end.
 */

#include <arpa/inet.h>
#include <fcntl.h>
#include <poll.h>
#include <stdbool.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "test.h"
#include "base/io.h"
#include "cmd/agent/listen.h"
#include "cmd/agent/serve.h"

#define PLENTY 40 /* connections, more than are served at a time */

static char dir[64], path[80], answer[1 << 16];
static struct listen l;
static struct error e;

/* The program's own: what is at a path may be another's by then. */
int chmod(const char *file, mode_t mode)
{
	printf("# chmod(%s, %o)\n", file, mode);
	errno = EPERM;
	return -1;
}

static void begin(void)
{
	strcpy(dir, "/tmp/vmmprof-listen-XXXXXX");
	if (!mkdtemp(dir))
		abort();
	snprintf(path, sizeof(path), "%s/metrics.sock", dir);
}

static int end(void)
{
	listen_close(&l);
	unlink(path);
	return rmdir(dir);
}

static int connect_to(int flags)
{
	const struct timeval most = { .tv_sec = 5 };
	struct sockaddr_un to = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | flags, 0);

	strcpy(to.sun_path, path);
	/* where too many wait already */
	setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &most, sizeof(most));
	if (connect(fd, (struct sockaddr *)&to, sizeof(to)))
		io_close(&fd);
	return fd;
}

/* All that comes until the other end closes, which has ten seconds. */
static const char *hear(int fd)
{
	struct pollfd p = { fd, POLLIN, 0 };
	size_t at = 0;
	ssize_t n = 1;

	while (n > 0 && at < sizeof(answer) - 1 && poll(&p, 1, 10000) == 1) {
		n = read(fd, answer + at, sizeof(answer) - 1 - at);
		at += n > 0 ? n : 0;
	}
	answer[at] = '\0';
	close(fd);
	return answer;
}

static const char *ask(const char *request)
{
	int fd = connect_to(0);

	if (fd < 0 || io_send(fd, request, strlen(request)))
		return "";
	return hear(fd);
}

static bool begins(const char *text, const char *with)
{
	return !strncmp(text, with, strlen(with));
}

/* Until it has what was put last: that is another process. */
static bool answers(const char *body)
{
	const char *end;
	int i;

	for (i = 0; i < 100; i++) {
		end = strstr(ask("GET /metrics HTTP/1.0\r\n\r\n"), "\r\n\r\n");
		if (end && !strcmp(end + 4, body))
			return true;
		usleep(20000);
	}
	printf("%s\n", answer);
	return false;
}

static int put(const char *text, const char *more)
{
	int from = memfd_create("metrics", 0), ret;

	ret = io_write(from, text, strlen(text)) ?:
		      listen_put(&l, from, strlen(text), more);
	close(from);
	return ret;
}

TEST(listen_answers_with_the_last_window)
{
	begin();
	TEST_EQ(listen_open(&l, path, &e), 0);
	TEST_OK(begins(ask("GET /metrics HTTP/1.0\r\n\r\n"), "HTTP/1.1 503 "));
	TEST_EQ(put("a 1\n", "b 2\n"), 0);
	TEST_OK(answers("a 1\nb 2\n"));
	TEST_OK(begins(answer, "HTTP/1.1 200 "));
	TEST_OK(strstr(
		answer,
		"Content-Type: text/plain; version=0.0.4; charset=utf-8\r\n"));
	TEST_OK(strstr(answer, "Content-Length: 8\r\n"));
	TEST_EQ(put("a 3\n", ""), 0);
	TEST_OK(answers("a 3\n"));
	return end();
}

TEST(listen_answers_nothing_else)
{
	begin();
	TEST_EQ(listen_open(&l, path, &e), 0);
	TEST_EQ(put("a 1\n", ""), 0);
	TEST_OK(answers("a 1\n"));
	TEST_OK(begins(ask("GET / HTTP/1.0\r\n\r\n"), "HTTP/1.1 404 "));
	TEST_OK(strstr(answer, "\r\n\r\nthe metrics are at /metrics\n"));
	TEST_OK(begins(ask("GET /metrics/../../etc/passwd HTTP/1.0\r\n\r\n"),
		       "HTTP/1.1 404 "));
	TEST_OK(begins(ask("DELETE /metrics HTTP/1.0\r\n\r\n"),
		       "HTTP/1.1 405 "));
	TEST_OK(strstr(answer, "\r\nAllow: GET, HEAD\r\n"));
	TEST_OK(begins(
		ask("HEAD /metrics HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"),
		"HTTP/1.1 200 "));
	TEST_OK(strstr(answer, "\r\n\r\n") &&
		!*(strstr(answer, "\r\n\r\n") + 4));
	/* what has a body has no answer, or is refused; the next has one */
	TEST_OK(!strstr(
		ask("POST /metrics HTTP/1.0\r\nContent-Length: 3\r\n\r\nabc"),
		" 200 "));
	TEST_OK(!strstr(ask("\x16\x03\x01 nonsense\r\n\r\n"), " 200 "));
	TEST_OK(answers("a 1\n"));
	return end();
}

/* Who says nothing keeps nobody from asking but those beyond the bound. */
TEST(listen_has_slow_clients)
{
	int fd[PLENTY], i, err, nr = 0;

	begin();
	TEST_EQ(listen_open(&l, path, &e), 0);
	TEST_EQ(put("a 1\n", ""), 0);
	TEST_OK(answers("a 1\n"));
	for (i = 0; i < 8; i++)
		fd[i] = connect_to(0);
	TEST_OK(answers("a 1\n"));
	for (; i < PLENTY; i++) {
		fd[i] = connect_to(SOCK_NONBLOCK);
		nr += fd[i] >= 0;
	}
	TEST_OK(nr >= 8);
	/* the agent does not wait for them */
	for (i = 0; i < 1000; i++) {
		err = put("a 2\n", "");
		TEST_OK(!err || err == -EAGAIN);
	}
	for (i = 0; i < PLENTY; i++)
		io_close(&fd[i]);
	TEST_OK(answers("a 2\n"));
	return end();
}

/* Its rights are looked at where it has none: tests/testbed/tcg 6.12 agent. */
TEST(listen_ends_with_the_agent)
{
	int status;
	pid_t pid;

	begin();
	TEST_EQ(listen_open(&l, path, &e), 0);
	TEST_OK(listen_cpu_ns(&l) > 0);
	pid = l.pid;
	/* it ends when nobody is at the other end, also by a SIGKILL */
	io_close(&l.sock);
	TEST_EQ(waitpid(pid, &status, 0), pid);
	TEST_OK(WIFEXITED(status));
	TEST_EQ(listen_cpu_ns(&l), 0);
	return end();
}

/* One that died is an error of each window, not of the agent. */
TEST(listen_may_die)
{
	begin();
	TEST_EQ(listen_open(&l, path, &e), 0);
	kill(l.pid, SIGKILL);
	waitpid(l.pid, NULL, WNOWAIT | WEXITED);
	usleep(20000);
	TEST_EQ(put("a 1\n", ""), -EPIPE);
	return end();
}

/* The path of an agent that was killed is free, that of one that runs is not. */
TEST(listen_takes_over_what_is_left)
{
	struct listen other;
	struct stat st;
	int fd;

	begin();
	TEST_EQ(listen_open(&l, path, &e), 0);
	TEST_OK(!stat(path, &st) && (st.st_mode & 0777) == 0666);
	TEST_EQ(listen_open(&other, path, &e), -EADDRINUSE);
	listen_close(&other);
	TEST_OK(!stat(path, &st));
	/* killed: nobody removes it */
	l.path = NULL;
	listen_close(&l);
	TEST_OK(!stat(path, &st));
	TEST_EQ(listen_open(&l, path, &e), 0);
	TEST_EQ(put("a 1\n", ""), 0);
	TEST_OK(answers("a 1\n"));
	listen_close(&l);
	TEST_OK(stat(path, &st));
	/* another file is nobody's to remove */
	fd = open(path, O_CREAT | O_WRONLY, 0600);
	close(fd);
	TEST_EQ(listen_open(&l, path, &e), -EEXIST);
	TEST_OK(!stat(path, &st) && S_ISREG(st.st_mode));
	return end();
}

TEST(listen_is_for_all_users_whatever_the_mask)
{
	static const mode_t masks[] = { 0077, 0, 0777 };
	struct stat st;
	unsigned int i;

	begin();
	for (i = 0; i < sizeof(masks) / sizeof(*masks); i++) {
		umask(masks[i]);
		TEST_EQ(listen_open(&l, path, &e), 0);
		TEST_EQ(umask(0022), masks[i]);
		TEST_OK(!lstat(path, &st) && S_ISSOCK(st.st_mode));
		TEST_EQ(st.st_mode & 07777, 0666);
		listen_close(&l);
	}
	return end();
}

TEST(listen_is_for_this_machine)
{
	static const char *const wrong[] = {
		"",
		"9477",
		"0.0.0.0:9477",
		":9477",
		"10.0.0.1:9477",
		"[::]:9477",
		"[::1]",
		"127.0.0.1:",
		"127.0.0.1:0",
		"[fe80::1]:1",
		"localhost:65536",
		"127.0.0.1:9477x",
		"a/socket",
		"127.0.0.1: 5",
		"127.0.0.1:-5",
	};
	static const char *const right[] = { "127.0.0.1", "localhost",
					     "127.5.6.7" };
	char address[64];
	unsigned int i, port = 20000 + getpid() % 20000;

	for (i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		TEST_EQ(listen_open(&l, wrong[i], &e), -EINVAL);
		listen_close(&l);
	}
	for (i = 0; i < sizeof(right) / sizeof(*right); i++) {
		struct sockaddr_in to = { .sin_family = AF_INET,
					  .sin_port = htons(port + i) };
		int fd = socket(AF_INET, SOCK_STREAM, 0);
		static const char get[] = "GET /metrics HTTP/1.0\r\n\r\n";

		snprintf(address, sizeof(address), "%s:%u", right[i], port + i);
		TEST_EQ(listen_open(&l, address, &e), 0);
		inet_pton(AF_INET, i == 1 ? "127.0.0.1" : right[i],
			  &to.sin_addr);
		TEST_OK(!connect(fd, (struct sockaddr *)&to, sizeof(to)));
		TEST_EQ(io_send(fd, get, strlen(get)), 0);
		TEST_OK(begins(hear(fd), "HTTP/1.1 503 "));
		/* the port is free for who comes next */
		listen_close(&l);
	}
	return 0;
}
