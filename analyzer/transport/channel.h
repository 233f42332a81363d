/* SPDX-License-Identifier: GPL-2.0-only */
/* What all ways into a guest share: the words for an error. */
#ifndef TRANSPORT_CHANNEL_H
#define TRANSPORT_CHANNEL_H

#include "transport/transport.h"

/* "what: why" into c->text, unprintable bytes replaced.  Returns err. */
int channel_fail(struct channel *c, int err, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

#endif /* TRANSPORT_CHANNEL_H */
