/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Files of debuginfod(8) servers for a process without rights: it names a
 * build-id, a process that has the network but none of what guests wrote
 * answers with an open file.  The server's bytes are parsed by who asked.
 *
 * As with all users of the library it is DEBUGINFOD_URLS in the environment
 * that allows to ask: without it nothing leaves this machine.
 */
#ifndef VMMPROF_SANDBOX_DEBUGINFOD_H
#define VMMPROF_SANDBOX_DEBUGINFOD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define VMMPROF_DEBUGINFOD_LIBRARY  "libdebuginfod.so.1"
#define VMMPROF_DEBUGINFOD_REQUESTS 256	 /* of one process */
#define VMMPROF_DEBUGINFOD_SECONDS  600	 /* all of them together */
#define VMMPROF_DEBUGINFOD_ID_MAX   20	 /* bytes of a build-id */
#define VMMPROF_DEBUGINFOD_PATH_MAX 1024 /* of a source file, with the NUL */

enum vmmprof_debuginfod_kind {
	VMMPROF_DEBUGINFOD_EXECUTABLE,
	VMMPROF_DEBUGINFOD_DEBUGINFO,
	VMMPROF_DEBUGINFOD_SOURCE, /* with the path that DWARF has */
};

/* How far it is; @of 0: not known.  @what NULL: it is over. */
typedef void vmmprof_debuginfod_tell(const char *what, long bytes, long of);

struct vmmprof_debuginfod {
	int sock; /* to the process that asks; -1: none */
	unsigned int asked;
	int failed; /* -errno: it is asked no more */
	bool later; /* set after the start: nothing waits for an answer */
	struct vmmprof_debuginfod_answer *answers;
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
int vmmprof_debuginfod_start(struct vmmprof_debuginfod *d, int seconds,
			     vmmprof_debuginfod_tell *tell);
void vmmprof_debuginfod_end(struct vmmprof_debuginfod *d);

/*
 * A descriptor of a regular file that a server has for this build-id, which is
 * to be compared: servers are not to be trusted.  @path: NULL, or the absolute
 * one of SOURCE.  -ENOENT: no server has it; -ETIMEDOUT: none answers, and none
 * will be asked again; -EINPROGRESS: with .later, the same again tells;
 * -EOVERFLOW: it takes longer than it may; -EDQUOT: too much was asked; -EINVAL:
 * no build-id or path that can be asked for; or -errno, the library's as well.
 */
int vmmprof_debuginfod_get(struct vmmprof_debuginfod *d,
			   enum vmmprof_debuginfod_kind kind,
			   const uint8_t *build_id, size_t size,
			   const char *path);

/* What follows is for the files of it. */

struct vmmprof_debuginfod_request {
	uint8_t kind;
	uint8_t size;
	uint8_t build_id[VMMPROF_DEBUGINFOD_ID_MAX];
	char path[VMMPROF_DEBUGINFOD_PATH_MAX]; /* "": none */
};

struct vmmprof_debuginfod_answer {
	struct vmmprof_debuginfod_request r;
	int fd; /* the file, or -errno; -EINPROGRESS: not yet */
};

/*
 * What there is to a request, of answers that came before (sandbox/debuginfod_async.c);
 * one request after the other goes to the other process.
 */
int vmmprof_debuginfod_later(struct vmmprof_debuginfod *d,
			     const struct vmmprof_debuginfod_request *r);
void vmmprof_debuginfod_forget(struct vmmprof_debuginfod *d);

/* Takes the answer to a request that was sent; waits at most so long. */
int vmmprof_debuginfod_receive(struct vmmprof_debuginfod *d, int seconds);

/* Can it be asked for?  Both ends look. */
int vmmprof_debuginfod_check(const struct vmmprof_debuginfod_request *r);

/*
 * The process that asks (sandbox/debuginfod_broker.c): says first whether it can, then
 * answers until the other end is closed.
 */
void vmmprof_debuginfod_desk(int sock, int seconds,
			     vmmprof_debuginfod_tell *tell)
	__attribute__((noreturn));

#endif /* VMMPROF_SANDBOX_DEBUGINFOD_H */
