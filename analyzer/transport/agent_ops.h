/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The conversation with a QEMU guest agent: the order of the commands, and the
 * checks of the answers.  The caller carries the lines, over a socket (agent.c)
 * or through libvirt.
 *
 * QEMU's qga/qapi-schema.json describes the commands.
 */
#ifndef TRANSPORT_AGENT_OPS_H
#define TRANSPORT_AGENT_OPS_H

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
 * Does the agent have the commands that are needed?  0; -EPERM: no, c->text
 * names those that are disabled; or -errno of the conversation.
 */
int agent_check(struct agent_talk *a);

/* Push the program and start it; see transport.watch. */
int agent_watch(struct agent_talk *a);

/* See transport.fetch and .code. */
int agent_fetch(struct agent_talk *a);
int agent_code(struct agent_talk *a);

#endif /* TRANSPORT_AGENT_OPS_H */
