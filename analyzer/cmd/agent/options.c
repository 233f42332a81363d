// SPDX-License-Identifier: GPL-2.0-only
/* The command line of `vmmprof agent`, and its file. */

#include <errno.h>
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
#define SECONDS(n)	     ((n)*1000000000ull)

#define AT(member)	     offsetof(struct agent_options, member)

static const struct option_spec own[] = {
	{ 0, "conf", "FILE",
	  "options, a line NAME = VALUE each (default: " AGENT_CONF
	  ", if that is there)",
	  OPTION_TEXT, .at = AT(conf_name), .value = VALUE_FILE },
	{ 0, "metrics-dir", "DIR",
	  "where vmmprof.prom is written, for node_exporter's textfile collector (default: nowhere)",
	  OPTION_TEXT, .at = AT(metrics_dir), .value = VALUE_FILE },
	{ 0, "spool-dir", "DIR",
	  "where a profile of each window is kept (default: none is made)",
	  OPTION_TEXT, .at = AT(spool_dir), .value = VALUE_FILE },
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
	{ 0 },
};

static const struct option_rule rules[] = {
	{ "count freq", ONE_OF, NULL, "one says how often" },
	{ "identity", NOT_WITH, "no-guest-memory",
	  "nothing is read of guests" },
	{ "guest-timeout guest-program no-buildid-cache ssh", NOT_WITH,
	  "transport=none", "no guest is asked" },
	{ "spool-size spool-age debug-dir", ONLY_WITH, "spool-dir",
	  "no profiles are made" },
	{ "records-size records-time", ONLY_WITH, "records-dir",
	  "no records are kept" },
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

/* Is it an option of the command line?  Then the file's is not taken. */
static bool given(int argc, char **argv, const char *option)
{
	size_t len = strcspn(option, "=");
	int i;

	for (i = 1; i < argc; i++)
		if (!strncmp(argv[i], option, len) &&
		    (argv[i][len] == '=' || !argv[i][len]))
			return true;
	return false;
}

/* The file that the command line names; *chosen: it does. */
static const char *conf_path(int argc, char **argv, bool *chosen)
{
	static const char name[] = "--conf";
	size_t len = strlen(name);
	int i;

	*chosen = true;
	for (i = 1; i < argc; i++) {
		if (strncmp(argv[i], name, len))
			continue;
		if (argv[i][len] == '=')
			return argv[i] + len + 1;
		if (!argv[i][len] && i + 1 < argc)
			return argv[i + 1];
	}
	*chosen = false;
	return AGENT_CONF;
}

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
	o->what = "";
}

int agent_parse_options(int argc, char **argv, struct agent_options *o)
{
	struct conf *conf = &o->conf;
	struct error e = { 0 };
	const char *path;
	bool chosen;
	int i, to = 1, ret;

	defaults(o);
	path = conf_path(argc, argv, &chosen);
	ret = conf_read(conf, path, argv[0], &e);
	if (ret && (ret != -ENOENT || chosen)) {
		record_say_error(&e);
		return EXIT_USAGE;
	}
	for (i = 1; i < conf->nr; i++)
		if (!given(argc, argv, conf->args[i]))
			conf->args[to++] = conf->args[i];
	if (to + argc > (int)(sizeof(conf->args) / sizeof(conf->args[0])))
		return options_wrong(&agent_options, "too many arguments");
	for (i = 1; i < argc; i++)
		conf->args[to++] = argv[i];
	conf->args[to] = NULL;
	ret = options_parse(&agent_options, o, to, conf->args);
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
