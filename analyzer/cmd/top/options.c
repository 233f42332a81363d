// SPDX-License-Identifier: GPL-2.0-only
/* The command line of `vmmprof top`. */

#include <string.h>

#include "cmd/cmd.h"
#include "cmd/top/options.h"

#define DEFAULT_LIMIT 10

#define AT(member)    offsetof(struct top_options, member)

static const struct option_spec own[] = {
	{ 'd', "delay", "SECONDS", "how often (default: 1)", OPTION_SECONDS,
	  .at = AT(interval_ns), .min = 0.1, .max = 3600 },
	{ 'b', "batch", NULL, "lines for scripts instead of panels",
	  OPTION_FLAG, .at = AT(batch) },
	{ 0, "json", NULL, "a line of JSON for each interval instead",
	  OPTION_FLAG, .at = AT(json) },
	{ 'n', "iterations", "N", "end after N times", OPTION_NUMBER,
	  .at = AT(times), .min = 1 },
	{ 0, "inline", NULL, INLINE_OPTION_HELP, OPTION_FLAG,
	  .at = AT(inlines) },
	{ 0, "limit", "N", "functions of each machine (default: 10)",
	  OPTION_NUMBER, .at = AT(limit) },
	{ 0 },
};

static const struct option_group groups[] = {
	{ own, 0 },
	{ load_bundle_options, AT(load) },
	{ names_options, 0 },
	{ record_chains, AT(record) },
	{ record_guests, AT(record) },
	{ code_options, AT(code) },
	{ record_sampling, AT(record) },
	{ 0 },
};

static const struct option_rule rules[] = {
	RECORD_RULES,
	{ "json", ONLY_WITH, "batch", "panels are for people" },
	{ "limit", ONLY_WITH, "batch", "panels show what fits" },
	{ "inline", ONLY_WITH, "callchains call-graph",
	  "it is about call chains" },
	{ "code-from debuginfod", NOT_WITH, "batch",
	  "it is for instructions, which the panels show" },
	{ 0 },
};

const struct options top_options = {
	.verb = "top",
	.about = "Shows what the host and its guests do now: VMs and vCPUs with the shares of\n"
		 "their time, and the hottest functions of what is chosen.",
	.groups = groups,
	.rules = rules,
};

int top_parse_options(int argc, char **argv, struct top_options *o)
{
	int ret;

	memset(o, 0, sizeof(*o));
	o->code.asks = ASKS_DEFAULT;
	record_defaults(&o->record);
	o->record.quiet = true;
	o->load.verb = "top";
	o->interval_ns = 1000000000;
	o->limit = DEFAULT_LIMIT;
	ret = options_parse(&top_options, o, argc, argv);
	return ret == OPTIONS_GO_ON ? record_check(&top_options, &o->record) :
				      ret;
}
