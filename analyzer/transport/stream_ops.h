/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The conversation with `vmmprof-guest serve` over a stream (c->fd, a socket):
 * include/vmmprof/serve.h.  The caller (ssh.c, vsock.c) connects it.
 */
#ifndef TRANSPORT_STREAM_OPS_H
#define TRANSPORT_STREAM_OPS_H

#include <stddef.h>

#include "transport/transport.h"

/* Sends all of it before the deadline.  0 or -errno, c->text filled in. */
int stream_write(struct channel *c, const void *data, size_t size);

/* Waits for the guest's first line.  0 or -errno, c->text filled in. */
int stream_hello(struct channel *c);

/* See transport.watch, .fetch and .code, after the first line. */
int stream_watch(struct channel *c);
int stream_fetch(struct channel *c);
int stream_code(struct channel *c);

#endif /* TRANSPORT_STREAM_OPS_H */
