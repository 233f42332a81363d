// SPDX-License-Identifier: GPL-2.0-only
/* The panels as characters. */

#include <stdio.h>
#include <string.h>

#include "tui/panels.h"
#include "tui/panels_internal.h"
#include "view/owner_name.h"
#include "view/safe.h"
#include "view/timeline.h"
#include "base/saturate.h"

#define MIN_W 40
#define MIN_H 10

/* Bars are made of letters, as the terminal may have no colours (grid.h). */
static const char letters[STEAL_COLUMNS + 1] = "GVS.-?";

/* A percentage of steal_columns() in five columns. */
static const char *const headings[STEAL_COLUMNS] = { "guest", "vmm",   "steal",
						     "halt",  "block", "unkn" };

/* Columns of the upper pane. */
struct upper {
	__u32 name, bar, percent, thief;
};

static struct upper upper_columns(__u32 w)
{
	struct upper u = { .name = w < 100 ? 14 : 24,
			   .percent = w < 100 ? 6 : 8 };
	__u32 left;

	left = w - u.name - 2 - STEAL_COLUMNS * u.percent;
	if (w < u.name + 2 + STEAL_COLUMNS * u.percent)
		left = 0;
	u.bar = left > 140 ? 60 : left * 3 / 7;
	u.thief = left - u.bar;
	return u;
}

void panels_layout(const struct panels *p, __u32 w, __u32 h,
		   struct panels_layout *l)
{
	__u32 free, fixed;

	memset(l, 0, sizeof(*l));
	if (w < MIN_W || h < MIN_H)
		return;
	/* two lines above, two headings, keys; the time and its rule */
	fixed = 5 + (p->slices->width ? 1 : 0);
	free = h - fixed;
	l->upper = 3;
	l->nr_upper = free / 2;
	if (p->pane[0].nr < l->nr_upper)
		l->nr_upper = p->pane[0].nr < 3 ? 3 : p->pane[0].nr;
	if (p->slices->width)
		l->time = l->upper + l->nr_upper;
	l->lower = l->upper + l->nr_upper + (l->time ? 2 : 1);
	l->nr_lower = h - 1 - l->lower;
	l->axis_x = 7;
	l->axis_w = w - l->axis_x - 20;
	if (l->axis_w > VMMPROF_SLICES)
		l->axis_w = VMMPROF_SLICES;
}

static void draw_title(struct panels *p, struct grid *g)
{
	const struct analysis *a = p->tl->a;
	char text[256], event[128];

	safe_text(event, sizeof(event),
		  session_event_name(&a->session, p->event));
	grid_text(g, 0, 0, g->w, TUI_STYLE_TITLE, p->title);
	snprintf(text, sizeof(text), " %llu samples%s%s%s ",
		 (unsigned long long)a->profile.samples,
		 p->event == VMMPROF_ANY ? "" : ", ",
		 p->event == VMMPROF_ANY ? "" : event,
		 p->paused ? ", paused" : "");
	grid_right(g, g->w - (g->w < strlen(text) ? g->w : strlen(text)), 0,
		   g->w < strlen(text) ? g->w : strlen(text), TUI_STYLE_TITLE,
		   text);
}

/* The caller's text about the machine that was entered or is chosen. */
static void about(struct panels *p, char *text, size_t size)
{
	const struct panel_row *row = panels_chosen(p);
	bool vms = p->level == LEVEL_VMS;
	char name[256] = "";
	__u32 machine;
	const char *s;

	if (vms && !row)
		return;
	machine = vms ? row->machine : p->path[p->level].machine;
	s = p->about(p->about_arg, machine);
	if (!s)
		return;
	if (vms)
		name_machine(p->names, machine, name, sizeof(name));
	snprintf(text, size, "   %s%s%s", name, vms ? ": " : "", s);
}

