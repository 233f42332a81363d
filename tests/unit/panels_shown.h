/* SPDX-License-Identifier: GPL-2.0-only */
/* A session in panels, for tests. */
#ifndef VMMPROF_TEST_PANELS_SHOWN
#define VMMPROF_TEST_PANELS_SHOWN

#include <locale.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/io.h"
#include "test.h"
#include "cmd/analysis_open.h"
#include "model/chain_pass.h"
#include "tui/panels.h"
#include "model/pass.h"

struct shown {
	struct analysis a;
	struct timeline tl;
	struct slices slices;
	struct names names;
	struct chain_pass chains;
	struct chain_slices chain_slices;
	struct wait_slices waits;
	struct panels p;
	struct grid g;
	char dir[64];
};

/* The session of a file in tests/data, read. */
static inline int open_session(struct shown *s, const char *data)
{
	char cmd[256];

	memset(s, 0, sizeof(*s));
	setlocale(LC_CTYPE, "C.UTF-8");
	strcpy(s->dir, "/tmp/vmmprof-panels-XXXXXX");
	if (!mkdtemp(s->dir))
		return -errno;
	snprintf(cmd, sizeof(cmd),
		 "tests/gen/mksession.py tests/data/%s %s/s && cd %s", data,
		 s->dir, s->dir);
	if (system(cmd))
		return -EIO;
	strcat(s->dir, "/s");
	return analysis_open(&s->a, s->dir, NULL, 0) ?:
		       timeline_init(&s->tl, &s->a, GAPS_WITHOUT_SWITCHES);
}

static inline int pass(struct shown *s)
{
	unsigned int keep = KEEP_ADDR | KEEP_LAST;
	int ret;

	slices_init(&s->slices, &s->tl, s->tl.begin, s->tl.end);
	ret = analysis_run(&s->a, keep, slices_record, &s->slices);
	return ret			       ?:
		       timeline_finish(&s->tl) ?:
		       slices_finish(&s->slices, s->tl.end);
}

static inline void close_session(struct shown *s)
{
	char cmd[128];

	grid_deinit(&s->g);
	panels_deinit(&s->p);
	names_deinit(&s->names);
	chain_pass_deinit(&s->chains);
	chain_slices_deinit(&s->chain_slices);
	wait_slices_deinit(&s->waits);
	slices_deinit(&s->slices);
	timeline_deinit(&s->tl);
	analysis_close(&s->a);
	snprintf(cmd, sizeof(cmd), "rm -r %.*s", (int)strlen(s->dir) - 2,
		 s->dir);
	if (system(cmd))
		abort();
}

static inline int show(struct shown *s, const char *data, __u32 w, __u32 h)
{
	return open_session(s, data)					 ?:
		       pass(s)						 ?:
		       names_init(&s->names, &s->a)			 ?:
		       panels_init(&s->p, &s->tl, &s->slices, &s->names) ?:
		       (s->p.title = "test", grid_init(&s->g, w, h, true));
}

/* The same with its call chains. */
static inline int show_chains(struct shown *s, const char *data, bool callee,
			      bool children)
{
	struct trees how = { &s->chains.tree, &s->chain_slices,
			     .callee = callee, .children = children,
			     .percent = 0.5 };
	int ret = open_session(s, data);

	if (ret)
		return ret;
	slices_init(&s->slices, &s->tl, s->tl.begin, s->tl.end);
	ret = chain_pass_init(&s->chains, &s->a, slices_record, &s->slices);
	s->chains.tree.calls = true;
	chain_slices_init(&s->chain_slices, &s->slices, SIZE_MAX);
	s->chains.slices = &s->chain_slices;
	if (!ret && timeline_exact(&s->tl)) {
		chain_pass_time(&s->chains, &s->tl);
		wait_slices_init(&s->waits, &s->chains.waits, &s->slices);
	}
	ret = ret					    ?:
		      chain_pass_run(&s->chains, KEEP_ADDR) ?:
		      timeline_finish(&s->tl)		    ?:
		      slices_finish(&s->slices, s->tl.end)  ?:
		      names_init(&s->names, &s->a)	    ?:
		      panels_init(&s->p, &s->tl, &s->slices, &s->names);
	if (chain_pass_timed(&s->chains))
		how.waits = &s->waits;
	s->names.tl = &s->tl;
	panels_chains(&s->p, &how);
	s->p.title = "test";
	return ret ?: s->p.err ?: grid_init(&s->g, 80, 24, true);
}

static inline bool key(struct shown *s, __u32 k)
{
	struct tui_event ev = { .key = k };
	bool go_on = panels_key(&s->p, &ev);

	panels_draw(&s->p, &s->g);
	return go_on;
}

static inline const char *line(struct shown *s, __u32 y)
{
	static char text[2048];

	grid_line(&s->g, y, text, sizeof(text));
	return text;
}

static inline bool has(struct shown *s, const char *text)
{
	__u32 y;

	for (y = 0; y < s->g.h; y++)
		if (strstr(line(s, y), text))
			return true;
	return false;
}

/* Samples of all lines of the instructions that are shown. */
static inline __u64 code_samples(const struct panels *p)
{
	__u64 sum = 0, n;
	size_t i;

	for (i = 0; i < p->code.nr; i++)
		if (p->code.lines[i].sampled &&
		    sscanf(p->code.lines[i].text, "%llu", &n) == 1)
			sum += n;
	return sum;
}

#endif /* VMMPROF_TEST_PANELS_SHOWN */
