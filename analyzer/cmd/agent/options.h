/* SPDX-License-Identifier: GPL-2.0-only */
/* The command line of `vmmprof agent`, and its file of the same options. */
#ifndef CMD_AGENT_OPTIONS_H
#define CMD_AGENT_OPTIONS_H

#include "cmd/agent/alarm.h"
#include "cmd/agent/conf.h"
#include "cmd/top/options.h"

#define AGENT_CONF "/etc/vmmprof/agent.conf"

struct agent_options {
	struct top_options top; /* what is sampled, and guests' maps */
	const char *conf_name;	/* as given; NULL: AGENT_CONF */
	struct conf conf;	/* the texts of all others may be its */
	__u64 window_ns;
	__u32 windows;		    /* 0: until told to end */
	const char *metrics_dir;    /* NULL: none are written */
	const char *metrics_listen; /* an address; NULL: none */
	const char *spool_dir;	    /* NULL: no profiles are made */
	const char *spool_group;    /* who may take them; NULL: as it is */
	__u32 spool_size;	    /* MiB */
	__u64 spool_age_ns;
	const char *records_dir; /* NULL: no records are kept */
	__u32 records_size;	 /* MiB */
	__u64 records_ns;
	/* sessions that it makes by itself */
	struct alarm_limit freeze; /* .percent 0: none */
	const char *freeze_dir;
	__u32 freeze_keep;
	const char *what;   /* "freeze", or "" */
	const char *output; /* of that */
};

/*
 * Reads the file, and the command line, whose options are taken instead of the
 * file's.  As options_parse(), which may cut strings of argv; what is wrong with the
 * file is an error, too.  conf_deinit() of o->conf is due in either case.
 */
int agent_parse_options(int argc, char **argv, struct agent_options *o);

#endif /* CMD_AGENT_OPTIONS_H */
