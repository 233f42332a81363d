/* SPDX-License-Identifier: GPL-2.0-only */
/* What all ways into a guest share: the text of an error, and socket calls. */
#ifndef TRANSPORT_CHANNEL_H
#define TRANSPORT_CHANNEL_H

#include "transport/transport.h"

/* "what: why" into c->text, unprintable bytes replaced.  Returns err. */
int channel_fail(struct channel *c, int err, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/*
 * Send all @size bytes through the channel's socket before its deadline.  0, or
 * -errno with a text: @late if the deadline passed, else "@what: why".
 */
int channel_send(struct channel *c, const void *data, size_t size,
		 const char *late, const char *what);

/*
 * Receive what arrived: 1 to @size bytes.  The number, or errors as above;
 * -EPIPE with the text @closed: the other side closed the connection.
 */
ssize_t channel_recv(struct channel *c, void *buf, size_t size,
		     const char *late, const char *closed);

#endif /* TRANSPORT_CHANNEL_H */