/* The path to this level: VMs > web > vCPU 0 > bench. */
static void draw_path(struct panels *p, struct grid *g)
{
	const struct panel_path *at = &p->path[p->level];
	char text[700] = "VMs", name[256];
	size_t len;

	if (p->level != LEVEL_VMS) {
		name_machine(p->names, at->machine, name, sizeof(name));
		snprintf(text, sizeof(text), "VMs > %s", name);
	}
	len = strlen(text);
	if (p->level > LEVEL_VCPUS && at->track != VMMPROF_NONE) {
		steal_vcpu(&p->steal, at->track, name, sizeof(name));
		len += snprintf(text + len, sizeof(text) - len, " > %s", name);
	}
	if (p->level == LEVEL_THIEVES)
		len += snprintf(text + len, sizeof(text) - len, " > thieves");
	if (p->level == LEVEL_FUNCTIONS && at->proc != VMMPROF_NONE) {
		names_process(p->names, at->proc, name, sizeof(name));
		len += snprintf(text + len, sizeof(text) - len, " > %s", name);
	}
	if (*p->pane[0].filter)
		len += snprintf(text + len, sizeof(text) - len, "   filter: %s",
				p->pane[0].filter);
	if (p->notice && len < sizeof(text))
		len += snprintf(text + len, sizeof(text) - len, "   (%s)",
				p->notice);
	if (saturated && len < sizeof(text))
		len += snprintf(text + len, sizeof(text) - len, "   (%s)",
				SATURATED_TEXT);
	if (p->about && len < sizeof(text))
		about(p, text + len, sizeof(text) - len);
	grid_text(g, 0, 1, g->w, TUI_STYLE_PLAIN, text);
}

static void draw_heading(struct panels *p, struct grid *g)
{
	struct upper u = upper_columns(g->w);
	__u32 x, i, y = 2;
	char text[32];

	grid_text(g, 0, y, g->w, TUI_STYLE_HEAD, "");
	if (p->level == LEVEL_THIEVES) {
		grid_text(g, 0, y, g->w, TUI_STYLE_HEAD,
			  "Stolen, s      %            Thief");
		return;
	}
	if (p->level > LEVEL_VCPUS) {
		grid_text(g, 0, y, g->w, TUI_STYLE_HEAD,
			  p->level == LEVEL_PROCESSES ?
				  "Samples      %   User     PID Process" :
				  "Samples      %   User  Function");
		return;
	}
	grid_text(g, 0, y, u.name, TUI_STYLE_HEAD, "VM, vCPU");
	x = u.name + 1 + u.bar;
	for (i = 0; i < STEAL_COLUMNS; i++, x += u.percent) {
		snprintf(text, sizeof(text), "%s%s",
			 p->pane[0].sort == i + 1 ? "*" : "", headings[i]);
		grid_right(g, x, y, u.percent, TUI_STYLE_HEAD, text);
	}
	grid_text(g, x + 1, y, u.thief, TUI_STYLE_HEAD, "top thief");
}

static void draw_bar(const struct panel_row *r, struct grid *g, __u32 x,
		     __u32 y, __u32 w)
{
	__u64 parts[STEAL_COLUMNS];
	__u32 i, end = x + w;

	split_ticks(w, r->column, STEAL_COLUMNS, parts);
	for (i = 0; i < STEAL_COLUMNS; i++)
		for (; parts[i] && x < end; parts[i]--)
			grid_put(g, x++, y, TUI_STYLE_BAR + i, letters[i]);
}

void panels_percent(char *buf, size_t size, __u64 part, __u64 whole)
{
	double v = whole ? part * 100.0 / whole : 0;

	snprintf(buf, size, whole ? "%.*f" : "-", v >= 99.95 ? 0 : 1, v);
}

/* A thief in so many columns: all of it, its name, or whose it is. */
static void thief_text(struct panels *p, const struct panel_row *r,
		       __u32 columns, char *buf, size_t size)
{
	steal_thief(&p->steal, r->thief, r->machine - 1, buf, size);
	if (text_columns(buf) > columns)
		timeline_thief(p->tl, r->thief, buf, size);
	if (text_columns(buf) > columns)
		owner_name(p->tl, p->tl->thieves.thieves[r->thief].owner, buf,
			   size);
	text_cut(buf, columns);
}

