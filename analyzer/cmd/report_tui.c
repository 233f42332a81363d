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
#include "view/safe.h"

static int pass(struct analysis *a, struct timeline *tl, struct slices *slices)
{
	int ret = timeline_init(tl, a, false);

	return ret ? ret : slice_pass(a, tl, slices, KEEP_ADDR, 0);
}

static bool choose_event(struct panels *p, const char *event)
{
	if (!choose_session_event("report", p->tl->a, event, &p->event))
		return false;
	panels_refresh(p);
	return true;
}

static int show(struct analysis *a, struct timeline *tl, struct slices *slices,
		const char *dir, const char *event, struct code_from *code)
{
	char host[256], path[512], title[1024];
	struct names names;
	struct panels p;
	int ret;

	memset(&p, 0, sizeof(p));
	ret = names_init(&names, a);
	if (!ret)
		ret = panels_init(&p, tl, slices, &names);
	if (text_get(&a->session.text, "hostname", title, 256) < 0)
		*title = '\0';
	safe_text(host, sizeof(host), title);
	safe_text(path, sizeof(path), dir);
	snprintf(title, sizeof(title), "vmmprof  %s  %s", path, host);
	p.title = title;
	p.files = code_from_files(code);
	if (!timeline_exact(tl))
		p.notice = "no switch records: steal and halt are not known";
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

int report_tui(struct analysis *a, const char *dir, const char *event,
	       struct code_from *code)
{
	size_t warned = a->session.problems.nr;
	struct slices slices = { 0 };
	struct timeline tl;
	int ret;

	ret = pass(a, &tl, &slices);
	print_warnings(&a->session.problems, warned);
	ret = ret ? load_failed("report", ret) :
		    show(a, &tl, &slices, dir, event, code);
	slices_deinit(&slices);
	timeline_deinit(&tl);
	return ret;
}
