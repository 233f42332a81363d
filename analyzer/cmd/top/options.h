/* SPDX-License-Identifier: GPL-2.0-only */
/* The command line of `vmmprof top`. */
#ifndef CMD_TOP_OPTIONS_H
#define CMD_TOP_OPTIONS_H

#include "cmd/code_options.h"
#include "cmd/load.h"
#include "cmd/record/options.h"

struct top_options {
	struct record_options record;
	struct session_load load; /* the session's place, guests' bundles */
	struct code_from code;
	int notes; /* the reader's end of what guests gave, -1: none is asked */
	bool batch;
	bool json; /* with batch */
	bool inlines;
	__u64 interval_ns;
	__u32 times; /* intervals, 0: until told to end */
	__u32 limit; /* functions of each machine, with batch */
};

/* As options_parse(). */
int top_parse_options(int argc, char **argv, struct top_options *o);

#endif /* CMD_TOP_OPTIONS_H */
