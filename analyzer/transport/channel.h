/* SPDX-License-Identifier: GPL-2.0-only */
/* What all ways into a guest share: the words for an error, its socket. */
#ifndef TRANSPORT_CHANNEL_H
#define TRANSPORT_CHANNEL_H

#include "transport/transport.h"

/* "what: why" into c->text, unprintable bytes replaced.  Returns err. */
int channel_fail(struct channel *c, int err, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/*
 * All of @size bytes through the channel's socket, by its deadline.  0 or
 * -errno with the words: @late beyond the deadline, else "@what: why".
 */
int channel_send(struct channel *c, const void *data, size_t size,
		 const char *late, const char *what);

/*
 * What there is, at most @size bytes, never 0.  The same errors, but for
 * -EPIPE with the words @closed.
 */
ssize_t channel_recv(struct channel *c, void *buf, size_t size,
		     const char *late, const char *closed);

#endif /* TRANSPORT_CHANNEL_H */
