// SPDX-License-Identifier: GPL-2.0-only
/*
 * libmicrohttpd reads the requests and writes the answers.  It is loaded in this
 * process only: an agent that nobody asks over the network needs none.
 */

#include <errno.h>
#include <microhttpd.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/io.h"
#include "base/library.h"
#include "cmd/agent/serve.h"
#include "sandbox/confine.h"
#include "sandbox/fd_pass.h"
#include "sandbox/limits.h"

#define LIBRARY	    "libmicrohttpd.so.12"
#define MEMORY	    (256ull << 20) /* bytes */
#define CONNECTIONS 16u
#define IDLE	    10u	 /* seconds until a connection is closed */
#define LOOK_MS	    1000 /* without any request */
#define REQUEST	    8192 /* bytes of its head, and of the answer's */

#ifdef __SANITIZE_ADDRESS__
#define CONFINES 0
#else
#define CONFINES 1
#endif

#if MHD_VERSION < 0x00097002
#define enum_result int
#else
#define enum_result enum MHD_Result
#endif

struct server {
	struct MHD_Daemon *daemon;
	struct MHD_Response *metrics; /* of the last window; NULL: none yet */
	/* the library's, without the prefix MHD_ */
	struct MHD_Daemon *(*start_daemon)(unsigned int flags, uint16_t port,
					   MHD_AcceptPolicyCallback accept,
					   void *accept_arg,
					   MHD_AccessHandlerCallback answer,
					   void *answer_arg, ...);
	enum_result (*run)(struct MHD_Daemon *d);
	enum_result (*get_timeout)(struct MHD_Daemon *d,
				   MHD_UNSIGNED_LONG_LONG *ms);
	const union MHD_DaemonInfo *(*get_daemon_info)(
		struct MHD_Daemon *d, enum MHD_DaemonInfoType what, ...);
	struct MHD_Response *(*create_response_from_buffer)(
		size_t size, void *data, enum MHD_ResponseMemoryMode mode);
	enum_result (*add_response_header)(struct MHD_Response *r,
					   const char *name, const char *value);
	enum_result (*queue_response)(struct MHD_Connection *c,
				      unsigned int status,
				      struct MHD_Response *r);
	void (*destroy_response)(struct MHD_Response *r);
};

static bool load(struct server *s)
{
	const struct library_symbol symbols[] = {
		{ "MHD_start_daemon", &s->start_daemon },
		{ "MHD_run", &s->run },
		{ "MHD_get_timeout", &s->get_timeout },
		{ "MHD_get_daemon_info", &s->get_daemon_info },
		{ "MHD_create_response_from_buffer",
		  &s->create_response_from_buffer },
		{ "MHD_add_response_header", &s->add_response_header },
		{ "MHD_queue_response", &s->queue_response },
		{ "MHD_destroy_response", &s->destroy_response },
	};

	return !library_load((const char *const[]){ LIBRARY, NULL }, symbols,
			     sizeof(symbols) / sizeof(*symbols));
}

/* @data belongs to the answer if there is one. */
static struct MHD_Response *answer_of(struct server *s, char *data, size_t size,
				      enum MHD_ResponseMemoryMode mode,
				      const char *type)
{
	struct MHD_Response *r = s->create_response_from_buffer(size, data,
								mode);

	if (r)
		s->add_response_header(r, MHD_HTTP_HEADER_CONTENT_TYPE, type);
	return r;
}

static enum_result say(struct server *s, struct MHD_Connection *c,
		       unsigned int status, char *text)
{
	struct MHD_Response *r = answer_of(s, text, strlen(text),
					   MHD_RESPMEM_PERSISTENT,
					   "text/plain; charset=utf-8");
	enum_result ret = MHD_NO;

	if (!r)
		return ret;
	if (status == MHD_HTTP_METHOD_NOT_ALLOWED)
		s->add_response_header(r, MHD_HTTP_HEADER_ALLOW, "GET, HEAD");
	ret = s->queue_response(c, status, r);
	s->destroy_response(r);
	return ret;
}

