/* SPDX-License-Identifier: GPL-2.0-only */
/* All ways into guests, in the order in which they are tried. */
#ifndef TRANSPORT_WAYS_H
#define TRANSPORT_WAYS_H

#include <stdint.h>

#include "transport/transport.h"

#define NR_WAYS 4

extern const struct transport *const transport_ways[NR_WAYS];

/* The name of a way in options and messages; "-" for none. */
const char *way_name(uint32_t how);

/*
 * The ways (1 << enum vmmprof_reach of each) into a VM, found from its command
 * line without talking to it.  root: "" or the prefix of a test's tree.
 */
uint32_t ways_of(const char *root, uint32_t pid);

/* Is one of them QEMU's guest agent, by its socket or through libvirt? */
bool ways_have_agent(uint32_t ways);

#endif /* TRANSPORT_WAYS_H */
