// SPDX-License-Identifier: GPL-2.0-only
/*
 * The process that asks debuginfod(8) servers.  It has the network and the
 * cache, which is its working directory, no other rights (confine_network()),
 * and nothing of a session: it is given build-ids and answers with files whose
 * content it does not read.  The library is loaded here only, because many
 * machines do not have it.
 *
 * elfutils' debuginfod.h and debuginfod_find_debuginfo(3) describe what is
 * called here.
 */

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "sandbox/confine.h"
#include "sandbox/debuginfod.h"
#include "sandbox/fd_pass.h"
#include "sandbox/limits.h"

#define GRACE	10	     /* seconds for a library that hangs */
#define SILENCE 90	     /* its default of DEBUGINFOD_TIMEOUT */
#define MEMORY	(2ull << 30) /* files go to the disk */
#define TELL	2	     /* seconds before progress is reported */

struct broker {
	int sock;
	debuginfod_tell *tell;
	__u64 end;   /* of the request that is under way, at the latest */
	__u64 left;  /* ns, of all requests */
	int seconds; /* of one */
	int silence; /* before a server said how much it has */
	void *client;
	/* the request that is under way */
	__u64 since;
	const char *what;
	bool told;
	int stopped; /* -errno: why it was ended */
	/* the library's, without the prefix debuginfod_ */
	void *(*begin)(void);
	int (*find_debuginfo)(void *client, const unsigned char *id, int size,
			      char **path);
	int (*find_executable)(void *client, const unsigned char *id, int size,
			       char **path);
	int (*find_source)(void *client, const unsigned char *id, int size,
			   const char *file, char **path);
	void (*set_progressfn)(void *client,
			       int (*fn)(void *client, long a, long b));
};

static struct broker broker; /* of this process */

static int load(struct broker *d)
{
	const struct {
		const char *name;
		void *to;
	} symbols[] = {
		{ "debuginfod_begin", &d->begin },
		{ "debuginfod_find_debuginfo", &d->find_debuginfo },
		{ "debuginfod_find_executable", &d->find_executable },
		{ "debuginfod_find_source", &d->find_source },
		{ "debuginfod_set_progressfn", &d->set_progressfn },
	};
	void *library = dlopen(DEBUGINFOD_LIBRARY, RTLD_NOW | RTLD_LOCAL);
	size_t i;

	if (!library)
		return -ELIBACC;
	for (i = 0; i < sizeof(symbols) / sizeof(symbols[0]); i++) {
		void *f = dlsym(library, symbols[i].name);

		if (!f)
			return -ELIBBAD;
		memcpy(symbols[i].to, &f, sizeof(f));
	}
	return 0;
}

/* Makes the cache the working directory, in which the library writes. */
static int confine(void)
{
	int sources[DEBUGINFOD_SOURCES], cache = debuginfod_cache_open();
	int ret = -EACCES;

	if (cache >= 0 && !fchdir(cache) &&
	    !setenv("DEBUGINFOD_CACHE_PATH", ".", 1))
		ret = confine_network(cache, sources,
				      debuginfod_cache_sources(sources));
	if (cache >= 0)
		close(cache);
	return ret;
}

static __u64 ns(int seconds)
{
	return seconds * 1000000000ull;
}

static bool is_gone(int sock)
{
	struct pollfd p = { sock, 0, 0 };

	return poll(&p, 1, 0) > 0 && p.revents & (POLLHUP | POLLERR);
}

/* The library calls it while it waits.  @of: 0 if the size is not known. */
static int progress(void *client, long bytes, long of)
{
	struct broker *d = &broker;
	__u64 now = clock_now(), took = now - d->since;

	(void)client;
	if (is_gone(d->sock)) {
		d->stopped = -EPIPE;
	} else if (now >= d->end || (of <= 0 && took >= ns(d->silence))) {
		d->stopped = -ETIMEDOUT;
	} else if (took >= ns(d->seconds)) {
		d->stopped = -EOVERFLOW;
	} else if (d->tell && took >= ns(TELL)) {
		d->tell(d->what, of > 0 ? bytes : 0, of > 0 ? of : 0);
		d->told = true;
	}
	return d->stopped;
}

static int find(struct broker *d, const struct debuginfod_request *r)
{
	static const char *const kinds[] = { "program", "debuginfo", "source" };
	int left = d->left / ns(1), fd = -EINVAL;
	__u64 now;

	d->since = clock_now();
	d->what = kinds[r->kind];
	d->told = false;
	d->stopped = 0;
	d->end = d->since + d->left;
	if (!d->left)
		return -ETIMEDOUT;
	/* the library hangs and does not even call progress() */
	alarm((left < d->seconds ? left : d->seconds) + GRACE);
	switch (r->kind) {
	case DEBUGINFOD_EXECUTABLE:
		fd = d->find_executable(d->client, r->build_id, r->size, NULL);
		break;
	case DEBUGINFOD_DEBUGINFO:
		fd = d->find_debuginfo(d->client, r->build_id, r->size, NULL);
		break;
	case DEBUGINFOD_SOURCE:
		fd = d->find_source(d->client, r->build_id, r->size, r->path,
				    NULL);
		break;
	}
	alarm(0);
	now = clock_now();
	d->left = now < d->end ? d->end - now : 0;
	if (d->told)
		d->tell(NULL, 0, 0);
	return fd < 0 && d->stopped ? d->stopped : fd;
}

static int prepare(struct broker *d)
{
	const char *timeout = getenv("DEBUGINFOD_TIMEOUT");
	int seconds = timeout ? atoi(timeout) : 0, ret;

	d->silence = seconds > 0 ? seconds : SILENCE;
	if (d->silence > d->seconds)
		d->silence = d->seconds;
	d->left = ns(DEBUGINFOD_SECONDS);
	ret = limits_set(MEMORY, DEBUGINFOD_SECONDS);
	if (!ret)
		ret = load(d);
	if (!ret)
		ret = confine();
	if (ret)
		return ret;
	d->client = d->begin();
	if (!d->client)
		return -ENOMEM;
	d->set_progressfn(d->client, progress);
	return 0;
}

/* Keep only the socket, the cache and standard error of what is open. */
static int leave_files(const struct broker *d)
{
	int err = d->tell ? dup(STDERR_FILENO) : -1, ret;

	ret = confine_stdio();
	if (err >= 0)
		dup2(err, STDERR_FILENO);
	confine_files(3, &d->sock, 1);
	return ret;
}

void debuginfod_broker(int sock, void *arg)
{
	const struct debuginfod_how *how = arg;
	struct debuginfod_request r;
	unsigned int asked;
	int fd;

	broker.sock = sock;
	broker.seconds = how->seconds;
	broker.tell = how->tell;
	/* it tidies up in the cache: progress() notices the end */
	prctl(PR_SET_PDEATHSIG, 0, 0, 0, 0);
	signal(SIGALRM, SIG_DFL);
	fd = leave_files(&broker);
	if (!fd)
		fd = prepare(&broker);
	/* a file would be a descriptor above 2; 0 means none */
	if (send(sock, &(int32_t){ fd }, sizeof(int32_t), MSG_NOSIGNAL) < 0 ||
	    fd)
		return;
	for (asked = 0; asked < DEBUGINFOD_REQUESTS; asked++) {
		if (recv(sock, &r, sizeof(r), MSG_TRUNC) != sizeof(r) ||
		    debuginfod_check(&r))
			break;
		fd = find(&broker, &r);
		if (fdpass_answer(sock, fd))
			break;
		if (fd >= 0)
			close(fd);
	}
}
