/* SPDX-License-Identifier: GPL-2.0-only */
/* All ways into guests, in the order in which they are tried. */
#ifndef VMMPROF_WAYS_H
#define VMMPROF_WAYS_H

#include <stdint.h>

#include "transport/transport.h"

#define VMMPROF_NR_WAYS 4

extern const struct vmmprof_transport *const vmmprof_ways[VMMPROF_NR_WAYS];

/* The word that options and messages have for a way; "-" for none. */
const char *vmmprof_way_name(uint32_t how);

/*
 * The ways (1 << enum vmmprof_reach of each) that a VM's command line shows,
 * without talking to it.  root: "" or the prefix of a test's tree.
 */
uint32_t vmmprof_ways_of(const char *root, uint32_t pid);

#endif /* VMMPROF_WAYS_H */
