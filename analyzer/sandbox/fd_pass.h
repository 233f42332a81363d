/* SPDX-License-Identifier: GPL-2.0-only */
/* A datagram of a Unix socket, with an open file or without; unix(7). */
#ifndef SANDBOX_FD_PASS_H
#define SANDBOX_FD_PASS_H

#include <stddef.h>
#include <sys/types.h>

/* Sends @size bytes, and @fd unless it is negative.  0 or -errno. */
int fdpass_send(int sock, const void *data, size_t size, int fd);

/*
 * Receives up to @size bytes; @flags: recvmsg(2)'s.  *fd: a file that came with
 * them, to be closed by the caller, or -1.  The bytes; 0: the other end is
 * closed; or -errno.
 */
ssize_t fdpass_receive(int sock, void *data, size_t size, int flags, int *fd);

/*
 * Answers a request for a file: with @fd, or with an error if it is -errno.  0
 * or -errno.
 */
int fdpass_answer(int sock, int fd);

/*
 * Takes that answer.  The file, the caller's to close, or -errno; -EPIPE: the
 * other process has ended, or this is no answer.
 */
int fdpass_take(int sock);

#endif /* SANDBOX_FD_PASS_H */
