/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The panels of `vmmprof report --tui` and `vmmprof top`: above, VMs and vCPUs
 * (or the processes, or functions, of the one that was entered) with their
 * states; below, the hottest functions of the row chosen above; over them the
 * instructions of a function.  A state machine: keys in, a grid of characters
 * out; it knows no terminal.
 *
 * All numbers are those of steal and table, and of
 * annotate if the pass kept addresses.
 */
#ifndef TUI_PANELS_H
#define TUI_PANELS_H

#include "tui/grid.h"
#include "tui/wire.h"
#include "code/find.h"
#include "model/slices.h"
#include "view/steal.h"
#include "view/table.h"

enum panel_level {
	LEVEL_VMS,
	LEVEL_VCPUS,
	LEVEL_PROCESSES,
	LEVEL_FUNCTIONS,
};

enum panel_focus { FOCUS_UPPER, FOCUS_LOWER, FOCUS_TIME };

enum panel_kind {
	ROW_HOST,
	ROW_GUEST, /* also: all vCPUs of it, or all processes */
	ROW_VCPU,
	ROW_PROCESS,
	ROW_FUNCTION,
};

struct panel_row {
	enum panel_kind kind;
	bool all;      /* stands for everything of its level */
	__u32 machine; /* 0: host, else 1 + guest */
	__u32 track;   /* ROW_VCPU */
	__u32 vcpu;    /* id, VMMPROF_NONE */
	__u32 proc;    /* ROW_PROCESS */
	__u64 samples, user;
	__u64 total; /* ticks, 0: no states are known */
	__u64 column[STEAL_COLUMNS];
	__u32 thief;	       /* thief, VMMPROF_NONE */
	__u64 stolen;	       /* by him */
	struct bucket_key key; /* ROW_FUNCTION */
};

struct pane {
	size_t nr, cur, top; /* rows, the chosen one, the first on screen */
	size_t page;	     /* rows on screen */
	char filter[64];
	unsigned int sort;
};

/* Where one came from. */
struct panel_path {
	__u32 machine, track, vcpu;
	__u32 proc;		/* VMMPROF_NONE: all */
	size_t cur;		/* in the level above */
	enum panel_level level; /* that one */
};

struct code_line {
	const char *text; /* safe to print */
	bool sampled;
	bool hot; /* a good part of the function's samples */
};

#define CODE_LEFT_MAX 4096

/* The instructions of a function (codepane.h). */
struct code_pane {
	bool open, intel;
	bool old; /* of an earlier interval: it has no samples since */
	struct selection sel; /* whose samples; .of is the next one */
	struct bucket_key of;
	char name[256];
	char *text;
	struct code_line *lines;
	size_t nr, top, page;
	size_t at;   /* the hot line chosen last, or where one looks on */
	size_t left; /* characters that are out of sight */
};

struct panels {
	struct timeline *tl; /* finished */
	struct slices *slices;
	struct names *names;
	const char *title;  /* safe to print */
	const char *notice; /* NULL, or what is missing, safe to print */
	/* NULL, or what to say of a machine (or NULL), safe to print */
	const char *(*about)(void *arg, __u32 machine);
	void *about_arg;
	bool live, paused;
	bool has_steal;
	struct steal steal;
	struct code_files files; /* of the user, for instructions */
	struct code_pane code;

	enum panel_level level;
	struct panel_path path[4]; /* by level */
	enum panel_focus focus;
	struct pane pane[2];
	struct panel_row *rows; /* of the upper pane */
	size_t nr_rows, cap_rows;
	struct table table; /* of the lower pane */
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
int panels_init(struct panels *p, struct timeline *tl, struct slices *slices,
		struct names *names);
void panels_deinit(struct panels *p);

/* Take an event.  False: the user wants to leave. */
bool panels_key(struct panels *p, const struct tui_event *ev);

void panels_draw(struct panels *p, struct grid *g);

/* There are new numbers, or another stretch of time: make all rows again. */
void panels_refresh(struct panels *p);

/* What follows is for the files of this folder, and for tests. */

/* The rows of the lower pane again: the chosen row is another one. */
void panels_choose(struct panels *p);

/* Keep the chosen row and the window within what is there. */
void pane_clamp(struct pane *pane);

/* The chosen row above; NULL: there is none. */
const struct panel_row *panels_chosen(const struct panels *p);

/* Its name, safe to print. */
void panels_name(struct panels *p, const struct panel_row *row, char *buf,
		 size_t size);

/* What a row above stands for. */
struct selection panels_selection(const struct panels *p,
				  const struct panel_row *row);

/* Columns of the lower pane. */
const enum sort *panels_keys(const struct panels *p, size_t *nr);

/* Cell i of a row below, safe to print. */
void panels_cell(struct panels *p, const struct bucket_key *key, size_t i,
		 char *buf, size_t size);

/* How many ways the upper (0) and lower (1) pane can be sorted, and names. */
#define UPPER_SORTS (1 + STEAL_COLUMNS)
#define LOWER_SORTS 5
const char *panels_sort_name(const struct panels *p, int pane);

/* The rows above and the sums they are made of. */
int panels_rows(struct panels *p);

/* Is what lies below a row another level? */
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

#endif /* TUI_PANELS_H */
