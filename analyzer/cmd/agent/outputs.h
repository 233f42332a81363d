/* SPDX-License-Identifier: GPL-2.0-only */
/* Opens what `vmmprof agent` writes to, as its options say. */
#ifndef CMD_AGENT_OUTPUTS_H
#define CMD_AGENT_OUTPUTS_H

#include "cmd/agent/frozen.h"
#include "cmd/agent/listen.h"
#include "cmd/agent/options.h"
#include "cmd/agent/spool.h"

/* 0, or -errno with a message.  The caller closes each in either case. */
int outputs_spool(struct spool *s, const struct agent_options *o);
int outputs_frozen(struct frozen *f, const struct agent_options *o);
int outputs_listen(struct listen *l, const struct agent_options *o);

#endif /* CMD_AGENT_OUTPUTS_H */
