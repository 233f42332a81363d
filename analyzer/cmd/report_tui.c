// SPDX-License-Identifier: GPL-2.0-only
/* The pass over a session whose counts are kept apart by time, and panels. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/cmd.h"
#include "cmd/load.h"
#include "cmd/report_tui.h"
#include "cmd/slice_pass.h"
#include "cmd/terminal.h"
#include "view/safe.h"

static int pass(struct vmmprof_analysis *a, struct vmmprof_timeline *tl,
		struct vmmprof_slices *slices)
{
	int ret = vmmprof_timeline_init(tl, a, false);

	return ret ? ret :
		     vmmprof_slice_pass(a, tl, slices, VMMPROF_KEEP_ADDR, 0);
}

static bool choose_event(struct vmmprof_panels *p, const char *event)
{
	const struct vmmprof_analysis *a = p->tl->a;
	char text[256];
	__u32 i;

	for (i = 0; i < VMMPROF_MAX_EVENTS; i++) {
		if ((!a->session.events[i] && !a->books.per_event[i]) ||
		    strcmp(vmmprof_session_event_name(&a->session, i), event))
			continue;
		p->event = i;
		vmmprof_panels_refresh(p);
		return true;
	}
	vmmprof_safe(text, sizeof(text), event);
	fprintf(stderr, "vmmprof report: the session has no event '%s'\n",
		text);
	return false;
}

static int show(struct vmmprof_analysis *a, struct vmmprof_timeline *tl,
		struct vmmprof_slices *slices, const char *dir,
		const char *event, struct vmmprof_code_from *code)
{
	char host[256], path[512], title[1024];
	struct vmmprof_names names;
	struct vmmprof_panels p;
	int ret;

	memset(&p, 0, sizeof(p));
	ret = vmmprof_names_init(&names, a);
	if (!ret)
		ret = vmmprof_panels_init(&p, tl, slices, &names);
	if (vmmprof_text_get(&a->session.text, "hostname", title, 256) < 0)
		*title = '\0';
	vmmprof_safe(host, sizeof(host), title);
	vmmprof_safe(path, sizeof(path), dir);
	snprintf(title, sizeof(title), "vmmprof  %s  %s", path, host);
	p.title = title;
	p.files = vmmprof_code_from_files(code);
	if (!vmmprof_timeline_exact(tl))
		p.notice = "no switch records: steal and halt are not known";
	if (ret)
		ret = vmmprof_load_failed("report", ret);
	else if (event && !choose_event(&p, event))
		ret = VMMPROF_EXIT_ERROR;
	else
		ret = vmmprof_terminal_run("report", &p);
	vmmprof_panels_deinit(&p);
	vmmprof_names_deinit(&names);
	return ret;
}

int vmmprof_report_tui(struct vmmprof_analysis *a, const char *dir,
		       const char *event, struct vmmprof_code_from *code)
{
	size_t warned = a->session.problems.nr;
	struct vmmprof_slices slices = { 0 };
	struct vmmprof_timeline tl;
	int ret;

	ret = pass(a, &tl, &slices);
	vmmprof_print_warnings(&a->session.problems, warned);
	ret = ret ? vmmprof_load_failed("report", ret) :
		    show(a, &tl, &slices, dir, event, code);
	vmmprof_slices_deinit(&slices);
	vmmprof_timeline_deinit(&tl);
	return ret;
}
