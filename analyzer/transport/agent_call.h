/* SPDX-License-Identifier: GPL-2.0-only */
/* One command for a QEMU guest agent, and its answer. */
#ifndef TRANSPORT_AGENT_CALL_H
#define TRANSPORT_AGENT_CALL_H

#include <jansson.h>
#include <stddef.h>

#include "transport/transport.h"

/* More of an answer than this is refused. */
#define AGENT_REPLY_MAX (4u << 20)

struct agent_talk {
	struct channel *c;
	/*
	 * Send a request (JSON, no newline), get its reply: *reply is to be
	 * freed, at most AGENT_REPLY_MAX bytes and a NUL.  0, or -errno
	 * with c->text filled in.  Ends at c->deadline_ns.
	 */
	int (*ask)(struct agent_talk *a, const char *request, char **reply);
	size_t chunk; /* bytes of a file in one request or reply */
	char dir[80]; /* ours in the guest; "": not made */
	char pid[12]; /* of vmmprof-guest there; "": it does not watch */
};

/*
 * Sends a command with its arguments (may be NULL), which it consumes.  0: *ret is
 * the result, the caller's; or -errno with a text in a->c.
 */
int agent_call(struct agent_talk *a, const char *command, json_t *arguments,
	       json_t **ret);

#endif /* TRANSPORT_AGENT_CALL_H */