static void draw_states(struct panels *p, struct grid *g,
			const struct panel_row *r, __u32 y, enum style style)
{
	struct upper u = upper_columns(g->w);
	char text[512], part[16];
	__u32 x, i;

	panels_name(p, r, text, sizeof(text));
	grid_text(g, 0, y, g->w, style, "");
	grid_text(g, 0, y, u.name, style, text);
	if (r->kind == ROW_HOST) {
		grid_text(g, u.name + 1, y, g->w - u.name - 1, style,
			  "all CPUs: samples of the host and the VMs");
		return;
	}
	draw_bar(r, g, u.name + 1, y, u.bar);
	x = u.name + 1 + u.bar;
	for (i = 0; i < STEAL_COLUMNS; i++, x += u.percent) {
		panels_percent(text, sizeof(text), r->column[i], r->total);
		grid_right(g, x, y, u.percent, style, text);
	}
	if (r->thief == VMMPROF_NONE)
		return;
	panels_percent(part, sizeof(part), r->stolen, r->column[2]);
	grid_right(g, x, y, 5, style, part);
	grid_put(g, x + 5, y, style, '%');
	if (u.thief <= 7)
		return;
	thief_text(p, r, u.thief - 7, text, sizeof(text));
	grid_text(g, x + 7, y, u.thief - 7, style, text);
}

void panels_share(struct grid *g, __u32 x, __u32 y, __u32 w, __u64 part,
		  __u64 whole, enum style style)
{
	__u64 eighths = whole ? (__uint128_t)part * w * 8 / whole : 0;
	__u32 i;

	if (!eighths && part)
		eighths = 1;
	for (i = 0; i < w && eighths; i++) {
		unsigned int n = eighths < 8 ? eighths : 8;

		/* U+2588 is full, U+258f one eighth on the left */
		grid_put(g, x + i, y, style, g->utf8 ? 0x2590 - n : '#');
		eighths -= n;
	}
}

static void draw_samples(struct panels *p, struct grid *g,
			 const struct panel_row *r, __u32 y, enum style style)
{
	char name[512], text[640], share[16], user[16];

	panels_percent(share, sizeof(share), r->samples,
		       p->nr_rows ? p->rows[0].samples : 0);
	panels_percent(user, sizeof(user), r->user, r->samples);
	panels_name(p, r, name, sizeof(name));
	snprintf(text, sizeof(text), "%7llu  %5s  %5s %s%s",
		 (unsigned long long)r->samples, share,
		 p->level == LEVEL_FUNCTIONS ? "" : user,
		 r->kind == ROW_PROCESS ? "" : " ", name);
	grid_text(g, 0, y, g->w, style, text);
	if (p->level == LEVEL_FUNCTIONS)
		panels_share(g, 15, y, 7, r->samples,
			     p->nr_rows ? p->rows[0].samples : 0,
			     style == TUI_STYLE_PLAIN ? TUI_STYLE_GUEST :
							style);
}

static void draw_thief(struct panels *p, struct grid *g,
		       const struct panel_row *r, __u32 y, enum style style)
{
	__u64 all = p->nr_rows ? p->rows[0].stolen : 0;
	char name[512], text[640], share[16];

	panels_percent(share, sizeof(share), r->stolen, all);
	panels_name(p, r, name, sizeof(name));
	snprintf(text, sizeof(text), "%9.3f  %5s %10s %s",
		 steal_seconds(&p->steal, r->stolen), share, "", name);
	grid_text(g, 0, y, g->w, style, text);
	panels_share(g, 17, y, 9, r->stolen, all,
		     style == TUI_STYLE_PLAIN ? TUI_STYLE_STEAL : style);
}

