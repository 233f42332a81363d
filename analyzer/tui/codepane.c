// SPDX-License-Identifier: GPL-2.0-only
/* An annotated function as lines that can be scrolled. */

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tui/panels.h"
#include "tui/panels_internal.h"
#include "base/vec.h"
#include "view/annotate.h"
#include "view/steal_matrix_text.h"

#define HOT_PERCENT 5
#define COLUMNS	    8 /* characters per step sideways */

/* Where lines with samples begin in the text. */
struct marks {
	struct mark {
		size_t at;
		double percent;
	} * marks;
	size_t nr, cap;
	int err;
};

static void mark(void *arg, FILE *out, double percent)
{
	struct marks *m = arg;
	long at = ftell(out);

	if (!m->err)
		m->err = vec_grow(&m->marks, &m->cap, m->nr, sizeof(*m->marks));
	if (!m->err && at >= 0)
		m->marks[m->nr++] = (struct mark){ at, percent };
}

static bool chosen(void *arg, const struct bucket_key *key)
{
	const struct panels *p = arg;

	return selected(p->names, &p->code.sel, key);
}

/* Make the text that `vmmprof annotate` prints. */
static int write_text(struct panels *p, FILE *out, struct marks *m)
{
	struct report r = {
		.a = p->tl->a,
		.guest = VMMPROF_ANY,
		.vcpu = VMMPROF_ANY,
		.pid = VMMPROF_ANY,
		.event = p->event,
		.names = *p->names, /* stays p's */
	};
	struct annotate an = {
		.report = &r,
		.files = p->files,
		.intel = p->code.intel,
		.mark = mark,
		.mark_arg = m,
	};
	char name[512];
	int ret;

	if (p->code.of.func == VMMPROF_NONE) {
		name_function(p->names, &p->code.of, name, sizeof(name));
		fprintf(out,
			"%s\n\nThese samples have no function, so there are no instructions to show.\n",
			name);
		return 0;
	}
	an.calls = p->code.frame;
	ret = p->code.frame ? hot_places_of(&an.places, r.a, p->code.frame,
					    p->code.nr_frame) :
			      hot_places_init(&an.places, r.a, chosen, p);
	if (!ret && !an.places.nr)
		fputs("No sample hit this function here.\n\n", out);
	if (!ret)
		ret = annotate_text(&an, out);
	/* Without code it begins with the reason. */
	if (!an.has_code)
		p->code.fresh = false;
	hot_places_deinit(&an.places);
	*p->names = r.names;
	return ret ?: m->err;
}

static int write_matrix(struct panels *p, FILE *out)
{
	struct steal_matrix m;
	int ret;

	ret = steal_matrix_init(&m, p->tl, true, MATRIX_VM);
	if (!ret)
		ret = steal_matrix_text(&p->steal, &m, p->code.w, true, out);
	steal_matrix_deinit(&m);
	return ret;
}

/* Split the text into lines. */
static int split(struct code_pane *c, const struct marks *m)
{
	size_t i = 0, cap = 0, at;
	char *s = c->text, *end;
	int ret;

	for (; (end = strchr(s, '\n')); s = end + 1) {
		*end = '\0';
		ret = vec_grow(&c->lines, &cap, c->nr, sizeof(*c->lines));
		if (ret)
			return ret;
		at = s - c->text;
		c->lines[c->nr] = (struct code_line){ .text = s };
		if (i < m->nr && m->marks[i].at == at) {
			c->lines[c->nr].sampled = true;
			c->lines[c->nr].percent = m->marks[i++].percent;
			c->lines[c->nr].hot = c->lines[c->nr].percent >=
					      HOT_PERCENT;
		}
		c->nr++;
	}
	return 0;
}

static void forget_text(struct code_pane *c)
{
	free(c->text);
	free(c->lines);
	c->text = NULL;
	c->lines = NULL;
	c->nr = 0;
}

