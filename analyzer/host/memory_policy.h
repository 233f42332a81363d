/* SPDX-License-Identifier: GPL-2.0-only */
/* May guests' memory be read on this host? */
#ifndef HOST_MEMORY_POLICY_H
#define HOST_MEMORY_POLICY_H

#include <stdbool.h>

/* An operator makes this file; then no guest's memory is read on this host. */
#define NO_GUEST_MEMORY "/etc/vmmprof/no-guest-memory"

/*
 * What forbids it: the option (@option: it was given), or the operator's file; NULL:
 * nothing.  @root: "" or the prefix of a test's tree.
 */
const char *memory_forbidden(bool option, const char *root);

#endif /* HOST_MEMORY_POLICY_H */
