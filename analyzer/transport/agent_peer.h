/* SPDX-License-Identifier: GPL-2.0-only */
/* Checks that the process listening on the agent's socket is the VM's. */
#ifndef TRANSPORT_AGENT_PEER_H
#define TRANSPORT_AGENT_PEER_H

#include "transport/transport.h"

/*
 * To be called before the first byte is sent to c->fd, which is connected.  A
 * process can write its own command line and name anybody's socket there; the
 * listener would then receive commands from root.  0 if the VM's process or one
 * of the same user listens; else -EPERM, and c->text says who does.
 */
int agent_peer(struct channel *c);

#endif /* TRANSPORT_AGENT_PEER_H */
