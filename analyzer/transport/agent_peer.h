/* SPDX-License-Identifier: GPL-2.0-only */
/* Whether who listens on the agent's socket is the VM. */
#ifndef TRANSPORT_AGENT_PEER_H
#define TRANSPORT_AGENT_PEER_H

#include "transport/transport.h"

/*
 * Before the first byte goes to c->fd, which is connected: a command line is
 * its process's to write, so it may name anybody's socket, and what listens
 * there would hear commands from root.  0 if the VM's process listens, or one
 * of the VM's user; else -EPERM, and c->text says who does.
 */
int agent_peer(struct channel *c);

#endif /* TRANSPORT_AGENT_PEER_H */
