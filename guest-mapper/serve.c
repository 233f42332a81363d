// SPDX-License-Identifier: GPL-2.0-only
/*
 * The guest's side of the protocol in vmmprof/serve.h.  A child watches, so
 * that the parent notices at once if the host hangs up meanwhile.
 */

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <linux/vm_sockets.h>

#include <vmmprof/serve.h>

#include "base/child.h"
#include "base/clock.h"
#include "base/io.h"
#include "code.h"
#include "format/code_list.h"
#include "have.h"
#include "serve.h"
#include "session.h"

#define MAX_SECONDS 200000000 /* record -d takes 1e8, and more goes beside it */
#define GONE_NS	    2000000000ull
#define LOOK_US	    5000

struct serve {
	int in, out;
	int said;		/* output of the watching child, -1: none */
	pid_t child;		/* that watches or dumps; 0: none */
	const __u8 (*have)[20]; /* build-ids whose symbols are not wanted */
	size_t nr_have;
	bool unwind; /* tables for call chains are wanted */
	char dir[64], bundle[80], code[80];
};

/* The conversation under way, for on_signal(). */
static struct serve *serving;

static const int signals[] = { SIGINT, SIGTERM, SIGHUP };

#define NR_SIGNALS (sizeof(signals) / sizeof(signals[0]))

/* Nothing of it stays, neither a process nor a file.  A signal may call it. */
static void tidy(struct serve *s)
{
	if (s->child > 0) {
		kill(s->child, SIGKILL);
		while (waitpid(s->child, NULL, 0) < 0 && errno == EINTR)
			;
		s->child = 0;
	}
	unlink(s->bundle);
	unlink(s->code);
	rmdir(s->dir);
}

static void on_signal(int sig)
{
	tidy(serving);
	signal(sig, SIG_DFL);
	raise(sig);
}

/* Those of a conversation that begins; NULL: as before, also in its child. */
static void take_signals(struct serve *s)
{
	void (*handler)(int) = s ? on_signal : SIG_DFL;
	unsigned int i;

	if (s)
		serving = s;
	for (i = 0; i < NR_SIGNALS; i++)
		if (signal(signals[i], handler) == SIG_IGN)
			signal(signals[i], SIG_IGN);
}

static int put(const struct serve *s, const char *line)
{
	return io_write(s->out, line, strlen(line));
}

static int put_error(const struct serve *s, const char *text)
{
	char line[512];

	snprintf(line, sizeof(line), "error %.400s\n",
		 *text ? text : "vmmprof-guest failed");
	return put(s, line);
}

/* A line without its end.  1, 0: the host hung up, or -errno. */
static int get_line(int fd, char *line, size_t size)
{
	size_t len = 0;

	while (len < size) {
		ssize_t n = read(fd, line + len, 1);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n ? -errno : 0;
		if (line[len] == '\n') {
			line[len] = '\0';
			return 1;
		}
		len++;
	}
	return -EMSGSIZE;
}

static void say(const char *text)
{
	printf("%s\n", text);
	fflush(stdout);
}

static void __attribute__((noreturn))
run_child(const struct serve *s, int said, bool watch, double seconds)
{
	struct guest_options opt = {
		.output = s->bundle,
		.duration = seconds,
		.watch = watch,
		.have = s->have,
		.nr_have = s->nr_have,
		.unwind = s->unwind,
		.say = say,
	};
	int err;

	take_signals(NULL);
	dup2(said, STDOUT_FILENO);
	err = guest_run(&opt);
	if (err)
		printf("%s: %s\n", s->bundle, strerror(-err));
	fflush(stdout);
	_exit(err ? 1 : 0);
}

static int start(struct serve *s, bool watch, double seconds)
{
	int said[2];

	if (pipe2(said, O_CLOEXEC))
		return -errno;
	unlink(s->bundle);
	fflush(stdout);
	s->child = child_fork();
	if (!s->child)
		run_child(s, said[1], watch, seconds);
	close(said[1]);
	if (s->child < 0) {
		int err = s->child;

		s->child = 0;
		close(said[0]);
		return err;
	}
	s->said = said[0];
	return 0;
}

