// SPDX-License-Identifier: GPL-2.0-only
/* An annotated function as lines to scroll in. */

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tui/codepane.h"
#include "base/vec.h"
#include "view/annotate.h"

#define HOT_PERCENT 5
#define COLUMNS	    8 /* sideways at one go */

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
		m->err = vmmprof_vec_grow(&m->marks, &m->cap, m->nr,
					  sizeof(*m->marks));
	if (!m->err && at >= 0)
		m->marks[m->nr++] = (struct mark){ at, percent };
}

static bool chosen(void *arg, const struct vmmprof_cell_key *key)
{
	const struct vmmprof_panels *p = arg;

	return vmmprof_selected(p->names, &p->code.sel, key);
}

/* What `vmmprof annotate` writes. */
static int write_text(struct vmmprof_panels *p, FILE *out, struct marks *m)
{
	struct vmmprof_report r = {
		.a = p->tl->a,
		.guest = VMMPROF_ANY,
		.vcpu = VMMPROF_ANY,
		.pid = VMMPROF_ANY,
		.event = p->event,
		.names = *p->names, /* lent */
	};
	struct vmmprof_annotate an = {
		.report = &r,
		.files = p->files,
		.intel = p->code.intel,
		.mark = mark,
		.mark_arg = m,
	};
	char name[512];
	int ret;

	if (p->code.of.func == VMMPROF_NONE) {
		vmmprof_name_function(p->names, &p->code.of, name,
				      sizeof(name));
		fprintf(out,
			"%s\n\nThese samples have no function, so there are no instructions to show.\n",
			name);
		return 0;
	}
	ret = vmmprof_hot_places_init(&an.places, r.a, chosen, p);
	if (!ret)
		ret = vmmprof_annotate_text(&an, out);
	vmmprof_hot_places_deinit(&an.places);
	*p->names = r.names;
	return ret ?: m->err;
}

/* The text as lines. */
static int split(struct vmmprof_code_pane *c, const struct marks *m)
{
	size_t i = 0, cap = 0, at;
	char *s = c->text, *end;
	int ret;

	for (; (end = strchr(s, '\n')); s = end + 1) {
		*end = '\0';
		ret = vmmprof_vec_grow(&c->lines, &cap, c->nr,
				       sizeof(*c->lines));
		if (ret)
			return ret;
		at = s - c->text;
		c->lines[c->nr] = (struct vmmprof_code_line){ .text = s };
		if (i < m->nr && m->marks[i].at == at) {
			c->lines[c->nr].sampled = true;
			c->lines[c->nr].hot = m->marks[i++].percent >=
					      HOT_PERCENT;
		}
		c->nr++;
	}
	return 0;
}

static void forget_text(struct vmmprof_code_pane *c)
{
	free(c->text);
	free(c->lines);
	c->text = NULL;
	c->lines = NULL;
	c->nr = 0;
}

static int make_text(struct vmmprof_panels *p)
{
	struct vmmprof_code_pane *c = &p->code;
	struct marks m = { 0 };
	size_t size;
	FILE *out;
	int ret;

	forget_text(c);
	out = open_memstream(&c->text, &size);
	if (!out)
		return -ENOMEM;
	ret = write_text(p, out, &m);
	if (fclose(out) && !ret)
		ret = -ENOMEM;
	if (!ret)
		ret = split(c, &m);
	if (c->at >= c->nr)
		c->at = 0;
	free(m.marks);
	return ret;
}

int vmmprof_code_open(struct vmmprof_panels *p,
		      const struct vmmprof_selection *sel)
{
	struct vmmprof_code_pane *c = &p->code;

	c->open = true;
	c->old = false;
	c->of = *sel->of;
	c->sel = *sel;
	c->sel.of = &c->of;
	c->top = 0;
	c->at = 0;
	c->left = 0;
	vmmprof_name_function(p->names, &c->of, c->name, sizeof(c->name));
	return make_text(p);
}

int vmmprof_code_renew(struct vmmprof_panels *p)
{
	const struct vmmprof_profile *profile = &p->tl->a->profile;
	struct vmmprof_code_pane *c = &p->code;
	size_t i;

	if (!c->open)
		return 0;
	for (i = 0; i < profile->nr; i++)
		if (chosen(p, &profile->cells[i].key))
			break;
	c->old = i == profile->nr;
	return c->old ? 0 : make_text(p);
}

void vmmprof_code_close(struct vmmprof_panels *p)
{
	forget_text(&p->code);
	p->code.open = false;
}

static size_t last_top(const struct vmmprof_code_pane *c)
{
	return c->nr > c->page ? c->nr - c->page : 0;
}