static void draw_upper(struct panels *p, struct grid *g,
		       const struct panels_layout *l)
{
	const struct pane *pane = &p->pane[0];
	enum style style;
	size_t i, row;

	draw_heading(p, g);
	for (i = 0; i < l->nr_upper; i++) {
		row = pane->top + i;
		if (row >= p->nr_rows)
			break;
		style = TUI_STYLE_PLAIN;
		if (row == pane->cur)
			style = p->focus == FOCUS_UPPER ? TUI_STYLE_CHOSEN :
							  TUI_STYLE_OTHER;
		if (p->level == LEVEL_THIEVES)
			draw_thief(p, g, &p->rows[row], l->upper + i, style);
		else if (p->level > LEVEL_VCPUS)
			draw_samples(p, g, &p->rows[row], l->upper + i, style);
		else
			draw_states(p, g, &p->rows[row], l->upper + i, style);
	}
	if (!p->nr_rows)
		grid_text(g, 0, l->upper, g->w, TUI_STYLE_DIM,
			  *pane->filter ? "nothing passes the filter" :
					  "nothing here");
}

/* A block character of one of eight heights. */
static __u32 height(bool utf8, __u64 part, __u64 whole)
{
	static const char ascii[] = "_.:-=+*#@";
	unsigned int n;

	if (!whole)
		return ' ';
	n = (__uint128_t)part * 8 / whole;
	if (!n && part)
		n = 1;
	if (!utf8)
		return ascii[n];
	return n ? 0x2580 + n : '_';
}

static double slice_seconds(const struct panels *p, size_t slice)
{
	__u64 khz = p->tl->khz;

	return khz ? (double)slice * p->slices->width / (khz * 1000.0) : 0;
}

static void draw_axis(struct panels *p, struct grid *g,
		      const struct panels_layout *l)
{
	bool whole = !p->first && p->last == VMMPROF_SLICES - 1;
	enum style style;
	__u64 steal, all;
	size_t a, b, i;
	__u32 x;

	for (x = 0; x < l->axis_w; x++) {
		a = (size_t)x * VMMPROF_SLICES / l->axis_w;
		b = (size_t)(x + 1) * VMMPROF_SLICES / l->axis_w;
		for (steal = 0, all = 0, i = a; i < b; i++) {
			sat_sum(&steal, p->slice_steal[i]);
			sat_sum(&all, p->slice_all[i]);
		}
		style = whole ? TUI_STYLE_STEAL : TUI_STYLE_MARK;
		if (b <= p->first || a > p->last)
			style = TUI_STYLE_DIM;
		if (p->marking && ((a >= p->mark && a <= p->cursor) ||
				   (b > p->cursor && a <= p->mark)))
			style = TUI_STYLE_MARK;
		if (p->focus == FOCUS_TIME && p->cursor >= a && p->cursor < b)
			style = TUI_STYLE_CHOSEN;
		grid_put(g, l->axis_x + x, l->time, style,
			 height(g->utf8, steal, all));
	}
}

static void draw_time(struct panels *p, struct grid *g,
		      const struct panels_layout *l)
{
	char text[64];

	grid_text(g, 0, l->time, l->axis_x, TUI_STYLE_PLAIN, "steal");
	draw_axis(p, g, l);
	if (p->marking)
		snprintf(text, sizeof(text), " from %.3f s",
			 slice_seconds(p, p->mark));
	else if (p->focus == FOCUS_TIME && !p->first &&
		 p->last == VMMPROF_SLICES - 1)
		snprintf(text, sizeof(text), " at %.3f s",
			 slice_seconds(p, p->cursor));
	else
		snprintf(text, sizeof(text), " %.3f-%.3f s",
			 slice_seconds(p, p->first),
			 slice_seconds(p, p->last + 1));
	grid_text(g, l->axis_x + l->axis_w, l->time,
		  g->w - l->axis_x - l->axis_w, TUI_STYLE_PLAIN, text);
}

