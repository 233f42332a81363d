// SPDX-License-Identifier: GPL-2.0-only
/* __cxa_demangle() in a child with limits on time and memory. */

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/child.h"
#include "sym/demangle.h"

#define TIMEOUT_MS   500 /* the child's own is a little shorter */
#define MAX_FAILURES 5
#define CHILD_CPU_S  20
#define CHILD_MEMORY (512ul << 20) /* beyond what the parent has */

/* Itanium C++ ABI, "Demangler API"; libstdc++. */
char *__cxa_demangle(const char *mangled, char *buf, size_t *size, int *status);

/* AddressSanitizer maps terabytes: no memory limit there. */
static void limit_child(void)
{
	struct rlimit cpu = { CHILD_CPU_S, CHILD_CPU_S };
	struct rlimit data = { CHILD_MEMORY, CHILD_MEMORY };
	struct rlimit core = { 0, 0 };

	setrlimit(RLIMIT_CPU, &cpu);
	setrlimit(RLIMIT_CORE, &core);
#ifndef __SANITIZE_ADDRESS__
	setrlimit(RLIMIT_AS, &data);
#else
	(void)data;
#endif
}

static struct {
	bool only; /* no others can be started */
	unsigned int nr;
	pid_t child[DEMANGLE_CHILDREN];
	int fd[DEMANGLE_CHILDREN];
} prepared;

/* SIGALRM ends a child that takes too long. */
static void set_timer(long ms)
{
	const struct itimerval t = { .it_value.tv_usec = ms * 1000 };

	setitimer(ITIMER_REAL, &t, NULL);
}

/* Answer names with demangled names, "" if there is none. */
static void child_main(int fd, void *arg)
{
	int (*confine)(int fd) = *(int (**)(int))arg;
	char name[DEMANGLE_MAX + 1], *out;
	size_t len;
	ssize_t n;
	int status;

	limit_child();
	if (confine && confine(fd))
		return;
	while ((n = recv(fd, name, sizeof(name) - 1, 0)) > 0) {
		name[n] = '\0';
		set_timer(TIMEOUT_MS - 100);
		out = __cxa_demangle(name, NULL, NULL, &status);
		len = out && !status ? strlen(out) : 0;
		if (len >= DEMANGLE_MAX)
			len = 0;
		if (send(fd, len ? out : "", len + 1, MSG_NOSIGNAL) < 0)
			break;
		free(out);
		set_timer(0);
	}
}

static int fork_child(int (*confine)(int fd), pid_t *child, int *fd)
{
	*child = child_begin(SOCK_SEQPACKET, child_main, &confine, fd);
	if (*child > 0)
		return 0;
	*child = 0;
	return -EAGAIN;
}

void demangle_prepare(int (*confine)(int fd))
{
	prepared.only = true;
	while (prepared.nr < DEMANGLE_CHILDREN &&
	       !fork_child(confine, &prepared.child[prepared.nr],
			   &prepared.fd[prepared.nr]))
		prepared.nr++;
}

static int start_child(struct demangler *d)
{
	if (!prepared.only)
		return fork_child(NULL, &d->child, &d->fd);
	if (!prepared.nr)
		return -EAGAIN;
	d->child = prepared.child[--prepared.nr];
	d->fd = prepared.fd[prepared.nr];
	return 0;
}

static void stop_child(struct demangler *d)
{
	if (!d->child)
		return;
	/* It ends by this, or by its timer. */
	close(d->fd);
	while (waitpid(d->child, NULL, 0) < 0 && errno == EINTR)
		;
	d->child = 0;
}

void demangler_deinit(struct demangler *d)
{
	stop_child(d);
	memset(d, 0, sizeof(*d));
}

/* One name to the child and back; false if there is no answer. */
static bool ask_child(struct demangler *d, const char *name,
		      char answer[DEMANGLE_MAX])
{
	struct pollfd p = { .events = POLLIN };
	ssize_t n;

	if (d->failures >= MAX_FAILURES)
		return false;
	if (!d->child && start_child(d)) {
		d->failures = MAX_FAILURES;
		return false;
	}
	p.fd = d->fd;
	if (send(d->fd, name, strlen(name), MSG_NOSIGNAL) < 0 ||
	    poll(&p, 1, TIMEOUT_MS) != 1)
		goto failed;
	n = recv(d->fd, answer, DEMANGLE_MAX, 0);
	if (n <= 0)
		goto failed;
	answer[n - 1] = '\0';
	return answer[0];

failed:
	stop_child(d);
	d->failures++;
	return false;
}

/* Cut the parameters, "f(int, g()) const" -> "f", but not of "operator()". */
static void cut_parameters(char *name)
{
	char *end = strrchr(name, ')'), *p;
	int depth = 0;

	if (!end)
		return;
	for (p = end; p > name; p--) {
		if (*p == ')')
			depth++;
		else if (*p == '(' && !--depth)
			break;
	}
	if (p == name || (p > name + 8 && !memcmp(p - 8, "operator", 8)))
		return;
	/* What follows must be a qualifier, not a nested name. */
	if (strstr(end, "::"))
		return;
	*p = '\0';
}

/* Rust's legacy names end in a hash: "core::fmt::write::h0123456789abcdef". */
static void cut_rust_hash(char *name)
{
	size_t len = strlen(name);
	char *p;

	if (len <= 19)
		return;
	p = name + len - 19;
	if (!strncmp(p, "::h", 3) && strspn(p + 3, "0123456789abcdef") == 16)
		*p = '\0';
}

bool demangle(struct demangler *d, const char *name, char *buf, size_t size)
{
	char answer[DEMANGLE_MAX];
	size_t len = strlen(name);

	if (strncmp(name, "_Z", 2) || len >= DEMANGLE_MAX || !size)
		return false;
	if (!ask_child(d, name, answer))
		return false;
	cut_parameters(answer);
	cut_rust_hash(answer);
	if (!answer[0] || strlen(answer) >= size)
		return false;
	strcpy(buf, answer);
	return true;
}
