/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The parts of the panels: rows.c, draw.c, draw_lower.c, trees.c,
 * tree_frame.c, tree_time.c, listing.c, listing_json.c, codepane.c, panels_keys.c,
 * panels_levels.c.
 */
#ifndef TUI_PANELS_INTERNAL_H
#define TUI_PANELS_INTERNAL_H

#include "tui/panels_state.h"

/* Make the rows of the lower pane, because another row is chosen above. */
void panels_choose(struct panels *p);

/* Make the rows of the upper pane; the same one is chosen, if it is still there. */
void panels_make_rows(struct panels *p);

/* To level @to of the chosen row, which there is. */
void panels_enter_level(struct panels *p, enum panel_level to);

/* Into what is chosen: a level, a function's instructions, a chain. */
void panels_enter(struct panels *p);

/* Out of what was entered or begun last; false: there is nothing left. */
bool panels_leave(struct panels *p);

/* Keep the chosen row and the window within the existing rows. */
void pane_clamp(struct pane *pane);

/* The chosen row above; NULL: there is none. */
const struct panel_row *panels_chosen(const struct panels *p);

/* Its name, safe to print. */
void panels_name(struct panels *p, const struct panel_row *row, char *buf,
		 size_t size);

/* The selection of samples that a row of the upper pane stands for. */
struct selection panels_selection(const struct panels *p,
				  const struct panel_row *row);

/* Columns of the lower pane. */
const enum sort *panels_keys(const struct panels *p, size_t *nr);

/* Cell i of a row below, safe to print. */
void panels_cell(struct panels *p, const struct bucket_key *key, size_t i,
		 char *buf, size_t size);

/* Does a row below pass the filter? */
bool panels_passes(struct panels *p, const struct bucket_key *key);

/* trees.c: the lines of the lower pane.  @was: id of the chosen one, 0: none. */
void trees_lines(struct panels *p, const struct selection *sel, __u64 was);
void trees_deinit(struct trees *t);

/* A new line at the end; NULL without memory. */
struct pane_line *trees_add_line(struct panels *p, enum pane_line_kind kind,
				 __u32 row);

/* The tree below a row that was added. */
void trees_add(struct panels *p, struct pane_line row);

/* Is what has this id unfolded?  @open: if nobody said. */
bool trees_is_open(const struct trees *t, __u64 id, bool open);

/*
 * Have VMs and vCPUs rows of time?  Of what goes on now only if that has chains:
 * else it costs much and says no more than the states.
 */
bool panels_timed(const struct panels *p);

/*
 * tree_time.c: the rows of time beside those of the table, if it is of time;
 * the line of one of them, and of what is below it.
 */
void panels_time(struct panels *p, struct selection *sel,
		 const struct panel_row *row);
void trees_add_time(struct panels *p, __u32 row);

/*
 * Has the table of that selection the time in which vCPUs did not run, too?  Its
 * chains, or NULL.
 */
const struct chain_waits *trees_waits(const struct panels *p,
				      const struct selection *sel);

/* The chains are those of other slices, or of another interval. */
void trees_renew(struct panels *p, size_t first, size_t last);

/* Has a row of the table chains to unfold? */
bool trees_row_folds(const struct panels *p, const struct bucket_key *key);

/* Fold or unfold: the chosen line; all of its row; all rows. */
void trees_toggle(struct panels *p);
void trees_toggle_row(struct panels *p);
void trees_fold_all(struct panels *p, bool open);

/* Callers below their callees, or the other way round. */
void trees_turn(struct panels *p);

/*
 * tree_frame.c: samples of the chosen line's chains, at the addresses at which
 * they go through its frame; *ret is to be freed.  0: no code; -errno; else the
 * number of them.
 */
int trees_frame(struct panels *p, struct bucket **ret);

/*
 * listing.c: the chains of the first rows below, if there are any.  0 or
 * -ENOMEM; chain_rows_deinit() is due in either case.
 */
int listing_chains(struct panels *p, __u32 limit, struct chain_rows *c);

/* Those of its rows of time; without any, or of none, nothing is in it. */
int listing_time(struct panels *p, struct chain_time *c);

/* In how many ways the upper (0) and lower (1) pane can be sorted; names. */
#define UPPER_SORTS (1 + STEAL_COLUMNS)
#define LOWER_SORTS 5
const char *panels_sort_name(const struct panels *p, int pane);

/* Make the rows of the upper pane, and the sums in them. */
int panels_rows(struct panels *p);

/* thieves.c: can the thieves of a row be listed? */
bool panels_has_thieves(const struct panels *p, const struct panel_row *row);
void panels_thief_rows(struct panels *p);

/* The process of a thief that is one, VMMPROF_NONE: no sample is of it. */
__u32 panels_thief_process(const struct panels *p, const struct panel_row *row);

/* A new row, and the first one of a level below; NULL without memory. */
struct panel_row *panels_add_row(struct panels *p, enum panel_kind kind,
				 __u32 machine);
struct panel_row *panels_path_row(struct panels *p);

/* Does Enter on a row lead to another level? */
bool panels_can_enter(const struct panels *p, const struct panel_row *row);

/* Line of the screen where each part begins, for a screen of h lines. */
struct panels_layout {
	__u32 upper, nr_upper; /* rows, without the heading */
	__u32 time;	       /* 0: none */
	__u32 lower, nr_lower;
	__u32 axis_x, axis_w; /* columns of the time axis */
};
void panels_layout(const struct panels *p, __u32 w, __u32 h,
		   struct panels_layout *l);

/* "12.3", or "-" of nothing. */
void panels_percent(char *buf, size_t size, __u64 part, __u64 whole);

/* A share as a bar of @w columns, in eighths where there are blocks. */
void panels_share(struct grid *g, __u32 x, __u32 y, __u32 w, __u64 part,
		  __u64 whole, enum style style);

/* draw_lower.c */
void panels_draw_lower(struct panels *p, struct grid *g,
		       const struct panels_layout *l);

/* codepane.c: the text that `vmmprof annotate` prints, to scroll in. */

/*
 * Show the function sel->of of a selection.  0 or -ENOMEM; code_close()
 * is due in either case.
 */
int code_open(struct panels *p, const struct selection *sel);

/* The function of a frame: @at samples, as trees_frame() gives them. */
int code_open_frame(struct panels *p, struct bucket *at, size_t nr);
void code_close(struct panels *p);

/* The same for the matrix of victims and thieves. */
int matrix_open(struct panels *p);

/* Takes events instead of panels_key() while it is open. */
bool code_key(struct panels *p, const struct tui_event *ev);

void code_draw(struct panels *p, struct grid *g);

#endif /* TUI_PANELS_INTERNAL_H */
