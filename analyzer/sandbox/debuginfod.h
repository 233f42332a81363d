/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Files of debuginfod(8) servers for a process without rights.  It sends a
 * build-id to the broker, a process that has the network but reads nothing that
 * guests wrote.  The broker answers with an open file, which only the process
 * without rights parses.
 *
 * As with all users of the library, DEBUGINFOD_URLS in the environment is the
 * consent: without it nothing is sent.
 */
#ifndef SANDBOX_DEBUGINFOD_H
#define SANDBOX_DEBUGINFOD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define DEBUGINFOD_LIBRARY  "libdebuginfod.so.1"
#define DEBUGINFOD_REQUESTS 256	 /* of one process */
#define DEBUGINFOD_SECONDS  600	 /* all of them together */
#define DEBUGINFOD_ID_MAX   20	 /* bytes of a build-id */
#define DEBUGINFOD_PATH_MAX 1024 /* of a source file, with the NUL */

enum debuginfod_kind {
	DEBUGINFOD_EXECUTABLE,
	DEBUGINFOD_DEBUGINFO,
	DEBUGINFOD_SOURCE, /* with the path that DWARF has */
};

/* Progress of a download; @of 0: size not known.  @what NULL: it has ended. */
typedef void debuginfod_tell(const char *what, long bytes, long of);

struct debuginfod {
	int sock; /* to the broker; -1: none */
	unsigned int asked;
	int failed; /* -errno: why the broker is asked no more; 0: it is */
	bool later; /* set after the start: nothing waits for an answer */
	struct debuginfod_answer *answers;
	size_t nr, cap;
	size_t sent; /* requests sent; the answer to the last may be missing */
};

/*
 * Starts the broker, which ends when the socket is closed.  To be called before
 * anything is read and rights are given up.  One file may take @seconds.  @tell
 * is called in it about once a second (NULL: not).  0; -ENOSYS: DEBUGINFOD_URLS
 * is not set; -ELIBACC: the library is not installed; -ELIBBAD: it lacks a
 * function; or -errno.
 */
int debuginfod_start(struct debuginfod *d, int seconds, debuginfod_tell *tell);
void debuginfod_end(struct debuginfod *d);

/*
 * A descriptor of a regular file that a server has for this build-id.  The
 * caller must compare the build-id, because servers are not trusted.  @path:
 * NULL, or the absolute path of a SOURCE.  -ENOENT: no server has it;
 * -ETIMEDOUT: no server answers, and none will be asked again; -EINPROGRESS:
 * with .later, call again; -EOVERFLOW: it takes too long; -EDQUOT: too many
 * requests; -EINVAL: not a build-id or path that can be asked for; or -errno,
 * also the library's.
 */
int debuginfod_get(struct debuginfod *d, enum debuginfod_kind kind,
		   const uint8_t *build_id, size_t size, const char *path);

/* What follows is for the files of it. */

struct debuginfod_request {
	uint8_t kind;
	uint8_t size;
	uint8_t build_id[DEBUGINFOD_ID_MAX];
	char path[DEBUGINFOD_PATH_MAX]; /* "": none */
};

struct debuginfod_answer {
	struct debuginfod_request r;
	int fd; /* the file, or -errno; -EINPROGRESS: not yet */
};

/*
 * The answer to a request, if it has arrived (sandbox/debuginfod_async.c); else
 * the request is sent once those before it are answered.
 */
int debuginfod_later(struct debuginfod *d, const struct debuginfod_request *r);
void debuginfod_forget(struct debuginfod *d);

/* Takes the answer to a request that was sent; waits at most @seconds. */
int debuginfod_receive(struct debuginfod *d, int seconds);

/* Is it a request that may be sent?  Both sides check. */
int debuginfod_check(const struct debuginfod_request *r);

/*
 * The directory in which the library keeps files (sandbox/debuginfod_cache.c),
 * made if it is missing: the user's; as root one of the user nobody.  With the
 * rights of who started this.  A descriptor or -errno.
 */
int debuginfod_cache_open(void);

/*
 * Opens what else the environment tells the library to read: servers that are
 * directories, certificates.  Descriptors of O_PATH; returns their number.
 */
#define DEBUGINFOD_SOURCES 16
unsigned int debuginfod_cache_sources(int fds[DEBUGINFOD_SOURCES]);

struct debuginfod_how {
	int seconds; /* that one request may take */
	debuginfod_tell *tell;
};

/*
 * The broker (sandbox/debuginfod_broker.c): first sends 0 or -errno (it
 * cannot), then answers until the other end is closed.  For child_begin(), with
 * a struct debuginfod_how.
 */
void debuginfod_broker(int sock, void *how);

#endif /* SANDBOX_DEBUGINFOD_H */
