/* SPDX-License-Identifier: GPL-2.0-only */
/* The command line of `vmmprof record`. */
#ifndef CMD_RECORD_OPTIONS_H
#define CMD_RECORD_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "cmd/load.h"
#include "cmd/options.h"
#include "os/cpu_list.h"
#include "host/events.h"
#include "transport/collect.h"

#define RECORD_MAX_RULES 256

struct record_options {
	const char *dir;
	bool force;
	bool quiet;
	bool verbose;
	bool no_drain;
	bool no_switches;
	bool exits;	      /* counted */
	bool graph;	      /* -g: call chains */
	uint32_t call_graph;  /* VMMPROF_CHAIN_F_*, 0: not given */
	uint32_t chain_stack; /* bytes, 0: none */
	__u32 max_stack;
	bool no_cache;	      /* of guests' symbols */
	bool no_code;	      /* of guests' hot functions */
	bool identity_bundle; /* of guests' processes: from bundles only */
	bool no_guest_memory; /* nothing of it is read */
	bool force_pmu;
	bool all_cpus;	/* -a */
	bool have_cpus; /* -C */
	struct cpus cpus;
	bool have_events; /* -e */
	struct event_list events;
	struct rate rate;
	uint64_t duration_ns;  /* 0: none */
	uint32_t max_overhead; /* parts per million; 0: no limit */
	uint32_t ring_size;    /* a power of two; 0: as it has to be */
	uint32_t transports;   /* 1 << enum vmmprof_reach of each allowed */
	unsigned int have_transports; /* how often they were given for all */
	unsigned int nr_rules;
	struct collect_rule rules[RECORD_MAX_RULES];
	uint64_t guest_timeout_ns;
	const char *guest_program; /* NULL: where it was installed */
	size_t nr_bundles;
	struct bundle_option bundles[BUNDLE_OPTIONS];
	char **command; /* NULL: none */
};

/*
 * What is sampled, at what cost at most, whose call chains, and how guests are
 * asked: in a struct record_options.
 */
extern const struct option_spec record_sampling[], record_ceiling[],
	record_chains[], record_guests[];

/* Of these. */
#define RECORD_RULES                                                        \
	{ "count freq", ONE_OF, NULL, "one says how often" },               \
		{ "identity call-graph=guest", NOT_WITH, "no-guest-memory", \
		  "nothing is read of guests" },                            \
		{ "guest-timeout guest-program no-buildid-cache ssh",       \
		  NOT_WITH, "transport=none", "no guest is asked" },        \
	{                                                                   \
		"max-stack", ONLY_WITH, "callchains call-graph",            \
			"no chains are taken"                               \
	}

/* --call-graph: @to is a struct record_options. */
bool record_take_call_graph(void *to, const char *verb, char *arg);

/* --identity: @to is the member identity_bundle. */
bool record_take_identity(void *to, const char *verb, char *arg);

/* VMMPROF_CHAIN_F_* that are wanted; 0: no chains. */
uint32_t record_chain_flags(const struct record_options *opts);

void record_defaults(struct record_options *opts);

/* Checks that no rule covers.  OPTIONS_GO_ON, or EXIT_USAGE with a message. */
int record_check(const struct options *o, const struct record_options *opts);

/* As options_parse(). */
int record_parse_options(int argc, char **argv, struct record_options *opts);

#endif /* CMD_RECORD_OPTIONS_H */
