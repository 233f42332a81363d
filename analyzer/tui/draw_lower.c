// SPDX-License-Identifier: GPL-2.0-only
/* The lower pane as characters: rows of a table, and trees of call chains. */

#include <stdio.h>
#include <string.h>

#include "tui/panels_internal.h"
#include "view/chain_names.h"
#include "view/safe.h"

#define LOWER_BAR 15

/* Are there columns of what functions called, and of themselves? */
static bool has_self(const struct panels *p)
{
	return p->trees.children && p->trees.has_rows;
}

/* Is there room for samples beside time? */
static bool has_samples(const struct panels *p, const struct grid *g)
{
	return p->table.timed && g->w >= 100;
}

/* Columns before the name: numbers, and a bar or those of the function itself. */
static __u32 lower_name(const struct panels *p, const struct grid *g)
{
	if (has_self(p))
		return LOWER_BAR + 15 + (has_samples(p, g) ? 9 : 0);
	return LOWER_BAR + (g->w < 60 ? 1 : g->w < 100 ? 9 : 21);
}

/* What a share is of. */
static __u64 weight(const struct panels *p, const struct pane_line *l)
{
	return p->table.timed ? l->ticks : l->samples;
}

/* Time or samples of a line from column @x on, and its share. */
static void draw_numbers(struct panels *p, struct grid *g, __u32 x, __u32 y,
			 const struct pane_line *l, enum style style)
{
	char text[32];

	if (p->table.timed)
		snprintf(text, sizeof(text), "%.3f",
			 steal_seconds(&p->steal, l->ticks));
	else
		snprintf(text, sizeof(text), "%llu", l->samples);
	grid_right(g, x, y, 7, style, text);
	panels_percent(text, sizeof(text), weight(p, l), p->whole);
	grid_right(g, x + 7, y, 7, style, text);
}

/* A row: with what it called if that is shown, and itself beside that. */
static void draw_self(struct panels *p, struct grid *g, __u32 y,
		      const struct pane_line *l, enum style style)
{
	const struct chain_self *self = p->trees.rows.self;
	struct pane_line own = *l;
	char text[32];

	if (l->kind == LINE_ROW) {
		own.samples = self[l->row].samples;
		own.ticks = self[l->row].ticks;
	}
	draw_numbers(p, g, LOWER_BAR, y, &own, style);
	if (!has_samples(p, g))
		return;
	snprintf(text, sizeof(text), "%llu", own.samples);
	grid_right(g, LOWER_BAR + 15, y, 8, style, text);
}

static enum style bar_style(const struct panels *p, const struct pane_line *l)
{
	if (l->kind != LINE_TIME)
		return TUI_STYLE_GUEST;
	return TUI_STYLE_GUEST + time_part_column(p->time.row[l->row].part);
}

/* A bar, in its place, and samples of what is time, where there is room. */
static void draw_bar(struct panels *p, struct grid *g, __u32 y,
		     const struct pane_line *l, enum style style)
{
	__u32 w = lower_name(p, g) - LOWER_BAR - 1;
	char text[32];

	if (has_samples(p, g)) {
		w -= 8;
		snprintf(text, sizeof(text), "%llu", l->samples);
		grid_right(g, LOWER_BAR + w, y, 8, style, text);
	}
	panels_share(g, LOWER_BAR, y, w, weight(p, l), p->whole,
		     style == TUI_STYLE_PLAIN ? bar_style(p, l) : style);
}

/* Are there lines to unfold? */
static bool folds(const struct panels *p)
{
	return p->trees.tree || p->time.nr;
}

/* What comes before the names, and the sign of a line that can be unfolded. */
static void draw_left(struct panels *p, struct grid *g, __u32 y,
		      const struct pane_line *l, enum style style)
{
	draw_numbers(p, g, 0, y, l, style);
	if (has_self(p))
		draw_self(p, g, y, l, style);
	else
		draw_bar(p, g, y, l, style);
	if (l->folds)
		grid_put(g, lower_name(p, g), y, style, l->open ? '-' : '+');
}

static void draw_row(struct panels *p, struct grid *g, __u32 y,
		     const struct pane_line *l, enum style style)
{
	const struct bucket *bucket = &p->table.rows.buckets[l->row];
	__u32 x = lower_name(p, g), second = (g->w - x) * 2 / 3;
	__u32 sign = folds(p) ? 2 : 0;
	char text[512];

	draw_left(p, g, y, l, style);
	panels_cell(p, &bucket->key, 0, text, sizeof(text));
	grid_text(g, x + sign, y, second - 1 - sign, style, text);
	panels_cell(p, &bucket->key, 1, text, sizeof(text));
	grid_text(g, x + second, y, g->w - x - second, style, text);
}

/* A row of time without guest code. */
static void draw_time(struct panels *p, struct grid *g, __u32 y,
		      const struct pane_line *l, enum style style)
{
	const struct time_row *r = &p->time.row[l->row];
	__u32 x = lower_name(p, g), second = (g->w - x) * 2 / 3;

	draw_left(p, g, y, l, style);
	grid_text(g, x + 2, y, second - 3, style, r->function);
	grid_text(g, x + second, y, g->w - x - second, style, r->module);
}

