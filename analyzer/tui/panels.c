// SPDX-License-Identifier: GPL-2.0-only
/* Handles keys. */

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
					  p->trees.tree, true) :
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

/* Choose the same rows as before, if they still exist. */
static void make_rows(struct panels *p)
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
	if (!p->live && timeline_exact(p->tl))
		p->err = guest_time_spread(p->tl);
	trees_renew(p, a, b);
	make_rows(p);
}

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

/* To the level of what is chosen. */
static void enter_level(struct panels *p, enum panel_level to)
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
	make_rows(p);
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
	enter_level(p, to);
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
 * The chosen line is of the chain of time without guest code, which has no
 * samples: the function's own are shown.  False: it is no function.
 */
static bool enter_waiting(struct panels *p)
{
	const struct pane_line *l = &p->lines[p->pane[1].cur], *row = l;
	struct selection sel = panels_selection(p, panels_chosen(p));
	const struct chain_frame *f;
	struct bucket_key key;

	while (row->depth)
		row--;
	if (row->kind != LINE_TIME || l->frame == VMMPROF_NONE)
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

	if (enter_waiting(p))
		return;
	nr = trees_frame(p, &at);
	if (nr > 0)
		p->err = code_open_frame(p, at, nr);
	else if (nr)
		p->err = nr;
	else
		trees_toggle(p);
}

static bool in_chain(const struct panels *p)
{
	const struct pane *pane = &p->pane[1];

	return p->focus == FOCUS_LOWER && pane->cur < pane->nr &&
	       (p->lines[pane->cur].depth ||
		p->lines[pane->cur].kind == LINE_TIME);
}

static void enter(struct panels *p)
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

static bool leave_something(struct panels *p)
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
		make_rows(p);
		return true;
	}
	return ascend(p);
}

static void select_time(struct panels *p, size_t a, size_t b)
{
	p->first = a < b ? a : b;
	p->last = a < b ? b : a;
	p->marking = false;
	panels_refresh(p);
}

static void mark(struct panels *p)
{
	if (!p->slices->width)
		return;
	if (p->focus != FOCUS_TIME) {
		p->focus = FOCUS_TIME;
		return;
	}
	if (p->marking) {
		select_time(p, p->mark, p->cursor);
		return;
	}
	p->mark = p->cursor;
	p->marking = true;
}

static size_t step_of(const struct pane *pane, __u32 key)
{
	if (key == TUI_KEY_PGUP || key == TUI_KEY_PGDN)
		return pane->page > 1 ? pane->page - 1 : 1;
	if (key == TUI_KEY_HOME || key == TUI_KEY_END)
		return pane->nr;
	return key == TUI_KEY_SCROLL_UP || key == TUI_KEY_SCROLL_DOWN ? 3 : 1;
}

static void move(struct panels *p, __u32 key)
{
	struct pane *pane = &p->pane[p->focus == FOCUS_LOWER];
	size_t step = step_of(pane, key), was = pane->cur;
	bool up = key == TUI_KEY_UP || key == TUI_KEY_PGUP ||
		  key == TUI_KEY_HOME || key == TUI_KEY_SCROLL_UP;

	if (up)
		pane->cur -= step < pane->cur ? step : pane->cur;
	else
		pane->cur += step;
	pane_clamp(pane);
	if (pane == &p->pane[0] && pane->cur != was) {
		p->pane[1].cur = 0;
		p->pane[1].top = 0;
		panels_choose(p);
	}
}

static void move_time(struct panels *p, __u32 key)
{
	size_t step = key == TUI_KEY_PGUP || key == TUI_KEY_PGDN ? 64 : 8;
	size_t to = p->cursor;

	switch (key) {
	case TUI_KEY_LEFT:
	case TUI_KEY_PGUP:
		to -= step < to ? step : to;
		break;
	case TUI_KEY_RIGHT:
	case TUI_KEY_PGDN:
		to += step;
		break;
	case TUI_KEY_HOME:
		to = 0;
		break;
	case TUI_KEY_END:
		to = VMMPROF_SLICES - 1;
		break;
	}
	p->cursor = to < VMMPROF_SLICES ? to : VMMPROF_SLICES - 1;
}

static void click(struct panels *p, const struct tui_event *ev,
		  const struct panels_layout *l)
{
	size_t row;
	bool again;

	if (ev->y >= l->upper && ev->y < l->upper + l->nr_upper) {
		row = p->pane[0].top + ev->y - l->upper;
		p->focus = FOCUS_UPPER;
		if (row >= p->pane[0].nr)
			return;
		if (row == p->pane[0].cur) {
			enter(p);
			return;
		}
		p->pane[0].cur = row;
		panels_choose(p);
	} else if (ev->y >= l->lower && ev->y < l->lower + l->nr_lower) {
		row = p->pane[1].top + ev->y - l->lower;
		again = p->focus == FOCUS_LOWER && row == p->pane[1].cur;
		p->focus = FOCUS_LOWER;
		if (row >= p->pane[1].nr)
			return;
		p->pane[1].cur = row;
		if (again)
			enter(p);
	} else if (l->time && ev->y == l->time && ev->x >= l->axis_x &&
		   ev->x < l->axis_x + l->axis_w) {
		p->focus = FOCUS_TIME;
		p->cursor = (size_t)(ev->x - l->axis_x) * VMMPROF_SLICES /
			    l->axis_w;
		mark(p);
	}
}

