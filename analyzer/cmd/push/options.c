// SPDX-License-Identifier: GPL-2.0-only
/* The command line of `vmmprof push`, and its file. */

#include <stdio.h>
#include <string.h>

#include "cmd/cmd.h"
#include "cmd/options.h"
#include "cmd/push/options.h"
#include "view/safe.h"

#define SECONDS(n) ((n)*1000000000ull)
#define AT(member) offsetof(struct push_options, member)

static const struct option_spec own[] = {
	{ 0, "conf", "FILE",
	  "options, a line NAME = VALUE each (default: " PUSH_CONF
	  ", if that is there)",
	  OPTION_TEXT, .at = AT(conf_name), .value = VALUE_FILE },
	{ 0, "url", "URL",
	  "the store, http:// or https://, without the path of its API",
	  OPTION_TEXT, .at = AT(store.url), .required = true },
	{ 0, "api", "API", "that it has: %s (default: pyroscope)", OPTION_WORD,
	  .at = AT(api), .words = PUSH_APIS },
	{ 0, "spool-dir", "DIR", "where `vmmprof agent` keeps profiles",
	  OPTION_TEXT, .at = AT(spool_dir), .value = VALUE_FILE },
	{ 0, "once", NULL, "end when all that is there was tried", OPTION_FLAG,
	  .at = AT(once) },
	{ 0, "token-file", "FILE", "with a bearer token", OPTION_TEXT,
	  .at = AT(token_file), .value = VALUE_FILE },
	{ 0, "tenant", "ID", "the header X-Scope-OrgID", OPTION_TEXT,
	  .at = AT(store.tenant) },
	{ 0, "ca-file", "FILE",
	  "certificates of the store (default: the system's)", OPTION_TEXT,
	  .at = AT(store.ca_file), .value = VALUE_FILE },
	{ 0, "service", "NAME", "the label service_name (default: vmmprof)",
	  OPTION_TEXT, .at = AT(service) },
	{ 0, "timeout", "SECONDS", "of a request (default: 30)", OPTION_SECONDS,
	  .at = AT(timeout_ns), .min = 1, .max = 600 },
	{ 0, "max-age", "SECONDS", "older profiles are dropped (default: 3300)",
	  OPTION_SECONDS, .at = AT(max_age_ns), .min = 1, .max = 366 * 86400 },
	{ 0, "retry-max", "SECONDS",
	  "the longest wait between tries (default: 300)", OPTION_SECONDS,
	  .at = AT(retry_max_ns), .min = 1, .max = 3600 },
	{ 0 },
};

static const struct option_group groups[] = { { own, 0 }, { 0 } };

static const struct option_rule rules[] = {
	{ "SESSION", NOT_WITH, "spool-dir", "one says what is sent" },
	{ "max-age once", NOT_WITH, "SESSION", "it is about a spool" },
	{ 0 },
};

const struct options push_options = {
	.verb = "push",
	.forms = (const char *const[]){ "--url=URL --spool-dir=DIR [OPTIONS]",
					"--url=URL [OPTIONS] SESSION", NULL },
	.about =
		"Sends profiles to a store (Grafana Pyroscope, Parca, or what has the API of\n"
		"one): those that `vmmprof agent` keeps, as they come, or those of a session.",
	.groups = groups,
	.rules = rules,
	.operand = { "SESSION", 1, .single = true, .value = VALUE_SESSION,
		     .at = AT(session) },
};

/* May it be in a header? */
static bool is_word(const char *s)
{
	for (; *s > ' ' && *s < 0x7f; s++)
		;
	return !*s;
}

static bool is_utf8(const char *s)
{
	unsigned int code;
	size_t n;

	for (; *s; s += n) {
		n = utf8_decode(s, strlen(s), &code);
		if (!n)
			return false;
	}
	return true;
}

static int check(const struct push_options *o)
{
	if (strncmp(o->store.url, "http://", 7) &&
	    strncmp(o->store.url, "https://", 8))
		return options_wrong(
			&push_options,
			"--url wants http:// or https://, not '%s'",
			o->store.url);
	if (!is_word(o->store.url))
		return options_wrong(
			&push_options,
			"--url has a space or a control character");
	if (o->store.tenant && (!*o->store.tenant || !is_word(o->store.tenant)))
		return options_wrong(
			&push_options,
			"--tenant is empty, or has a space or a control character");
	if (!*o->service || strlen(o->service) > 250 || !is_utf8(o->service))
		return options_wrong(&push_options,
				     "--service wants UTF-8, 1 to 250 bytes");
	if (!o->spool_dir && !o->session)
		return options_wrong(
			&push_options,
			"what to send? Name --spool-dir, or a session");
	return OPTIONS_GO_ON;
}

int push_parse_options(int argc, char **argv, struct push_options *o)
{
	struct error e = { 0 };
	const char *without = "";
	char text[2 * ERROR_TEXT];
	int ret;

	memset(o, 0, sizeof(*o));
	o->service = "vmmprof";
	o->timeout_ns = SECONDS(30);
	o->max_age_ns = SECONDS(3300);
	o->retry_max_ns = SECONDS(300);
	/* a service's file may stay as it is when somebody sends a session */
	if (options_operands(&push_options, argc, argv))
		without = "spool-dir once max-age";
	if (conf_arguments(&o->conf, &push_options, PUSH_CONF, without, argc,
			   argv, &e)) {
		safe_text(text, sizeof(text), e.text);
		fprintf(stderr, "vmmprof push: %s\n", text);
		return EXIT_USAGE;
	}
	ret = options_parse(&push_options, o, o->conf.nr, o->conf.args);
	if (ret == EXIT_USAGE)
		conf_say(&o->conf, "push");
	if (ret != OPTIONS_GO_ON)
		return ret;
	o->store.path = push_apis[o->api].path;
	o->store.type = push_apis[o->api].type;
	o->store.header = push_apis[o->api].header;
	o->store.timeout_s = (o->timeout_ns + SECONDS(1) - 1) / SECONDS(1);
	return check(o);
}
