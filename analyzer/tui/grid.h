/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A screenful of characters and styles.  It is drawn here, and shown by a
 * terminal or compared by a test.
 */
#ifndef TUI_GRID_H
#define TUI_GRID_H

#include <stdbool.h>
#include <stddef.h>
#include <linux/types.h>

/* Of larger terminals only this part is used. */
#define GRID_W	       512
#define VMMPROF_GRID_H 256

enum style {
	TUI_STYLE_PLAIN,
	TUI_STYLE_TITLE, /* first and last line */
	TUI_STYLE_HEAD,	 /* of a table */
	TUI_STYLE_CHOSEN,
	TUI_STYLE_OTHER, /* the chosen row of the pane without focus */
	TUI_STYLE_DIM,
	TUI_STYLE_MARK,
	/* states, in the order of steal_columns() */
	TUI_STYLE_GUEST,
	TUI_STYLE_VMM,
	TUI_STYLE_STEAL,
	TUI_STYLE_HALT,
	TUI_STYLE_BLOCKED,
	TUI_STYLE_UNKNOWN,
	/*
	 * letters that stand for the same states: a terminal that has colours
	 * and blocks shows blocks
	 */
	TUI_STYLE_BAR,
	TUI_STYLE_BAR_LAST = TUI_STYLE_BAR + 5,
	NR_STYLES
};

struct cell_ch {
	__u32 code; /* Unicode; 0: right half of a wide character */
	__u32 style;
};

struct grid {
	__u32 w, h;
	bool utf8;	       /* else '?' stands for all beyond ASCII */
	struct cell_ch *cells; /* h rows of w */
};

/* A blank grid; sizes are cut to the above.  0 or -ENOMEM. */
int grid_init(struct grid *g, __u32 w, __u32 h, bool utf8);
void grid_deinit(struct grid *g);
void grid_clear(struct grid *g);

/*
 * Write text (made safe by view/safe.h) from column x on, in at most width
 * columns, the rest of them blank.  What lies outside of the grid is left out.
 */
void grid_text(struct grid *g, __u32 x, __u32 y, __u32 width, enum style style,
	       const char *text);

/* The same, aligned to the right. */
void grid_right(struct grid *g, __u32 x, __u32 y, __u32 width, enum style style,
		const char *text);

/* One character; code: Unicode, of one column. */
void grid_put(struct grid *g, __u32 x, __u32 y, enum style style, __u32 code);

/* Line y as text, without spaces at its end.  buf is NUL-terminated. */
void grid_line(const struct grid *g, __u32 y, char *buf, size_t size);

#endif /* TUI_GRID_H */
