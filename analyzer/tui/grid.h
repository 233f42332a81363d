/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A screenful of characters and styles, drawn here and shown by someone else:
 * a terminal, or a test.
 */
#ifndef VMMPROF_TUI_GRID_H
#define VMMPROF_TUI_GRID_H

#include <stdbool.h>
#include <stddef.h>
#include <linux/types.h>

/* Larger terminals are drawn in part. */
#define VMMPROF_GRID_W 512
#define VMMPROF_GRID_H 256

enum vmmprof_style {
	VMMPROF_STYLE_PLAIN,
	VMMPROF_STYLE_TITLE, /* first and last line */
	VMMPROF_STYLE_HEAD,  /* of a table */
	VMMPROF_STYLE_CHOSEN,
	VMMPROF_STYLE_OTHER, /* chosen in the pane that has no focus */
	VMMPROF_STYLE_DIM,
	VMMPROF_STYLE_MARK,
	/* states, in the order of vmmprof_steal_columns() */
	VMMPROF_STYLE_GUEST,
	VMMPROF_STYLE_VMM,
	VMMPROF_STYLE_STEAL,
	VMMPROF_STYLE_HALT,
	VMMPROF_STYLE_BLOCKED,
	VMMPROF_STYLE_UNKNOWN,
	VMMPROF_NR_STYLES
};

struct vmmprof_cell_ch {
	__u32 code; /* Unicode; 0: right half of a wide character */
	__u32 style;
};

struct vmmprof_grid {
	__u32 w, h;
	bool utf8; /* else '?' stands for all beyond ASCII */
	struct vmmprof_cell_ch *cells; /* h rows of w */
};

/* A blank grid; sizes are cut to the above.  0 or -ENOMEM. */
int vmmprof_grid_init(struct vmmprof_grid *g, __u32 w, __u32 h, bool utf8);
void vmmprof_grid_deinit(struct vmmprof_grid *g);
void vmmprof_grid_clear(struct vmmprof_grid *g);

/*
 * Write text (made safe by view/safe.h) from column x on, in at most width
 * columns, the rest of them blank.  What lies outside of the grid is left out.
 */
void vmmprof_grid_text(struct vmmprof_grid *g, __u32 x, __u32 y, __u32 width,
		       enum vmmprof_style style, const char *text);

/* The same, at the right end of its columns. */
void vmmprof_grid_right(struct vmmprof_grid *g, __u32 x, __u32 y, __u32 width,
			enum vmmprof_style style, const char *text);

/* One character; code: Unicode, of one column. */
void vmmprof_grid_put(struct vmmprof_grid *g, __u32 x, __u32 y,
		      enum vmmprof_style style, __u32 code);

/* Another style for columns that are written already. */
void vmmprof_grid_style(struct vmmprof_grid *g, __u32 x, __u32 y, __u32 width,
			enum vmmprof_style style);

/* Line y as text, without blanks at its end.  buf is NUL-terminated. */
void vmmprof_grid_line(const struct vmmprof_grid *g, __u32 y, char *buf,
		       size_t size);

/* The character as UTF-8, NUL-terminated; its length. */
size_t vmmprof_grid_encode(__u32 code, char buf[8]);

#endif /* VMMPROF_TUI_GRID_H */
