/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * `vmmprof agent`, the reader: a process without rights, which reads what the
 * recorder writes and makes metrics and profiles.
 */
#ifndef CMD_AGENT_READER_H
#define CMD_AGENT_READER_H

#include "cmd/agent/options.h"
#include "cmd/agent/protocol.h"

/* The process's exit status. */
int agent_read(struct agent_options *o, const struct agent_files *files);

#endif /* CMD_AGENT_READER_H */