/* The lines that join a branch to those beside it; returns their end. */
static __u32 draw_bars(struct grid *g, __u32 x, __u32 y, __u32 columns,
		       const struct pane_line *l, enum style style)
{
	__u32 most = columns / 4, level = 1;
	bool head = l->kind != LINE_FRAME;

	/* of very deep ones the last branches */
	if (l->level > most)
		level = l->level - most + 1;
	for (; level <= l->level; level++, x += 2) {
		if (level == l->level && head) {
			grid_put(g, x, y, style,
				 !g->utf8 ? (l->last ? '`' : '|') :
				 l->last  ? 0x2514 :
					    0x251c);
			grid_put(g, x + 1, y, style, g->utf8 ? 0x2500 : '-');
		} else if (level < 64 && l->bars & 1ull << level) {
			grid_put(g, x, y, style, g->utf8 ? 0x2502 : '|');
		}
	}
	return x;
}

static void draw_frame(struct panels *p, struct grid *g, __u32 y,
		       const struct pane_line *l, enum style style)
{
	__u32 x = lower_name(p, g), second = (g->w - x) * 2 / 3, at;
	const struct chain_frame *f = NULL;
	enum style name = style;
	char text[512], module[512];
	__u32 room, end;

	if (l->kind != LINE_FRAME)
		draw_numbers(p, g, 0, y, l, style);
	at = draw_bars(g, x, y, second, l,
		       style == TUI_STYLE_PLAIN ? TUI_STYLE_DIM : style);
	if (l->folds)
		grid_put(g, at, y, style, l->open ? '-' : '+');
	if (l->kind == LINE_FEW) {
		snprintf(text, sizeof(text), "[%u more]", l->nr);
	} else if (l->kind == LINE_THIEF) {
		steal_thief(&p->steal, l->thief, panels_chosen(p)->machine - 1,
			    text, sizeof(text));
	} else {
		f = &p->trees.tree->frames[l->frame];
		chain_frame_name(p->names, f, text, sizeof(text));
	}
	if (l->match && style == TUI_STYLE_PLAIN)
		name = TUI_STYLE_MARK;
	at += 2;
	*module = '\0';
	if (f)
		chain_frame_module(p->names, f, module, sizeof(module));
	/* without a module there is room for a longer name */
	end = *module ? x + second - 1 : g->w;
	room = at < end ? end - at : 0;
	text_cut(text, room);
	grid_text(g, at, y, text_columns(text), name, text);
	if (*module)
		grid_text(g, x + second, y, g->w - x - second, style, module);
}

static void draw_heading(struct panels *p, struct grid *g, __u32 y)
{
	__u32 x = lower_name(p, g), second = (g->w - x) * 2 / 3;
	const struct pane *pane = &p->pane[1];
	const enum sort *keys;
	char text[128];
	size_t nr;

	keys = panels_keys(p, &nr);
	grid_text(g, 0, y, g->w, TUI_STYLE_HEAD,
		  has_self(p)	 ? "Childrn      %    Self      %" :
		  p->table.timed ? "Seconds      %" :
				   "Samples      %");
	if (has_samples(p, g))
		grid_right(g, x - 9, y, 8, TUI_STYLE_HEAD, "Samples");
	snprintf(text, sizeof(text), "%s%s%s%s", folds(p) ? "  " : "",
		 sort_heading(keys[0]), *pane->filter ? "   filter: " : "",
		 pane->filter);
	grid_text(g, x, y, second - 1, TUI_STYLE_HEAD, text);
	grid_text(g, x + second, y, g->w - x - second, TUI_STYLE_HEAD,
		  sort_heading(keys[1]));
}

void panels_draw_lower(struct panels *p, struct grid *g,
		       const struct panels_layout *l)
{
	const struct pane *pane = &p->pane[1];
	const struct pane_line *line;
	enum style style;
	size_t i, row;

	draw_heading(p, g, l->lower - 1);
	for (i = 0; i < l->nr_lower; i++) {
		row = pane->top + i;
		if (row >= pane->nr)
			break;
		line = &p->lines[row];
		style = row == pane->cur && p->focus == FOCUS_LOWER ?
				TUI_STYLE_CHOSEN :
				TUI_STYLE_PLAIN;
		grid_text(g, 0, l->lower + i, g->w, style, "");
		if (line->kind == LINE_ROW)
			draw_row(p, g, l->lower + i, line, style);
		else if (line->kind == LINE_TIME)
			draw_time(p, g, l->lower + i, line, style);
		else
			draw_frame(p, g, l->lower + i, line, style);
	}
	if (!pane->nr)
		grid_text(g, 0, l->lower, g->w, TUI_STYLE_DIM,
			  *pane->filter ? "nothing passes the filter" :
					  "no samples here");
}