/* Wait for the child: true if its bundle is complete.  last: its last line. */
static bool reap(struct serve *s, char *last, size_t size)
{
	char line[512];
	int status = -1;

	while (get_line(s->said, line, sizeof(line)) > 0)
		snprintf(last, size, "%s", line);
	close(s->said);
	s->said = -1;
	while (waitpid(s->child, &status, 0) < 0 && errno == EINTR)
		;
	s->child = 0;
	return WIFEXITED(status) && !WEXITSTATUS(status);
}

/*
 * Read the host's list.  After a wrong one it is not known where the next
 * command begins, so the conversation ends.
 */
static int have(struct serve *s, const char *text)
{
	char *end;
	unsigned long size = strtoul(text, &end, 10);
	void *list;
	int err;

	if (*text < '0' || *text > '9' || *end || size > VMMPROF_SERVE_HAVE)
		err = -EINVAL;
	else
		err = have_receive(s->in, size, &list);
	if (err) {
		put_error(s, "have: a list of build-ids of 20 bytes");
		return err;
	}
	free((void *)s->have);
	s->have = list;
	s->nr_have = size / sizeof(*s->have);
	return 0;
}

static int watch(struct serve *s, const char *seconds)
{
	char line[512] = "", last[512] = "it printed no reason";
	int n = atoi(seconds), err;

	if (s->child || n < 1 || n > MAX_SECONDS)
		return put_error(s, "watch: once, for 1 to 200000000 seconds");
	err = start(s, true, n);
	if (err)
		return put_error(s, strerror(-err));
	/* lines about limitations precede "ready" */
	while (get_line(s->said, line, sizeof(line)) > 0) {
		if (!strcmp(line, "ready"))
			return put(s, "ready\n");
		memcpy(last, line, sizeof(last));
	}
	reap(s, last, sizeof(last));
	return put_error(s, last);
}

/* Send a file after a line with @word and its size. */
static int send_file(const struct serve *s, const char *word, const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct stat st;
	char line[64];
	off_t at = 0;
	int err = 0;

	if (fd < 0 || fstat(fd, &st)) {
		err = put_error(s, strerror(errno));
		io_close(&fd);
		return err;
	}
	snprintf(line, sizeof(line), "%s %lld\n", word, (long long)st.st_size);
	err = put(s, line);
	while (!err && at < st.st_size) {
		char buf[65536];
		ssize_t n = pread(fd, buf, sizeof(buf), at);

		err = n > 0 ? io_write(s->out, buf, n) : -EIO;
		at += n;
	}
	close(fd);
	return err;
}

static int fetch(struct serve *s)
{
	char last[512] = "";
	int err = 0;

	if (s->child)
		kill(s->child, SIGTERM);
	else
		err = start(s, false, 0);
	if (err)
		return put_error(s, strerror(-err));
	if (!reap(s, last, sizeof(last)))
		return put_error(s, last);
	return send_file(s, "bundle", s->bundle);
}

/* Has the host hung up, so long ago that it waits for no answer? */
static bool is_gone(const struct serve *s, __u64 *since)
{
	struct pollfd p = { s->in, POLLRDHUP, 0 };

	if (poll(&p, 1, 0) <= 0)
		*since = clock_now();
	return clock_now() - *since > GONE_NS;
}

/*
 * By a process of its own, which is ended when the host hangs up: a mapped file may
 * be one of a file system that does not answer.
 */
