// SPDX-License-Identifier: GPL-2.0-only
/* The pass over a session whose counts are kept apart by time, and panels. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/choose.h"
#include "cmd/cmd.h"
#include "cmd/load.h"
#include "cmd/report_tui.h"
#include "cmd/slice_pass.h"
#include "cmd/terminal.h"
#include "view/chain_text.h"
#include "view/safe.h"

/* What the panels show. */
struct shown {
	struct timeline tl;
	struct slices slices;
	bool chained;
	struct chain_pass chains;
	struct chain_slices chain_slices;
	struct wait_slices waits;
	const struct report_tui_chains *how;
};

/* Memory: a count for each sample at most, as many as .slices may have. */
static int begin_chains(struct shown *s, struct analysis *a)
{
	int ret = chain_pass_look(a, &s->chained);

	if (ret || !s->chained)
		return ret;
	ret = chain_pass_init(&s->chains, a, NULL, NULL);
	s->chains.tree.calls = true;
	chain_slices_init(&s->chain_slices, &s->slices, SIZE_MAX);
	s->chains.slices = &s->chain_slices;
	if (!ret && timeline_exact(&s->tl)) {
		chain_pass_time(&s->chains, &s->tl);
		wait_slices_init(&s->waits, &s->chains.waits, &s->slices);
	}
	if (s->how->inlines)
		chain_pass_inlines(&s->chains);
	return ret;
}

static int pass(struct shown *s, struct analysis *a)
{
	__u64 end;
	int ret = timeline_init(&s->tl, a, GAPS_WITHOUT_SWITCHES);

	if (!ret)
		ret = slice_pass_begin(a, &s->tl, &s->slices, &end);
	if (!ret && (s->how->order != CHAIN_NONE || s->how->children))
		ret = begin_chains(s, a);
	return ret ? ret :
		     slice_pass_run(&s->slices, KEEP_ADDR, 0, end,
				    s->chained ? &s->chains : NULL);
}

static void add_chains(struct panels *p, struct shown *s)
{
	const struct trees how = {
		.tree = &s->chains.tree,
		.slices = &s->chain_slices,
		.waits = chain_pass_timed(&s->chains) ? &s->waits : NULL,
		.callee = s->how->order == CHAIN_CALLEE,
		.children = s->how->children,
		.percent = s->how->percent,
	};

	if (s->chained)
		panels_chains(p, &how);
}

static bool choose_event(struct panels *p, const char *event)
{
	if (!choose_session_event("report", p->tl->a, event, &p->event))
		return false;
	panels_refresh(p);
	return true;
}

static int show(struct analysis *a, struct shown *s, const char *dir,
		const char *event, struct code_from *code)
{
	char host[256], path[512], title[1024];
	struct names names;
	struct panels p;
	int ret;

	memset(&p, 0, sizeof(p));
	ret = names_init(&names, a);
	if (!ret)
		ret = panels_init(&p, &s->tl, &s->slices, &names);
	names.tl = &s->tl;
	if (text_get(&a->session.text, "hostname", title, 256) < 0)
		*title = '\0';
	safe_text(host, sizeof(host), title);
	safe_text(path, sizeof(path), dir);
	snprintf(title, sizeof(title), "vmmprof  %s  %s", path, host);
	p.title = title;
	p.files = code_from_files(code);
	if (!timeline_exact(&s->tl))
		p.notice = "no switch records: steal and halt are not known";
	if (!ret) {
		add_chains(&p, s);
		ret = p.err;
	}
	if (ret)
		ret = load_failed("report", ret);
	else if (event && !choose_event(&p, event))
		ret = EXIT_ERROR;
	else
		ret = terminal_run("report", &p);
	panels_deinit(&p);
	names_deinit(&names);
	return ret;
}

int report_no_chains(void)
{
	fputs("vmmprof report: the session has no call chains: `vmmprof record -g` records\n"
	      "them; without -g, --children and the key parent the report has all the rest\n",
	      stderr);
	return EXIT_ERROR;
}

int report_tui(struct analysis *a, const char *dir, const char *event,
	       const struct report_tui_chains *how, struct code_from *code)
{
	size_t warned = a->session.problems.nr;
	struct shown s = { .how = how };
	int ret;

	ret = pass(&s, a);
	print_warnings(&a->session.problems, warned);
	if (ret)
		ret = load_failed("report", ret);
	else if (how->wanted && !s.chained)
		ret = report_no_chains();
	else
		ret = show(a, &s, dir, event, code);
	chain_pass_deinit(&s.chains);
	chain_slices_deinit(&s.chain_slices);
	wait_slices_deinit(&s.waits);
	slices_deinit(&s.slices);
	timeline_deinit(&s.tl);
	return ret;
}
