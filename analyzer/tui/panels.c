// SPDX-License-Identifier: GPL-2.0-only
/* What is shown: rows of the upper pane, lines of the lower one. */

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/saturate.h"
#include "model/guest_time.h"
#include "tui/panels.h"
#include "tui/panels_internal.h"

int panels_init(struct panels *p, struct timeline *tl, struct slices *slices,
		struct names *names)
{
	unsigned int i;

	memset(p, 0, sizeof(*p));
	p->tl = tl;
	p->slices = slices;
	p->names = names;
	p->last = VMMPROF_SLICES - 1;
	p->event = VMMPROF_ANY;
	for (i = 0; i < VMMPROF_MAX_EVENTS && p->event == VMMPROF_ANY; i++)
		if (tl->a->counts.per_event[i])
			p->event = i;
	p->path[0].track = VMMPROF_NONE;
	p->path[0].vcpu = VMMPROF_NONE;
	p->path[0].proc = VMMPROF_NONE;
	panels_refresh(p);
	return p->err;
}

static void drop_table(struct panels *p)
{
	if (p->has_table)
		table_deinit(&p->table);
	p->has_table = false;
	p->pane[1].nr = 0;
}

void panels_deinit(struct panels *p)
{
	drop_table(p);
	code_close(p);
	if (p->has_steal)
		steal_deinit(&p->steal);
	free(p->rows);
	free(p->lines);
	trees_deinit(&p->trees);
	memset(p, 0, sizeof(*p));
}

const struct panel_row *panels_chosen(const struct panels *p)
{
	return p->pane[0].cur < p->nr_rows ? &p->rows[p->pane[0].cur] : NULL;
}

void panels_cell(struct panels *p, const struct bucket_key *key, size_t i,
		 char *buf, size_t size)
{
	const struct panel_row *row = panels_chosen(p);
	const enum sort *keys;
	struct selection sel;
	size_t nr;

	*buf = '\0';
	if (!row)
		return;
	keys = panels_keys(p, &nr);
	sel = panels_selection(p, row);
	if (!is_guest_row(key, &sel))
		name_sort(p->names, key, keys[i], buf, size);
	else if (!i)
		name_function(p->names, key, buf, size);
	else
		name_module(p->names, key, buf, size);
}

bool panels_passes(struct panels *p, const struct bucket_key *key)
{
	char text[2][512];

	if (!*p->pane[1].filter)
		return true;
	panels_cell(p, key, 0, text[0], sizeof(text[0]));
	panels_cell(p, key, 1, text[1], sizeof(text[1]));
	return strcasestr(text[0], p->pane[1].filter) ||
	       strcasestr(text[1], p->pane[1].filter);
}

void pane_clamp(struct pane *pane)
{
	size_t page = pane->page ? pane->page : 1;

	if (pane->cur >= pane->nr)
		pane->cur = pane->nr ? pane->nr - 1 : 0;
	if (pane->top > pane->cur)
		pane->top = pane->cur;
	if (pane->cur >= pane->top + page)
		pane->top = pane->cur - page + 1;
	if (pane->top + page > pane->nr)
		pane->top = pane->nr > page ? pane->nr - page : 0;
}

void panels_choose(struct panels *p)
{
	const struct panel_row *row = panels_chosen(p);
	const struct pane *pane = &p->pane[1];
	__u64 was = pane->cur < pane->nr ? p->lines[pane->cur].id : 0;
	struct selection sel;
	__u32 machine;

	drop_table(p);
	if (!row)
		return;
	sel = panels_selection(p, row);
	panels_time(p, &sel, row);
	p->err = p->trees.tree && p->trees.children ?
			 chain_table_init(&p->table, p->names, &sel,
					  p->trees.tree, trees_waits(p, &sel),
					  true) :
			 table_init(&p->table, p->names, &sel);
	p->has_table = true;
	p->whole = p->table.timed ? sat_add(p->table.ticks, p->time.sum) :
				    p->table.total;
	if (!p->err)
		trees_lines(p, &sel, was);
	machine = p->level == LEVEL_THIEVES ? p->path[p->level].machine :
					      row->machine;
	slices_steal(p->slices, machine ? machine - 1 : VMMPROF_NONE,
		     row->kind == ROW_VCPU ? row->track :
					     p->path[p->level].track,
		     p->slice_steal, p->slice_all);
}

void panels_make_rows(struct panels *p)
{
	const struct panel_row *row = panels_chosen(p);
	struct panel_row was;
	bool had = row;
	size_t i;

	if (had)
		was = *row;
	panels_rows(p);
	p->pane[0].nr = p->nr_rows;
	for (i = 0; had && i < p->nr_rows; i++) {
		row = &p->rows[i];
		if (row->kind == was.kind && row->machine == was.machine &&
		    row->track == was.track && row->proc == was.proc &&
		    row->all == was.all &&
		    (row->kind != ROW_THIEF || row->thief == was.thief) &&
		    (row->kind != ROW_FUNCTION ||
		     (row->key.func == was.key.func &&
		      row->key.module == was.key.module))) {
			p->pane[0].cur = i;
			break;
		}
	}
	pane_clamp(&p->pane[0]);
	if (!p->err)
		panels_choose(p);
}

void panels_refresh(struct panels *p)
{
	size_t a = p->first < p->last ? p->first : p->last;
	size_t b = p->first < p->last ? p->last : p->first;

	slices_apply(p->slices, a, b);
	if (panels_timed(p))
		p->err = guest_time_spread(p->tl);
	trees_renew(p, a, b);
	if (!p->err && p->trees.children && panels_timed(p))
		p->err = guest_time_leaves(p->trees.tree, &p->tl->a->profile);
	panels_make_rows(p);
}
