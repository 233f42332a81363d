/* SPDX-License-Identifier: GPL-2.0-only */
/* What a reader of live records is told of VMs besides them. */
#ifndef CMD_TOP_CHANGES_H
#define CMD_TOP_CHANGES_H

#include "cmd/top/protocol.h"
#include "model/live.h"

/*
 * Receives from @fd what a tick announces: takes the VMs' names, and removes
 * vCPUs that ended.  In the confined reader.  0 or -errno.
 */
int top_read_changes(struct live *live, const struct top_tick *tick, int fd);

#endif /* CMD_TOP_CHANGES_H */
