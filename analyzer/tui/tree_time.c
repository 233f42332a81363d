// SPDX-License-Identifier: GPL-2.0-only
/* Time of VMs and vCPUs without guest code, as rows with who took it. */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/saturate.h"
#include "base/sort.h"
#include "tui/panels_internal.h"

bool panels_timed(const struct panels *p)
{
	return timeline_exact(p->tl) && (!p->live || p->trees.waits);
}

void panels_time(struct panels *p, struct selection *sel,
		 const struct panel_row *row)
{
	bool vcpu = row->kind == ROW_VCPU;

	memset(&p->time, 0, sizeof(p->time));
	if (!panels_timed(p) || !p->tl->period || p->event != p->tl->event ||
	    p->level > LEVEL_VCPUS ||
	    (vcpu ? row->vcpu == VMMPROF_NONE : row->kind != ROW_GUEST))
		return;
	sel->timed = true;
	time_rows_init(&p->time, p->tl, row->machine - 1, row->vcpu, false);
}

/* Who took the time of a row, and how much. */
struct taken {
	__u32 thief;
	__u64 ticks;
};

static int cmp_taken(const void *pa, const void *pb)
{
	const struct taken *a = pa, *b = pb;

	if (a->ticks != b->ticks)
		return a->ticks < b->ticks ? 1 : -1;
	return a->thief < b->thief ? -1 : a->thief > b->thief;
}

/* Is it time of the chosen row above, in that row of time? */
static bool is_of(const struct panels *p, const struct panel_row *row,
		  const char *module, const struct stolen_time *s)
{
	const struct track *t = p->tl->tracks[s->track];
	char is[24];

	if (t->guest != row->machine - 1 ||
	    (row->vcpu != VMMPROF_NONE && t->vcpu_id != row->vcpu))
		return false;
	time_thief(p->tl, s, is, sizeof(is));
	return !strcmp(is, module);
}

static void add_lines(struct panels *p, const struct pane_line *of,
		      const struct taken *took, size_t nr)
{
	struct pane_line *l;
	size_t i;

	for (i = 0; i < nr; i++) {
		l = trees_add_line(p, LINE_THIEF, of->row);
		if (!l)
			return;
		l->thief = took[i].thief;
		l->ticks = took[i].ticks;
		l->depth = 1;
		l->level = 1;
		l->last = i + 1 == nr;
		l->id = hash_mix(of->id ^ (took[i].thief + 1));
	}
}

static void add_thieves(struct panels *p, const struct pane_line *of)
{
	const struct thieves *cs = &p->tl->thieves;
	const char *module = p->time.row[of->row].module;
	struct taken *took = calloc(cs->nr + 1, sizeof(*took));
	size_t i, nr = 0;

	if (!took) {
		p->err = -ENOMEM;
		return;
	}
	for (i = 0; i < cs->nr; i++)
		took[i].thief = i;
	for (i = 0; i < cs->nr_stolen; i++)
		if (is_of(p, panels_chosen(p), module, &cs->stolen[i]))
			sat_sum(&took[cs->stolen[i].thief].ticks,
				stolen_ticks(&cs->stolen[i]));
	sort_array(took, cs->nr, sizeof(*took), cmp_taken);
	while (nr < cs->nr && took[nr].ticks)
		nr++;
	add_lines(p, of, took, nr);
	free(took);
}

static bool passes(const struct panels *p, const struct time_row *r)
{
	const char *filter = p->pane[1].filter;

	return !*filter || strcasestr(r->function, filter) ||
	       strcasestr(r->module, filter);
}

void trees_add_time(struct panels *p, __u32 row)
{
	const struct time_row *r = &p->time.row[row];
	bool chains = p->trees.waits && time_row_exact(r) &&
		      r->part != PART_UNKNOWN;
	struct pane_line *l, of;

	if (!passes(p, r))
		return;
	l = trees_add_line(p, LINE_TIME, row);
	if (!l)
		return;
	l->id = hash_bytes(r->function, strlen(r->function)) ^
		hash_mix(hash_bytes(r->module, strlen(r->module)) ^
			 p->trees.callee);
	l->samples = r->samples;
	l->ticks = r->ticks;
	l->folds = r->ticks && (chains || r->part == PART_STEAL);
	l->open = l->folds && trees_is_open(&p->trees, l->id, false);
	if (!l->open)
		return;
	of = *l;
	if (chains)
		trees_add(p, of);
	else
		add_thieves(p, &of);
}
