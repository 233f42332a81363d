/* SPDX-License-Identifier: GPL-2.0-only */
/* What a reader of live records is told besides them: of VMs and the host. */
#ifndef CMD_TOP_CHANGES_H
#define CMD_TOP_CHANGES_H

#include "cmd/load.h"
#include "cmd/top/protocol.h"
#include "model/live.h"

/*
 * Receives from @fd what a tick announces: takes the VMs' names, and removes
 * vCPUs that ended.  In the confined reader.  0 or -errno.
 */
int top_read_changes(struct live *live, const struct top_tick *tick, int fd);

/*
 * Receives what the first tick announces, and opens the session that @load names:
 * sampling begins at the tick's time.  Of what had ended by then, as it says, nothing
 * is kept: info has all that ever was.  0 or -errno, as analysis_open().
 */
int top_open(struct live *live, const struct session_load *load,
	     const struct top_tick *first, int fd);

/* New readings of the host's processes; zeroed at first. */
struct top_host {
	bool due;
	__u64 next; /* not before, CLOCK_MONOTONIC */
};

/*
 * Gives new processes of the host their names, if that is due.  The file is always
 * read from its beginning, so at most a twentieth of a CPU is spent on it.  Not
 * while anything refers to the numbers that processes have.  0 or -errno.
 */
int top_read_host(struct top_host *h, struct analysis *a);

#endif /* CMD_TOP_CHANGES_H */