/* To the next line of many samples, or the one before. */
static void next_hot(struct vmmprof_code_pane *c, bool back)
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

static void scroll(struct vmmprof_code_pane *c, __u32 key)
{
	size_t step = 1;
	bool up = key == VMMPROF_KEY_UP || key == VMMPROF_KEY_PGUP ||
		  key == VMMPROF_KEY_HOME || key == VMMPROF_KEY_SCROLL_UP;

	if (key == VMMPROF_KEY_PGUP || key == VMMPROF_KEY_PGDN)
		step = c->page > 1 ? c->page - 1 : 1;
	else if (key == VMMPROF_KEY_HOME || key == VMMPROF_KEY_END)
		step = c->nr;
	else if (key == VMMPROF_KEY_SCROLL_UP || key == VMMPROF_KEY_SCROLL_DOWN)
		step = 3;
	if (up)
		c->top -= step < c->top ? step : c->top;
	else
		c->top += step;
	if (c->top > last_top(c))
		c->top = last_top(c);
	c->at = c->top;
}

static bool letter(struct vmmprof_panels *p, __u32 key)
{
	struct vmmprof_code_pane *c = &p->code;

	switch (key) {
	case 'q':
		vmmprof_code_close(p);
		break;
	case 'n':
	case 'N':
		next_hot(c, key == 'N');
		break;
	case 'i':
		c->intel = !c->intel;
		p->err = make_text(p);
		break;
	case '?':
	case 'h':
	case VMMPROF_KEY_F + 1:
		p->help = true;
		break;
	case 'p':
	case ' ':
		p->paused = p->live && !p->paused;
		break;
	case 'Q':
	case VMMPROF_KEY_F + 10:
		return false;
	}
	return true;
}

bool vmmprof_code_key(struct vmmprof_panels *p,
		      const struct vmmprof_tui_event *ev)
{
	struct vmmprof_code_pane *c = &p->code;

	switch (ev->key) {
	case VMMPROF_KEY_ESC:
	case VMMPROF_KEY_BACKSPACE:
		vmmprof_code_close(p);
		return true;
	case VMMPROF_KEY_UP:
	case VMMPROF_KEY_DOWN:
	case VMMPROF_KEY_SCROLL_UP:
	case VMMPROF_KEY_SCROLL_DOWN:
	case VMMPROF_KEY_PGUP:
	case VMMPROF_KEY_PGDN:
	case VMMPROF_KEY_HOME:
	case VMMPROF_KEY_END:
		scroll(c, ev->key);
		return true;
	case VMMPROF_KEY_LEFT:
		c->left -= c->left < COLUMNS ? c->left : COLUMNS;
		return true;
	case VMMPROF_KEY_RIGHT:
		if (c->left < VMMPROF_CODE_LEFT_MAX)
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

void vmmprof_code_draw(struct vmmprof_panels *p, struct vmmprof_grid *g)
{
	struct vmmprof_code_pane *c = &p->code;
	enum vmmprof_style style;
	char text[96];
	size_t i, nr;

	c->page = g->h - 3;
	if (c->top > last_top(c))
		c->top = last_top(c);
	nr = c->nr - c->top < c->page ? c->nr - c->top : c->page;
	vmmprof_grid_text(g, 0, 0, g->w, VMMPROF_STYLE_TITLE, c->name);
	snprintf(text, sizeof(text), "%s lines %zu-%zu of %zu",
		 p->paused ? " paused," :
		 c->old	   ? " no samples since," :
			     "",
		 c->top + 1, c->top + nr, c->nr);
	vmmprof_grid_right(g, g->w - strlen(text), 0, strlen(text),
			   VMMPROF_STYLE_TITLE, text);
	for (i = 0; i < nr; i++) {
		const struct vmmprof_code_line *l = &c->lines[c->top + i];

		style = l->hot	   ? VMMPROF_STYLE_STEAL :
			l->sampled ? VMMPROF_STYLE_GUEST :
				     VMMPROF_STYLE_PLAIN;
		if (l->hot && c->top + i == c->at)
			style = VMMPROF_STYLE_CHOSEN;
		vmmprof_grid_text(g, 0, 1 + i, g->w, style,
				  skip(l->text, c->left));
	}
	snprintf(text, sizeof(text),
		 "F1 Help  n N Hot lines  i Syntax:%s  %sq Back  F10 Quit",
		 c->intel ? "intel" : "att", p->live ? "p Pause  " : "");
	vmmprof_grid_text(g, 0, g->h - 1, g->w, VMMPROF_STYLE_TITLE, text);
}