static int make_text(struct panels *p)
{
	struct code_pane *c = &p->code;
	struct marks m = { 0 };
	size_t size;
	FILE *out;
	int ret;

	forget_text(c);
	out = open_memstream(&c->text, &size);
	if (!out)
		return -ENOMEM;
	ret = c->matrix ? write_matrix(p, out) : write_text(p, out, &m);
	if (fclose(out) && !ret)
		ret = -ENOMEM;
	if (!ret)
		ret = split(c, &m);
	if (c->at >= c->nr)
		c->at = 0;
	free(m.marks);
	return ret;
}

static void begin(struct code_pane *c, bool matrix)
{
	free(c->frame);
	c->frame = NULL;
	c->open = true;
	c->matrix = matrix;
	c->fresh = true;
	c->old = false;
	c->top = 0;
	c->at = 0;
	c->left = 0;
}

int matrix_open(struct panels *p)
{
	begin(&p->code, true);
	p->code.w = p->w;
	snprintf(p->code.name, sizeof(p->code.name), "Who took whose time");
	return make_text(p);
}

int code_open(struct panels *p, const struct selection *sel)
{
	struct code_pane *c = &p->code;

	begin(c, false);
	c->of = *sel->of;
	c->sel = *sel;
	c->sel.of = &c->of;
	name_function(p->names, &c->of, c->name, sizeof(c->name));
	return make_text(p);
}

int code_open_frame(struct panels *p, struct bucket *at, size_t nr)
{
	struct code_pane *c = &p->code;

	begin(c, false);
	c->frame = at;
	c->nr_frame = nr;
	c->of = at->key;
	name_function(p->names, &c->of, c->name, sizeof(c->name));
	return make_text(p);
}

int panels_renew_code(struct panels *p)
{
	const struct profile *profile = &p->tl->a->profile;
	struct code_pane *c = &p->code;
	size_t i;

	if (!c->open)
		return 0;
	if (c->matrix)
		return make_text(p);
	/* chains of the interval in which one looked */
	if (c->frame) {
		c->old = true;
		return 0;
	}
	for (i = 0; i < profile->nr; i++)
		if (chosen(p, &profile->buckets[i].key))
			break;
	c->old = i == profile->nr;
	return c->old ? 0 : make_text(p);
}

void code_close(struct panels *p)
{
	forget_text(&p->code);
	free(p->code.frame);
	p->code.frame = NULL;
	p->code.open = false;
}

static size_t last_top(const struct code_pane *c)
{
	return c->nr > c->page ? c->nr - c->page : 0;
}

/* Go to the line with most samples; on a small screen, into its middle. */
static void to_hottest(struct code_pane *c)
{
	size_t i, half = c->page / 2;

	for (i = 0; i < c->nr; i++)
		if (c->lines[i].percent > c->lines[c->at].percent)
			c->at = i;
	c->top = c->at > half ? c->at - half : 0;
	c->fresh = false;
}

/* Go to the next, or the previous, line with many samples. */
static void next_hot(struct code_pane *c, bool back)
{
	size_t half = c->page / 2, i = c->at;

	while (back ? i-- > 0 : ++i < c->nr) {
		if (!c->lines[i].hot)
			continue;
		c->at = i;
		c->top = i > half ? i - half : 0;
		return;
	}
}

static void scroll(struct code_pane *c, __u32 key)
{
	size_t step = 1;
	bool up = key == TUI_KEY_UP || key == TUI_KEY_PGUP ||
		  key == TUI_KEY_HOME || key == TUI_KEY_SCROLL_UP;

	if (key == TUI_KEY_PGUP || key == TUI_KEY_PGDN)
		step = c->page > 1 ? c->page - 1 : 1;
	else if (key == TUI_KEY_HOME || key == TUI_KEY_END)
		step = c->nr;
	else if (key == TUI_KEY_SCROLL_UP || key == TUI_KEY_SCROLL_DOWN)
		step = 3;
	if (up)
		c->top -= step < c->top ? step : c->top;
	else
		c->top += step;
	if (c->top > last_top(c))
		c->top = last_top(c);
	c->at = c->top;
}

