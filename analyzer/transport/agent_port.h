/* SPDX-License-Identifier: GPL-2.0-only */
/* Finds the guest agent's port in QEMU's command line. */
#ifndef TRANSPORT_AGENT_PORT_H
#define TRANSPORT_AGENT_PORT_H

#include <stdbool.h>
#include <stddef.h>

#include "transport/transport.h"

#define AGENT_PORT "org.qemu.guest_agent.0"

/*
 * The id of the chardev that the agent's port is connected to.  False: the VM
 * has no such port, or the id has no room.
 */
bool agent_port(const struct target *t, char *id, size_t size);

#endif /* TRANSPORT_AGENT_PORT_H */