static int write_code(struct serve *s, const char *list, size_t size)
{
	__u64 since = clock_now();
	int status = 0;

	s->child = child_fork();
	if (!s->child) {
		take_signals(NULL);
		_exit(-code_write(list, size, s->bundle, s->code));
	}
	if (s->child < 0) {
		status = s->child;
		s->child = 0;
		return status;
	}
	while (!waitpid(s->child, &status, WNOHANG)) {
		if (is_gone(s, &since))
			return -EPIPE;
		usleep(LOOK_US);
	}
	s->child = 0;
	return WIFEXITED(status) ? -WEXITSTATUS(status) : -ECHILD;
}

/* Send the bytes of the listed functions; the bundle must be there before. */
static int code(struct serve *s, const char *text)
{
	char list[CODE_LIST_MAX], *end;
	unsigned long size = strtoul(text, &end, 10);
	ssize_t n;
	int err;

	if (*text < '0' || *text > '9' || *end || size > sizeof(list)) {
		put_error(s, "code: a list of ranges");
		return -EINVAL;
	}
	n = io_read(s->in, list, size);
	if (n < (ssize_t)size)
		return n < 0 ? n : 0;
	if (s->child)
		return put_error(s, "code: after the bundle");
	unlink(s->code);
	err = write_code(s, list, size);
	if (err == -EPIPE)
		return err;
	if (err)
		return put_error(s, err == -EINVAL ? "code: a list of ranges" :
						     strerror(-err));
	return send_file(s, "code", s->code);
}

static int converse(struct serve *s)
{
	char line[VMMPROF_SERVE_LINE];
	int err = put(s, VMMPROF_SERVE_HELLO "\n");

	while (!err) {
		err = get_line(s->in, line, sizeof(line));
		if (err <= 0)
			return err;
		err = 0;
		if (!strncmp(line, "watch ", 6))
			err = watch(s, line + 6);
		else if (!strncmp(line, "have ", 5))
			err = have(s, line + 5);
		else if (!strncmp(line, "code ", 5))
			err = code(s, line + 5);
		else if (!strcmp(line, "unwind"))
			s->unwind = true;
		else if (!strcmp(line, "fetch"))
			err = fetch(s);
		else
			err = put(s, VMMPROF_SERVE_UNKNOWN "\n");
	}
	return err;
}

int serve_host(int in, int out)
{
	struct serve s = { .in = in, .out = out, .said = -1 };
	int err;

	signal(SIGPIPE, SIG_IGN);
	/* It only holds the bundle, so a file system without exec will do. */
	strcpy(s.dir, "/tmp/vmmprof.XXXXXX");
	if (!mkdtemp(s.dir)) {
		strcpy(s.dir, "/run/vmmprof.XXXXXX");
		if (!mkdtemp(s.dir)) {
			err = -errno;
			put_error(&s, "no directory can be made in /tmp, /run");
			return err;
		}
	}
	snprintf(s.bundle, sizeof(s.bundle), "%s/bundle", s.dir);
	snprintf(s.code, sizeof(s.code), "%s/code", s.dir);
	take_signals(&s);
	err = converse(&s);
	/* what it watched is wanted by nobody */
	tidy(&s);
	take_signals(NULL);
	io_close(&s.said);
	free((void *)s.have);
	return err;
}

int serve_vsock(unsigned int port)
{
	struct sockaddr_vm at = {
		.svm_family = AF_VSOCK,
		.svm_cid = VMADDR_CID_ANY,
		.svm_port = port,
	};
	int fd = socket(AF_VSOCK, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (fd < 0 || bind(fd, (void *)&at, sizeof(at)) || listen(fd, 1))
		return -errno;
	for (;;) {
		struct sockaddr_vm from;
		socklen_t size = sizeof(from);
		int c = accept4(fd, (void *)&from, &size, SOCK_CLOEXEC);

		if (c < 0 && errno != EINTR && errno != ECONNABORTED)
			return -errno;
		if (c < 0)
			continue;
		/* only from the host, and only from its privileged ports */
		if (from.svm_cid == VMADDR_CID_HOST && from.svm_port < 1024)
			serve_host(c, c);
		close(c);
	}
}