static bool letter(struct panels *p, __u32 key)
{
	struct code_pane *c = &p->code;

	switch (key) {
	case 'q':
		code_close(p);
		break;
	case 'n':
	case 'N':
		next_hot(c, key == 'N');
		break;
	case 'i':
		if (c->matrix)
			break;
		c->intel = !c->intel;
		p->err = make_text(p);
		break;
	case '?':
	case 'h':
	case TUI_KEY_F + 1:
		p->help = true;
		break;
	case 'p':
	case ' ':
		p->paused = p->live && !p->paused;
		break;
	case 'Q':
	case TUI_KEY_F + 10:
		return false;
	}
	return true;
}

bool code_key(struct panels *p, const struct tui_event *ev)
{
	struct code_pane *c = &p->code;

	switch (ev->key) {
	case TUI_KEY_ESC:
	case TUI_KEY_BACKSPACE:
		code_close(p);
		return true;
	case TUI_KEY_UP:
	case TUI_KEY_DOWN:
	case TUI_KEY_SCROLL_UP:
	case TUI_KEY_SCROLL_DOWN:
	case TUI_KEY_PGUP:
	case TUI_KEY_PGDN:
	case TUI_KEY_HOME:
	case TUI_KEY_END:
		scroll(c, ev->key);
		return true;
	case TUI_KEY_LEFT:
		c->left -= c->left < COLUMNS ? c->left : COLUMNS;
		return true;
	case TUI_KEY_RIGHT:
		if (c->left < CODE_LEFT_MAX)
			c->left += COLUMNS;
		return true;
	}
	return letter(p, ev->key);
}

/* The text from its character number n on. */
static const char *skip(const char *s, size_t n)
{
	while (n-- && *s)
		do
			s++;
		while ((*s & 0xc0) == 0x80);
	return s;
}

void code_draw(struct panels *p, struct grid *g)
{
	struct code_pane *c = &p->code;
	enum style style;
	char text[96];
	size_t i, nr;

	c->page = g->h - 3;
	if (c->matrix && c->w != g->w) {
		c->w = g->w;
		p->err = make_text(p);
	}
	if (c->fresh)
		to_hottest(c);
	if (c->top > last_top(c))
		c->top = last_top(c);
	nr = c->nr - c->top < c->page ? c->nr - c->top : c->page;
	grid_text(g, 0, 0, g->w, TUI_STYLE_TITLE, c->name);
	snprintf(text, sizeof(text), "%s lines %zu-%zu of %zu",
		 p->paused	    ? " paused," :
		 c->old && c->frame ? " of an earlier interval," :
		 c->old		    ? " no samples since," :
				      "",
		 c->top + 1, c->top + nr, c->nr);
	grid_right(g, g->w - strlen(text), 0, strlen(text), TUI_STYLE_TITLE,
		   text);
	for (i = 0; i < nr; i++) {
		const struct code_line *l = &c->lines[c->top + i];

		style = l->hot	   ? TUI_STYLE_STEAL :
			l->sampled ? TUI_STYLE_GUEST :
				     TUI_STYLE_PLAIN;
		if (l->hot && c->top + i == c->at)
			style = TUI_STYLE_CHOSEN;
		grid_text(g, 0, 1 + i, g->w, style, skip(l->text, c->left));
	}
	if (c->matrix)
		snprintf(text, sizeof(text), "F1 Help  %sq Back  F10 Quit",
			 p->live ? "p Pause  " : "");
	else
		snprintf(
			text, sizeof(text),
			"F1 Help  n N Hot lines  i Syntax:%s  %sq Back  F10 Quit",
			c->intel ? "intel" : "att", p->live ? "p Pause  " : "");
	grid_text(g, 0, g->h - 1, g->w, TUI_STYLE_TITLE, text);
}