static void next_sort(struct panels *p)
{
	struct pane *pane = &p->pane[p->focus == FOCUS_LOWER];

	if (p->focus == FOCUS_LOWER) {
		pane->sort = (pane->sort + 1) % LOWER_SORTS;
		pane->cur = 0;
		panels_choose(p);
		return;
	}
	pane->sort = (pane->sort + 1) % UPPER_SORTS;
	make_rows(p);
}

static void next_event(struct panels *p)
{
	__u32 i, e;

	for (i = 1; i <= VMMPROF_MAX_EVENTS && p->event != VMMPROF_ANY; i++) {
		e = (p->event + i) % VMMPROF_MAX_EVENTS;
		if (!p->tl->a->counts.per_event[e])
			continue;
		p->event = e;
		make_rows(p);
		return;
	}
}

static void begin_edit(struct panels *p)
{
	if (p->focus == FOCUS_TIME)
		p->focus = FOCUS_UPPER;
	p->editing = true;
	snprintf(p->edit, sizeof(p->edit), "%s",
		 p->pane[p->focus == FOCUS_LOWER].filter);
}

/* A key while the filter is typed; its effect is shown at once. */
static void edit(struct panels *p, __u32 key)
{
	struct pane *pane = &p->pane[p->focus == FOCUS_LOWER];
	size_t len = strlen(p->edit);

	if (key == TUI_KEY_ENTER) {
		p->editing = false;
		return;
	}
	if (key == TUI_KEY_ESC) {
		p->editing = false;
		len = 0;
		*p->edit = '\0';
	} else if (key == TUI_KEY_BACKSPACE) {
		if (len)
			p->edit[len - 1] = '\0';
	} else if (key >= ' ' && key < 0x7f && len + 1 < sizeof(p->edit)) {
		p->edit[len] = key;
		p->edit[len + 1] = '\0';
	} else {
		return;
	}
	snprintf(pane->filter, sizeof(pane->filter), "%s", p->edit);
	if (pane == &p->pane[0])
		make_rows(p);
	else
		panels_choose(p);
}

/* Keys that fold trees, as perf has them.  False: it is none. */
static bool fold_key(struct panels *p, __u32 key)
{
	switch (key) {
	case '+':
		trees_toggle(p);
		break;
	case 'e':
		trees_toggle_row(p);
		break;
	case 'E':
	case 'C':
		trees_fold_all(p, key == 'E');
		break;
	case 'g':
		trees_turn(p);
		break;
	default:
		return false;
	}
	if (key == '+' || key == 'e')
		p->focus = FOCUS_LOWER;
	return true;
}

static bool letter(struct panels *p, __u32 key)
{
	if (fold_key(p, key))
		return true;
	switch (key) {
	case 'q':
		return leave_something(p);
	case '?':
	case 'h':
	case TUI_KEY_F + 1:
		p->help = true;
		break;
	case '/':
	case TUI_KEY_F + 3:
	case TUI_KEY_F + 4:
		begin_edit(p);
		break;
	case 's':
	case TUI_KEY_F + 6:
		next_sort(p);
		break;
	case 'a':
		enter(p);
		break;
	case 'v':
	case TUI_KEY_F + 5:
		next_event(p);
		break;
	case 'm':
	case ' ':
		if (p->live)
			p->paused = !p->paused;
		else
			mark(p);
		break;
	case 'p':
		p->paused = p->live && !p->paused;
		break;
	case 't':
		if (panels_has_thieves(p, panels_chosen(p)))
			enter_level(p, LEVEL_THIEVES);
		break;
	case 'w':
		if (timeline_exact(p->tl))
			p->err = matrix_open(p);
		break;
	case 'x':
		if (p->slices->width)
			select_time(p, 0, VMMPROF_SLICES - 1);
		break;
	case 'Q':
	case TUI_KEY_F + 10:
		return false;
	}
	return true;
}

static void next_focus(struct panels *p)
{
	p->focus = (p->focus + 1) % (p->slices->width ? 3 : 2);
}

bool panels_key(struct panels *p, const struct tui_event *ev)
{
	struct panels_layout l;

	if (p->help) {
		p->help = false;
		return true;
	}
	if (p->code.open)
		return code_key(p, ev);
	if (ev->key == TUI_KEY_CLICK) {
		panels_layout(p, p->w, p->h, &l);
		click(p, ev, &l);
		return true;
	}
	if (p->editing) {
		edit(p, ev->key);
		return true;
	}
	switch (ev->key) {
	case TUI_KEY_ENTER:
		if (p->focus == FOCUS_TIME)
			mark(p);
		else
			enter(p);
		return true;
	case TUI_KEY_ESC:
	case TUI_KEY_BACKSPACE:
		leave_something(p);
		return true;
	case TUI_KEY_TAB:
		next_focus(p);
		return true;
	case TUI_KEY_UP:
	case TUI_KEY_DOWN:
	case TUI_KEY_SCROLL_UP:
	case TUI_KEY_SCROLL_DOWN:
		move(p, ev->key);
		return true;
	case TUI_KEY_PGUP:
	case TUI_KEY_PGDN:
	case TUI_KEY_HOME:
	case TUI_KEY_END:
		if (p->focus != FOCUS_TIME)
			move(p, ev->key);
		else
			move_time(p, ev->key);
		return true;
	case TUI_KEY_LEFT:
	case TUI_KEY_RIGHT:
		if (p->slices->width) {
			p->focus = FOCUS_TIME;
			move_time(p, ev->key);
		}
		return true;
	}
	return letter(p, ev->key);
}
