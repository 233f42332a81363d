// SPDX-License-Identifier: GPL-2.0-only
/* The command line of `vmmprof agent`, and its file. */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/agent/conf.h"
#include "cmd/agent/options.h"
#include "cmd/cmd.h"
#include "cmd/record/messages.h"

#define DEFAULT_HZ	     19 /* of no period that anything else has */
#define DEFAULT_WINDOW	     60
#define DEFAULT_SPOOL_MIB    256
#define DEFAULT_SPOOL_AGE    3300 /* stores take nothing that is an hour old */
#define DEFAULT_RECORDS_MIB  1024
#define DEFAULT_RECORDS_TIME 600
#define DEFAULT_FREEZE_FOR   10
#define DEFAULT_FREEZE_KEEP  5
#define SECONDS(n)	     ((n)*1000000000ull)

#define AT(member)	     offsetof(struct agent_options, member)

/* A part of a VM's time, in percent. */
static bool take_steal(void *to, const char *verb, char *arg)
{
	__u32 *percent = to;
	unsigned long n;
	char *end;

	n = strtoul(arg, &end, 10);
	end += *end == '%';
	*percent = n;
	return (!*end && n >= 1 && n <= 99 && *arg >= '0' && *arg <= '9') ||
	       option_wrong(
		       verb,
		       "--freeze-steal wants a percentage from 1 to 99, e.g. 20%%, not '%s'",
		       arg);
}

static const struct option_spec own[] = {
	{ 0, "conf", "FILE",
	  "options, a line NAME = VALUE each (default: " AGENT_CONF
	  ", if that is there)",
	  OPTION_TEXT, .at = AT(conf_name), .value = VALUE_FILE },
	{ 0, "metrics-dir", "DIR",
	  "where vmmprof.prom is written, for node_exporter's textfile collector (default: nowhere)",
	  OPTION_TEXT, .at = AT(metrics_dir), .value = VALUE_FILE },
	{ 0, "metrics-listen", "ADDRESS",
	  "where the same is answered at /metrics: 127.0.0.1:PORT, [::1]:PORT or the path of a Unix socket (default: nowhere)",
	  OPTION_TEXT, .at = AT(metrics_listen) },
	{ 0, "spool-dir", "DIR",
	  "where the profiles of each window are kept (default: none are made)",
	  OPTION_TEXT, .at = AT(spool_dir), .value = VALUE_FILE },
	{ 0, "spool-group", "GROUP",
	  "whose members may take profiles from there: push (default: root)",
	  OPTION_TEXT, .at = AT(spool_group) },
	{ 0, "spool-size", "MIB",
	  "of all profiles; beyond that the oldest are dropped (default: 256)",
	  OPTION_NUMBER, .at = AT(spool_size), .min = 1, .max = 1 << 20 },
	{ 0, "spool-age", "SECONDS",
	  "older profiles are dropped (default: 3300)", OPTION_SECONDS,
	  .at = AT(spool_age_ns), .min = 1, .max = 366 * 86400 },
	{ 0, "records-dir", "DIR",
	  "where the newest records are kept, for freeze (default: nowhere)",
	  OPTION_TEXT, .at = AT(records_dir), .value = VALUE_FILE },
	{ 0, "records-size", "MIB",
	  "of all of them; beyond that the oldest go (default: 1024)",
	  OPTION_NUMBER, .at = AT(records_size), .min = 1, .max = 1 << 20 },
	{ 0, "records-time", "SECONDS", "older ones go (default: 600)",
	  OPTION_SECONDS, .at = AT(records_ns), .min = 1, .max = 86400 },
	{ 0, "freeze-steal", "PERCENT",
	  "freeze by itself when a VM has lost more of its vCPUs' time than that (default: never)",
	  OPTION_OTHER, .at = AT(freeze.percent), .take = take_steal },
	{ 0, "freeze-for", "SECONDS", "... for so long on end (default: 10)",
	  OPTION_SECONDS, .at = AT(freeze.for_ns), .min = 1, .max = 3600 },
	{ 0, "freeze-dir", "DIR", "where these sessions are", OPTION_TEXT,
	  .at = AT(freeze_dir), .value = VALUE_FILE },
	{ 0, "freeze-keep", "N",
	  "so many of them; beyond that the oldest are removed (default: 5)",
	  OPTION_NUMBER, .at = AT(freeze_keep), .min = 1, .max = 1000 },
	{ 'o', "output", "DIR",
	  "the session that freeze makes (default: vmmprof.data)", OPTION_TEXT,
	  .at = AT(output), .value = VALUE_SESSION },
	{ 0, "window", "SECONDS", "the length of a window (default: 60)",
	  OPTION_SECONDS, .at = AT(window_ns), .min = 1, .max = 3600 },
	{ 'n', "iterations", "N", "end after N windows", OPTION_NUMBER,
	  .at = AT(windows), .min = 1 },
	{ 0 },
};

