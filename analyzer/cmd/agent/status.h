/* SPDX-License-Identifier: GPL-2.0-only */
/* What `vmmprof agent` says of itself, as metrics. */
#ifndef CMD_AGENT_STATUS_H
#define CMD_AGENT_STATUS_H

#include <stdbool.h>
#include <stddef.h>

#include "cmd/agent/spool.h"

#define AGENT_STATUS_TEXT 8192

struct agent_status {
	__u64 windows;	     /* since it began */
	__u64 cpu_ns;	     /* of all its processes */
	__u64 window_end_ns; /* CLOCK_REALTIME */
	__u64 folded;	     /* stacks that did not fit into their profiles */
	bool switches;	     /* there are switch records */
	bool freezes;	     /* it makes sessions by itself */
	__u64 made, failed;  /* of these */
};

/* Prometheus' text form.  @s: NULL, no profiles are made. */
void agent_status_text(const struct agent_status *a, const struct spool *s,
		       char *buf, size_t size);

#endif /* CMD_AGENT_STATUS_H */
