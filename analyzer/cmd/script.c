// SPDX-License-Identifier: GPL-2.0-only
/* vmmprof script: the records of a session, one line each. */

#include <stdio.h>
#include <string.h>

#include "base/io.h"
#include "cmd/choose.h"
#include "cmd/cmd.h"
#include "cmd/load.h"
#include "cmd/pager.h"
#include "cmd/time_option.h"
#include "model/chain_pass.h"
#include "view/record_text.h"
#include "model/pass.h"

struct script_cmd {
	struct page_options page;
	struct session_load load;
	struct time_option time;
	struct record_view view;
	struct option_words fields;
	struct chosen_cpus cpus;
	bool chains;
};

static const struct option_spec own[] = {
	{ 'F', "fields", "KEY[,KEY...]",
	  "these fields only, '-' where a record has none: %s; perf's time, dso and symbol are taken, too",
	  OPTION_WORDS, .at = offsetof(struct script_cmd, fields),
	  .word = record_field_name, .repeats = true,
	  .aliases = "time=t dso=mod symbol=sym" },
	{ 'g', "callchains", NULL,
	  "below each sample the frames of its call chain, as perf script has them",
	  OPTION_FLAG, .at = offsetof(struct script_cmd, chains) },
	{ 0, "json", NULL, "an object of JSON each line", OPTION_FLAG,
	  .at = offsetof(struct script_cmd, view.json) },
	{ 0, "check", NULL,
	  "only samples whose 'in guest or not' contradicts its raw ingredients; exit status 1 if there are any",
	  OPTION_FLAG, .at = offsetof(struct script_cmd, view.check) },
	{ 0 },
};

static const struct option_group groups[] = {
	{ load_options, offsetof(struct script_cmd, load) },
	{ time_options, offsetof(struct script_cmd, time) },
	{ own, 0 },
	{ choose_cpu_options, offsetof(struct script_cmd, cpus) },
	{ load_bundle_options, offsetof(struct script_cmd, load) },
	{ names_options, 0 },
	{ names_server_options, 0 },
	{ page_options, offsetof(struct script_cmd, page) },
	{ 0 },
};

static const struct option_rule rules[] = {
	LOAD_RULE,
	{ "callchains", NOT_WITH, "check", "that is about samples alone" },
	{ "callchains", NOT_WITH, "json", "its objects have no frames" },
	{ "color", NOT_WITH, "json", "only text has colours" },
	{ 0 },
};

const struct options script_options = {
	.verb = "script",
	.forms = LOAD_FORMS,
	.about = "Print the records in the order of time, one line of KEY=VALUE words each.",
	.groups = groups,
	.rules = rules,
	.operand = LOAD_OPERAND(struct script_cmd),
};

static int run_chains(struct script_cmd *c, struct analysis *a)
{
	struct chain_pass chains;
	struct names names;
	int err;

	err = chain_pass_init(&chains, a, record_put, &c->view);
	chains.each = record_put_chained;
	chains.each_arg = &c->view;
	chains.no_tree = true;
	c->view.names = &names;
	err = names_init(&names, a) ?: err;
	if (!err)
		err = chain_pass_run(&chains, 0);
	names_deinit(&names);
	chain_pass_deinit(&chains);
	return err;
}

static int run(struct script_cmd *c, struct analysis *a)
{
	const struct problems *p = &a->session.problems;
	size_t warned = p->nr;
	int ret, written;

	c->view.out = stdout;
	c->view.fields = c->fields.at;
	c->view.nr_fields = c->fields.nr;
	c->view.cpus = chosen_cpus(&c->cpus);
	c->view.tsc_khz = session_tsc_khz(&a->session);
	ret = c->chains ? run_chains(c, a) :
			  analysis_run(a, 0, record_put, &c->view);
	written = io_flush(stdout);
	if (written) {
		fprintf(stderr, "vmmprof script: cannot write: %s\n",
			strerror(-written));
		return EXIT_ERROR;
	}
	print_warnings(p, warned);
	if (ret)
		return load_failed("script", ret);
	return c->view.check && c->view.contradictions ? EXIT_ERROR : EXIT_OK;
}

int cmd_script(int argc, char **argv)
{
	struct script_cmd c = { .load.verb = "script",
				.load.dir = DEFAULT_SESSION };
	struct analysis a;
	int ret;

	ret = options_parse(&script_options, &c, argc, argv);
	if (ret >= 0)
		return ret;
	page_colors(&c.page);
	ret = session_load(&c.load, &a);
	if (!ret && !time_option_apply(&c.time, "script", &a))
		ret = EXIT_ERROR;
	if (!ret &&
	    !choose_session_cpus("script", &a.session, chosen_cpus(&c.cpus)))
		ret = EXIT_ERROR;
	if (!ret)
		ret = run(&c, &a);
	analysis_close(&a);
	return ret;
}
