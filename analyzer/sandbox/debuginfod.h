/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Files of debuginfod(8) servers for a process without rights: it names a
 * build-id, a process that has the network but none of what guests wrote
 * answers with an open file.  The server's bytes are parsed by who asked.
 *
 * As with all users of the library it is DEBUGINFOD_URLS in the environment
 * that allows to ask: without it nothing leaves this machine.
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

/* How far it is; @of 0: not known.  @what NULL: it is over. */
typedef void debuginfod_tell(const char *what, long bytes, long of);

struct debuginfod {
	int sock; /* to the process that asks; -1: none */
	unsigned int asked;
	int failed; /* -errno: it is asked no more */
	bool later; /* set after the start: nothing waits for an answer */
	struct debuginfod_answer *answers;
	size_t nr, cap;
	size_t sent; /* of the answers, those asked for; the last may not be there */
};

/*
 * Starts that process, which ends with the socket.  Before anything is read
 * and rights are given up.  One file may take @seconds.  @tell is called in it
 * about once a second (NULL: not).  0; -ENOSYS: DEBUGINFOD_URLS is not set;
 * -ELIBACC: the library is not installed; -ELIBBAD: it lacks a function; or
 * -errno.
 */
int debuginfod_start(struct debuginfod *d, int seconds, debuginfod_tell *tell);
void debuginfod_end(struct debuginfod *d);

/*
 * A descriptor of a regular file that a server has for this build-id, which is
 * to be compared: servers are not to be trusted.  @path: NULL, or the absolute
 * one of SOURCE.  -ENOENT: no server has it; -ETIMEDOUT: none answers, and none
 * will be asked again; -EINPROGRESS: with .later, the same again tells;
 * -EOVERFLOW: it takes longer than it may; -EDQUOT: too much was asked; -EINVAL:
 * no build-id or path that can be asked for; or -errno, the library's as well.
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
 * What there is to a request, of answers that came before (sandbox/debuginfod_async.c);
 * one request after the other goes to the other process.
 */
int debuginfod_later(struct debuginfod *d, const struct debuginfod_request *r);
void debuginfod_forget(struct debuginfod *d);

/* Takes the answer to a request that was sent; waits at most so long. */
int debuginfod_receive(struct debuginfod *d, int seconds);

/* Can it be asked for?  Both ends look. */
int debuginfod_check(const struct debuginfod_request *r);

/*
 * The directory in which the library keeps files (sandbox/debuginfod_cache.c),
 * made if it is missing: the user's; as root one of the user nobody.  With the
 * rights of who started this.  A descriptor or -errno.
 */
int debuginfod_cache_open(void);

/*
 * What else the environment tells the library to read: servers that are
 * directories, certificates.  Descriptors of O_PATH; their number.
 */
#define DEBUGINFOD_SOURCES 16
unsigned int debuginfod_cache_sources(int fds[DEBUGINFOD_SOURCES]);

/*
 * The process that asks (sandbox/debuginfod_broker.c): says first whether it can, then
 * answers until the other end is closed.
 */
void debuginfod_broker(int sock, int seconds, debuginfod_tell *tell)
	__attribute__((noreturn));

#endif /* SANDBOX_DEBUGINFOD_H */
