// SPDX-License-Identifier: GPL-2.0-only
/* Handles keys. */

#include <stdio.h>
#include <string.h>

#include "tui/panels.h"
#include "tui/panels_internal.h"

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
			panels_enter(p);
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
			panels_enter(p);
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
	panels_make_rows(p);
}

static void next_event(struct panels *p)
{
	__u32 i, e;

	for (i = 1; i <= VMMPROF_MAX_EVENTS && p->event != VMMPROF_ANY; i++) {
		e = (p->event + i) % VMMPROF_MAX_EVENTS;
		if (!p->tl->a->counts.per_event[e])
			continue;
		p->event = e;
		panels_make_rows(p);
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
		panels_make_rows(p);
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
		return panels_leave(p);
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
		panels_enter(p);
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
			panels_enter_level(p, LEVEL_THIEVES);
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
			panels_enter(p);
		return true;
	case TUI_KEY_ESC:
	case TUI_KEY_BACKSPACE:
		panels_leave(p);
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