static void draw_keys(struct panels *p, struct grid *g)
{
	char text[128];

	if (p->editing) {
		snprintf(text, sizeof(text), "filter: %s_", p->edit);
		grid_text(g, 0, g->h - 1, g->w, TUI_STYLE_TITLE, text);
		return;
	}
	if ((p->trees.tree || p->time.nr) && p->focus == FOCUS_LOWER) {
		snprintf(
			text, sizeof(text),
			"F1 Help  / Find  s Sort:%s  + e E C Fold  g %s  q Back  F10 Quit",
			panels_sort_name(p, 1),
			p->trees.callee ? "Callers" : "Callees");
		grid_text(g, 0, g->h - 1, g->w, TUI_STYLE_TITLE, text);
		return;
	}
	snprintf(
		text, sizeof(text),
		"F1 Help  / Find  s Sort:%s  t Thieves  w Matrix  %s  q Back  F10 Quit",
		panels_sort_name(p, p->focus == FOCUS_LOWER),
		p->live ? "p Pause" : "m Mark");
	grid_text(g, 0, g->h - 1, g->w, TUI_STYLE_TITLE, text);
}

static void draw_help(struct panels *p, struct grid *g)
{
	static const char *const lines[] = {
		"Enter         into the chosen VM, vCPU, process; of a function or a frame:",
		"              its instructions (n, N: next, last with 5 % of the samples;",
		"              i: att or intel; Left, Right: sideways)",
		"Esc, q        back; q at the top ends",
		"Up, Down, PgUp, PgDn, Home, End   choose a row",
		"t             the thieves of the chosen row; Enter: what one ran",
		"w             who took whose time",
		"Tab           the other pane",
		"/, F3, F4     filter its rows by a word; empty: all",
		"s, F6         sort VMs by a state, or group functions otherwise",
		"v, F5         the next event",
		"+             unfold or fold the call chains of a row, or a branch;",
		"e, E, C       unfold all of a row, all rows; fold all rows",
		"g             callers above what they call, or below it",
		"F10, Q        end",
		"",
		"bars: G guest  V vmm  S steal  . halt  - blocked  ? unknown",
		"",
	};
	static const char *const recorded[] = {
		"time: Left, Right move along the axis; m (or Space, Enter) marks",
		"where a stretch begins, again where it ends: all numbers are then",
		"of that stretch; x: the whole time again.  A click does the same.",
	};
	static const char *const live[] = {
		"p, Space      stand still; again: go on",
	};
	__u32 y = 2;
	size_t i;

	grid_text(g, 0, 0, g->w, TUI_STYLE_TITLE, "Keys (any key: back)");
	for (i = 0; i < sizeof(lines) / sizeof(lines[0]); i++)
		grid_text(g, 1, y++, g->w - 1, TUI_STYLE_PLAIN, lines[i]);
	for (i = 0; p->live && i < sizeof(live) / sizeof(live[0]); i++)
		grid_text(g, 1, y++, g->w - 1, TUI_STYLE_PLAIN, live[i]);
	for (i = 0; !p->live && i < sizeof(recorded) / sizeof(recorded[0]); i++)
		grid_text(g, 1, y++, g->w - 1, TUI_STYLE_PLAIN, recorded[i]);
}

void panels_draw(struct panels *p, struct grid *g)
{
	struct panels_layout l;

	p->w = g->w;
	p->h = g->h;
	grid_clear(g);
	if (p->help) {
		draw_help(p, g);
		return;
	}
	if (p->err || g->w < MIN_W || g->h < MIN_H) {
		grid_text(g, 0, 0, g->w, TUI_STYLE_PLAIN,
			  p->err ? "out of memory (q)" :
				   "the terminal is too small");
		return;
	}
	if (p->code.open) {
		code_draw(p, g);
		return;
	}
	panels_layout(p, g->w, g->h, &l);
	p->pane[0].page = l.nr_upper;
	p->pane[1].page = l.nr_lower;
	pane_clamp(&p->pane[0]);
	pane_clamp(&p->pane[1]);
	draw_title(p, g);
	draw_path(p, g);
	draw_upper(p, g, &l);
	if (l.time)
		draw_time(p, g, &l);
	panels_draw_lower(p, g, &l);
	draw_keys(p, g);
}
