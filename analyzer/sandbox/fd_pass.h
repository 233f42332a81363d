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

#endif /* SANDBOX_FD_PASS_H */
