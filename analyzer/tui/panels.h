/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The panels of `vmmprof report --tui` and `vmmprof top`: above, VMs and vCPUs
 * (or the processes, or functions, of the one that was entered) with their
 * states; below, the hottest functions of the row chosen above; over them the
 * instructions of a function.  A state machine: keys in, a grid of characters
 * out; it knows no terminal.
 *
 * All numbers are those of vmmprof_steal and vmmprof_table, and of
 * vmmprof_annotate if the pass kept addresses.
 */
#ifndef VMMPROF_TUI_PANELS_H
#define VMMPROF_TUI_PANELS_H

#include "tui/grid.h"
#include "tui/wire.h"
#include "code/find.h"
#include "model/slices.h"
#include "view/steal.h"
#include "view/table.h"

enum vmmprof_panel_level {
	VMMPROF_LEVEL_VMS,
	VMMPROF_LEVEL_VCPUS,
	VMMPROF_LEVEL_PROCESSES,
	VMMPROF_LEVEL_FUNCTIONS,
};

enum vmmprof_panel_focus { FOCUS_UPPER, FOCUS_LOWER, FOCUS_TIME };

enum vmmprof_panel_kind {
	ROW_HOST,
	ROW_GUEST, /* also: all vCPUs of it, or all processes */
	ROW_VCPU,
	ROW_PROCESS,
	ROW_FUNCTION,
};

struct vmmprof_panel_row {
	enum vmmprof_panel_kind kind;
	bool all;      /* stands for everything of its level */
	__u32 machine; /* 0: host, else 1 + guest */
	__u32 track;   /* ROW_VCPU */
	__u32 vcpu;    /* id, VMMPROF_NONE */
	__u32 proc;    /* ROW_PROCESS */
	__u64 samples, user;
	__u64 total; /* ticks, 0: no states are known */
	__u64 column[VMMPROF_STEAL_COLUMNS];
	__u32 thief;		     /* culprit, VMMPROF_NONE */
	__u64 stolen;		     /* by him */
	struct vmmprof_cell_key key; /* ROW_FUNCTION */
};

struct vmmprof_pane {
	size_t nr, cur, top; /* rows, the chosen one, the first on screen */
	size_t page;	     /* rows on screen */
	char filter[64];
	unsigned int sort;
};

/* Where one came from. */
struct vmmprof_panel_path {
	__u32 machine, track, vcpu;
	__u32 proc;			/* VMMPROF_NONE: all */
	size_t cur;			/* in the level above */
	enum vmmprof_panel_level level; /* that one */
};

struct vmmprof_code_line {
	const char *text; /* safe to print */
	bool sampled;
	bool hot; /* a good part of the function's samples */
};

#define VMMPROF_CODE_LEFT_MAX 4096

/* The instructions of a function (codepane.h). */
struct vmmprof_code_pane {
	bool open, intel;
	bool old; /* of an earlier interval: it has no samples since */
	struct vmmprof_selection sel; /* whose samples; .of is the next one */
	struct vmmprof_cell_key of;
	char name[256];
	char *text;
	struct vmmprof_code_line *lines;
	size_t nr, top, page;
	size_t at;   /* the hot line chosen last, or where one looks on */
	size_t left; /* characters that are out of sight */
};

struct vmmprof_panels {
	struct vmmprof_timeline *tl; /* finished */
	struct vmmprof_slices *slices;
	struct vmmprof_names *names;
	const char *title;  /* safe to print */
	const char *notice; /* NULL, or what is missing, safe to print */
	/* NULL, or what to say of a machine (or NULL), safe to print */
	const char *(*about)(void *arg, __u32 machine);
	void *about_arg;
	bool live, paused;
	bool has_steal;
	struct vmmprof_steal steal;
	struct vmmprof_code_files files; /* of the user, for instructions */
	struct vmmprof_code_pane code;

	enum vmmprof_panel_level level;
	struct vmmprof_panel_path path[4]; /* by level */
	enum vmmprof_panel_focus focus;
	struct vmmprof_pane pane[2];
	struct vmmprof_panel_row *rows; /* of the upper pane */
	size_t nr_rows, cap_rows;
	struct vmmprof_table table; /* of the lower pane */
	bool has_table;
	__u32 *shown; /* its rows that pass the filter */
	__u32 event;

	/* time: slices */
	size_t cursor, mark, first, last;
	bool marking;
	__u64 slice_steal[VMMPROF_SLICES], slice_all[VMMPROF_SLICES];

	__u32 w, h; /* of the screen drawn last */
	bool help, editing;
	char edit[64];
	int err; /* -ENOMEM happened */
};

/*
 * tl, slices and names are the caller's and stay, so do .files, if he sets
 * them afterwards.  0 or -ENOMEM; deinit is due in either case.
 */
int vmmprof_panels_init(struct vmmprof_panels *p, struct vmmprof_timeline *tl,
			struct vmmprof_slices *slices,
			struct vmmprof_names *names);
void vmmprof_panels_deinit(struct vmmprof_panels *p);

/* Take an event.  False: the user wants to leave. */
bool vmmprof_panels_key(struct vmmprof_panels *p,
			const struct vmmprof_tui_event *ev);

void vmmprof_panels_draw(struct vmmprof_panels *p, struct vmmprof_grid *g);

/* There are new numbers, or another stretch of time: make all rows again. */
void vmmprof_panels_refresh(struct vmmprof_panels *p);

/* What follows is for the files of this folder, and for tests. */

/* The rows of the lower pane again: the chosen row is another one. */
void vmmprof_panels_choose(struct vmmprof_panels *p);

/* Keep the chosen row and the window within what is there. */
void vmmprof_pane_clamp(struct vmmprof_pane *pane);

/* The chosen row above; NULL: there is none. */
const struct vmmprof_panel_row *
vmmprof_panels_chosen(const struct vmmprof_panels *p);

/* Its name, safe to print. */
void vmmprof_panels_name(struct vmmprof_panels *p,
			 const struct vmmprof_panel_row *row, char *buf,
			 size_t size);

/* What a row above stands for. */
struct vmmprof_selection
vmmprof_panels_selection(const struct vmmprof_panels *p,
			 const struct vmmprof_panel_row *row);

/* Columns of the lower pane. */
const enum vmmprof_sort *vmmprof_panels_keys(const struct vmmprof_panels *p,
					     size_t *nr);

/* Cell i of a row below, safe to print. */
void vmmprof_panels_cell(struct vmmprof_panels *p,
			 const struct vmmprof_cell_key *key, size_t i,
			 char *buf, size_t size);

/* How many ways the upper (0) and lower (1) pane can be sorted, and names. */
#define VMMPROF_UPPER_SORTS (1 + VMMPROF_STEAL_COLUMNS)
#define VMMPROF_LOWER_SORTS 5
const char *vmmprof_panels_sort_name(const struct vmmprof_panels *p, int pane);

/* The rows above and the sums they are made of. */
int vmmprof_panels_rows(struct vmmprof_panels *p);

/* Is what lies below a row another level? */
bool vmmprof_panels_can_enter(const struct vmmprof_panels *p,
			      const struct vmmprof_panel_row *row);

/* Line of the screen where each part begins, for a screen of h lines. */
struct vmmprof_panels_layout {
	__u32 upper, nr_upper; /* rows, without the heading */
	__u32 time;	       /* 0: none */
	__u32 lower, nr_lower;
	__u32 axis_x, axis_w; /* columns of the time axis */
};
void vmmprof_panels_layout(const struct vmmprof_panels *p, __u32 w, __u32 h,
			   struct vmmprof_panels_layout *l);

#endif /* VMMPROF_TUI_PANELS_H */
