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

#include "transport/agent_call.h"

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
