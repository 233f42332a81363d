/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The conversation with a QEMU guest agent: what is asked for in which order,
 * and what of the answers is believed.  Who carries the lines is the
 * caller's: a socket (agent.c) or libvirt.
 *
 * QEMU's qga/qapi-schema.json describes the commands.
 */
#ifndef VMMPROF_TRANSPORT_AGENT_OPS_H
#define VMMPROF_TRANSPORT_AGENT_OPS_H

#include <stddef.h>

#include "transport/transport.h"

/* More of an answer than this is refused. */
#define VMMPROF_AGENT_REPLY_MAX (4u << 20)

struct vmmprof_agent {
	struct vmmprof_channel *c;
	/*
	 * Send a request (JSON, no newline), get its reply: *reply is to be
	 * freed, at most VMMPROF_AGENT_REPLY_MAX bytes and a NUL.  0, or -errno
	 * with c->text filled in.  Ends at c->deadline_ns.
	 */
	int (*ask)(struct vmmprof_agent *a, const char *request, char **reply);
	size_t chunk; /* bytes of a file in one request or reply */
	char dir[80]; /* ours in the guest; "": not made */
	char pid[12]; /* of what watches there; "": nothing does */
};

/*
 * Can the agent do what is needed?  0; -EPERM: no, c->text names what is
 * disabled; or -errno of the conversation.
 */
int vmmprof_agent_check(struct vmmprof_agent *a);

/* Push the program and start it; see vmmprof_transport.watch. */
int vmmprof_agent_watch(struct vmmprof_agent *a);

/* See vmmprof_transport.fetch and .code. */
int vmmprof_agent_fetch(struct vmmprof_agent *a);
int vmmprof_agent_code(struct vmmprof_agent *a);

#endif /* VMMPROF_TRANSPORT_AGENT_OPS_H */