static enum_result answer(void *arg, struct MHD_Connection *c, const char *url,
			  const char *method, const char *version,
			  const char *data, size_t *size, void **seen)
{
	static char other[] = "the metrics are at /metrics\n",
		    wrong[] = "metrics can be read only\n",
		    early[] = "no window has ended yet\n";
	struct server *s = arg;

	(void)version;
	(void)data;
	/* the first call is for the head; a body is refused by no answer */
	if (*size)
		return MHD_NO;
	if (!*seen) {
		*seen = s;
		return MHD_YES;
	}
	if (strcmp(method, MHD_HTTP_METHOD_GET) &&
	    strcmp(method, MHD_HTTP_METHOD_HEAD))
		return say(s, c, MHD_HTTP_METHOD_NOT_ALLOWED, wrong);
	if (strcmp(url, "/metrics"))
		return say(s, c, MHD_HTTP_NOT_FOUND, other);
	if (!s->metrics)
		return say(s, c, MHD_HTTP_SERVICE_UNAVAILABLE, early);
	return s->queue_response(c, MHD_HTTP_OK, s->metrics);
}

static bool begin(struct server *s, int listener)
{
	s->daemon = s->start_daemon(MHD_USE_EPOLL, 0, NULL, NULL, answer, s,
				    MHD_OPTION_LISTEN_SOCKET, listener,
				    MHD_OPTION_CONNECTION_LIMIT, CONNECTIONS,
				    MHD_OPTION_CONNECTION_TIMEOUT, IDLE,
				    MHD_OPTION_CONNECTION_MEMORY_LIMIT,
				    (size_t)REQUEST, MHD_OPTION_END);
	return s->daemon;
}

/* Takes the text of a window; what cannot be read changes nothing. */
static void take(struct server *s, int fd)
{
	struct MHD_Response *r = NULL;
	struct stat st;
	char *text;

	if (fstat(fd, &st) || st.st_size > SERVE_MAX)
		return;
	text = malloc(st.st_size + 1);
	if (text && io_pread(fd, text, st.st_size, 0) == st.st_size)
		r = answer_of(s, text, st.st_size, MHD_RESPMEM_MUST_FREE,
			      "text/plain; version=0.0.4; charset=utf-8");
	if (!r) {
		free(text);
		return;
	}
	/* those who get the old one get all of it: they hold it, too */
	if (s->metrics)
		s->destroy_response(s->metrics);
	s->metrics = r;
}

/* False: the agent has ended. */
static bool look(struct server *s, int sock)
{
	char byte;
	int fd;
	ssize_t n = fdpass_receive(sock, &byte, 1, 0, &fd);

	if (fd >= 0)
		take(s, fd);
	io_close(&fd);
	return n > 0 || n == -EINTR;
}

static void loop(struct server *s, int sock)
{
	const union MHD_DaemonInfo *info = s->get_daemon_info(
		s->daemon, MHD_DAEMON_INFO_EPOLL_FD);
	struct pollfd fds[2] = { { sock, POLLIN, 0 },
				 { info->epoll_fd, POLLIN, 0 } };
	MHD_UNSIGNED_LONG_LONG ms;
	int wait;

	for (;;) {
		/*
		 * The library does not ask to be called when it may accept
		 * again, after there were too many connections.
		 */
		wait = LOOK_MS;
		if (s->get_timeout(s->daemon, &ms) == MHD_YES && ms < LOOK_MS)
			wait = ms;
		fds[0].revents = 0;
		if (poll(fds, 2, wait) < 0 && errno != EINTR)
			return;
		if (fds[0].revents && !look(s, sock))
			return;
		if (s->run(s->daemon) != MHD_YES)
			return;
	}
}

void serve_metrics(int sock, int listener)
{
	static struct server s;
	int ret;

	signal(SIGPIPE, SIG_IGN);
	/* these are the agent's to take, which ends this process then */
	signal(SIGINT, SIG_IGN);
	signal(SIGTERM, SIG_IGN);
	confine_files(3, (int[]){ sock, listener }, 2);
	ret = confine_stdio();
	if (!ret)
		ret = limits_set(MEMORY, 0);
	if (!ret && !load(&s))
		ret = -ELIBACC;
	if (!ret && CONFINES)
		ret = confine_network(-1, NULL, 0);
	if (!ret && !begin(&s, listener))
		ret = -EIO;
	if (!io_write(sock, &ret, sizeof(ret)) && !ret)
		loop(&s, sock);
}
