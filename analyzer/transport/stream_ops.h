/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The conversation with `vmmprof-guest serve` over a stream (c->fd, a socket):
 * include/vmmprof/serve.h.  Who connects it is the caller's: ssh, vsock.
 */
#ifndef VMMPROF_TRANSPORT_STREAM_OPS_H
#define VMMPROF_TRANSPORT_STREAM_OPS_H

#include <stddef.h>

#include "transport/transport.h"

/* Sends all of it before the deadline.  0 or -errno, c->text filled in. */
int vmmprof_stream_write(struct vmmprof_channel *c, const void *data,
			 size_t size);

/* Waits for the guest's first line.  0 or -errno, c->text filled in. */
int vmmprof_stream_hello(struct vmmprof_channel *c);

/* See vmmprof_transport.watch, .fetch and .code, after the first line. */
int vmmprof_stream_watch(struct vmmprof_channel *c);
int vmmprof_stream_fetch(struct vmmprof_channel *c);
int vmmprof_stream_code(struct vmmprof_channel *c);

#endif /* VMMPROF_TRANSPORT_STREAM_OPS_H */