static const struct option_group groups[] = {
	{ own, 0 },
	{ load_bundle_options, AT(top.load) },
	{ names_options, 0 },
	{ record_guests, AT(top.record) },
	{ record_sampling, AT(top.record) },
	{ record_ceiling, AT(top.record) },
	{ 0 },
};

static const struct option_rule rules[] = {
	{ "count freq", ONE_OF, NULL, "one says how often" },
	{ "identity", NOT_WITH, "no-guest-memory",
	  "nothing is read of guests" },
	{ "guest-timeout guest-program no-buildid-cache ssh", NOT_WITH,
	  "transport=none", "no guest is asked" },
	{ "spool-size spool-age spool-group debug-dir", ONLY_WITH, "spool-dir",
	  "no profiles are made" },
	{ "records-size records-time", ONLY_WITH, "records-dir",
	  "no records are kept" },
	{ "freeze-steal", ONLY_WITH, "records-dir", "no records are kept" },
	{ "freeze-steal", ONLY_WITH, "freeze-dir", "its sessions are nowhere" },
	{ "freeze-for freeze-dir freeze-keep", ONLY_WITH, "freeze-steal",
	  "it makes no sessions by itself" },
	{ "freeze-steal", NOT_WITH, "no-switches",
	  "no VM's steal is known each second" },
	{ 0 },
};

const struct options agent_options = {
	.verb = "agent",
	.forms =
		(const char *const[]){
			"[OPTIONS]",
			"freeze [--conf=FILE] [--records-dir=DIR] [-o DIR]",
			NULL },
	.about = "Samples all the time, with little cost, and writes sums of each window for a\n"
		 "store of metrics, and a profile of each window for a store of profiles. freeze: makes\n"
		 "a session of the newest records, for all other verbs.",
	.groups = groups,
	.rules = rules,
	.operand = { "freeze", 1, .single = true, .at = AT(what) },
};

static void defaults(struct agent_options *o)
{
	memset(o, 0, sizeof(*o));
	o->top.code.asks = ASKS_DEFAULT;
	record_defaults(&o->top.record);
	o->top.record.quiet = true;
	o->top.load.verb = "agent";
	o->top.batch = true;
	o->window_ns = SECONDS(DEFAULT_WINDOW);
	o->spool_size = DEFAULT_SPOOL_MIB;
	o->spool_age_ns = SECONDS(DEFAULT_SPOOL_AGE);
	o->records_size = DEFAULT_RECORDS_MIB;
	o->records_ns = SECONDS(DEFAULT_RECORDS_TIME);
	o->freeze.for_ns = SECONDS(DEFAULT_FREEZE_FOR);
	o->freeze_keep = DEFAULT_FREEZE_KEEP;
	o->what = "";
}

int agent_parse_options(int argc, char **argv, struct agent_options *o)
{
	struct conf *conf = &o->conf;
	struct error e = { 0 };
	int ret;

	defaults(o);
	if (conf_arguments(conf, &agent_options, AGENT_CONF, "", argc, argv,
			   &e)) {
		record_say_error(&e);
		return EXIT_USAGE;
	}
	ret = options_parse(&agent_options, o, conf->nr, conf->args);
	if (ret == EXIT_USAGE)
		conf_say(conf, "agent");
	if (!o->top.record.rate.freq && !o->top.record.rate.period)
		o->top.record.rate.freq = DEFAULT_HZ;
	if (ret == OPTIONS_GO_ON && *o->what && strcmp(o->what, "freeze"))
		return options_wrong(&agent_options, "unexpected argument '%s'",
				     o->what);
	if (ret == OPTIONS_GO_ON && o->output && !*o->what)
		return options_wrong(
			&agent_options,
			"--output has no effect without freeze: no session is made; leave it out");
	return ret == OPTIONS_GO_ON ?
		       record_check(&agent_options, &o->top.record) :
		       ret;
}
