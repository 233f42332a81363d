// SPDX-License-Identifier: GPL-2.0-only
/* Into what is chosen, and out again: levels, functions, frames of chains. */

#include <string.h>

#include "tui/panels.h"
#include "tui/panels_internal.h"

static void go_to(struct panels *p, enum panel_level level)
{
	p->level = level;
	p->nr_rows = 0;
	p->focus = FOCUS_UPPER;
	memset(p->pane[0].filter, 0, sizeof(p->pane[0].filter));
	memset(p->pane[1].filter, 0, sizeof(p->pane[1].filter));
	p->pane[0].cur = 0;
	p->pane[0].top = 0;
	p->pane[1].cur = 0;
	p->pane[1].top = 0;
}

void panels_enter_level(struct panels *p, enum panel_level to)
{
	const struct panel_row *row = panels_chosen(p);
	bool own = row->kind == ROW_VCPU || row->kind == ROW_THIEF;

	p->path[to] = (struct panel_path){
		.machine = row->machine,
		.track = own ? row->track : p->path[p->level].track,
		.vcpu = row->vcpu,
		.proc = row->kind == ROW_THIEF && to == LEVEL_FUNCTIONS ?
				panels_thief_process(p, row) :
				row->proc,
		.cur = p->pane[0].cur,
		.level = p->level,
	};
	if (*p->pane[0].filter)
		p->path[to].cur = 0;
	go_to(p, to);
	panels_make_rows(p);
}

/* Guest -> vCPU -> process -> function. */
static void descend(struct panels *p)
{
	const struct panel_row *row = panels_chosen(p);
	enum panel_level to;

	if (!row || !panels_can_enter(p, row))
		return;
	to = p->level + 1;
	if (row->kind == ROW_HOST || row->kind == ROW_VCPU)
		to = LEVEL_PROCESSES;
	if (row->kind == ROW_PROCESS || p->level == LEVEL_PROCESSES)
		to = LEVEL_FUNCTIONS;
	if (row->kind == ROW_THIEF)
		to = row->track != VMMPROF_NONE ? LEVEL_PROCESSES :
						  LEVEL_FUNCTIONS;
	panels_enter_level(p, to);
}

/* The chosen function, in sel.of; false: the chosen row is not a function. */
static bool find_function(const struct panels *p, struct selection *sel)
{
	const struct panel_row *row = panels_chosen(p);
	const struct pane *pane = &p->pane[1];

	if (!row)
		return false;
	*sel = panels_selection(p, row);
	if (row->kind == ROW_FUNCTION)
		return true;
	if (p->focus != FOCUS_LOWER || pane->sort ||
	    p->level == LEVEL_FUNCTIONS || pane->cur >= pane->nr ||
	    p->lines[pane->cur].kind != LINE_ROW)
		return false;
	sel->of = &p->table.rows.buckets[p->lines[pane->cur].row].key;
	/* two processes of one program have different rows */
	if (sel->of->proc != VMMPROF_NONE)
		sel->proc = 1 + sel->of->proc;
	return !is_guest_row(sel->of, sel);
}

/*
 * The chosen line is of chains of time alone, which have no samples: the
 * function's own are shown.  False: it is no function.
 */
static bool enter_waiting(struct panels *p)
{
	const struct pane_line *l = &p->lines[p->pane[1].cur];
	struct selection sel = panels_selection(p, panels_chosen(p));
	const struct chain_frame *f;
	struct bucket_key key;

	if (l->frame == VMMPROF_NONE)
		return false;
	f = &p->trees.tree->frames[l->frame];
	if (f->kind != FRAME_CODE)
		return false;
	key = (struct bucket_key){ .guest = f->machine,
				   .proc = VMMPROF_NONE,
				   .func = f->func,
				   .module = f->module,
				   .mode = f->mode,
				   .cause = f->cause };
	sel.of = &key;
	sel.machine = f->machine;
	if (!f->machine)
		sel.vcpu = VMMPROF_ANY;
	p->err = code_open(p, &sel);
	return true;
}

/* The chosen line is of a chain: its function, or what is below it. */
static void enter_frame(struct panels *p)
{
	struct bucket *at;
	int nr;

	nr = trees_frame(p, &at);
	if (nr > 0)
		p->err = code_open_frame(p, at, nr);
	else if (nr)
		p->err = nr;
	else if (!enter_waiting(p))
		trees_toggle(p);
}

static bool in_chain(const struct panels *p)
{
	const struct pane *pane = &p->pane[1];

	return p->focus == FOCUS_LOWER && pane->cur < pane->nr &&
	       (p->lines[pane->cur].depth ||
		p->lines[pane->cur].kind == LINE_TIME);
}

void panels_enter(struct panels *p)
{
	struct selection sel;

	if (in_chain(p))
		enter_frame(p);
	else if (find_function(p, &sel))
		p->err = code_open(p, &sel);
	else
		descend(p);
}

/* Go to the level above.  False: there is none. */
static bool ascend(struct panels *p)
{
	struct panel_path *at = &p->path[p->level];

	if (p->level == LEVEL_VMS)
		return false;
	go_to(p, at->level);
	panels_rows(p);
	p->pane[0].nr = p->nr_rows;
	p->pane[0].cur = at->cur;
	pane_clamp(&p->pane[0]);
	if (!p->err)
		panels_choose(p);
	return true;
}

bool panels_leave(struct panels *p)
{
	if (p->marking) {
		p->marking = false;
		return true;
	}
	if (p->focus != FOCUS_UPPER) {
		p->focus = FOCUS_UPPER;
		return true;
	}
	if (*p->pane[0].filter) {
		memset(p->pane[0].filter, 0, sizeof(p->pane[0].filter));
		panels_make_rows(p);
		return true;
	}
	return ascend(p);
}
