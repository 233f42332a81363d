/* SPDX-License-Identifier: GPL-2.0-only */
/* The command line of `vmmprof push`, and its file of the same options. */
#ifndef CMD_PUSH_OPTIONS_H
#define CMD_PUSH_OPTIONS_H

#include <stdbool.h>

#include "cmd/agent/conf.h"
#include "cmd/push/api.h"
#include "cmd/push/store.h"

#define PUSH_CONF "/etc/vmmprof/push.conf"

struct push_options {
	const char *conf_name;
	struct conf conf; /* the texts of all others may be its */
	unsigned int api; /* of push_apis[] */
	struct store_how store;
	const char *token_file, *service, *spool_dir, *session;
	__u64 timeout_ns, max_age_ns, retry_max_ns;
	bool once;
};

/* As agent_parse_options(): conf_deinit() of o->conf is due in either case. */
int push_parse_options(int argc, char **argv, struct push_options *o);

#endif /* CMD_PUSH_OPTIONS_H */
