/* SPDX-License-Identifier: GPL-2.0-only */
/* What the panels (tui/panels.h) show, and what is chosen in them. */
#ifndef TUI_PANELS_STATE_H
#define TUI_PANELS_STATE_H

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

/* The instructions of a function (codepane.c). */
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

#endif /* TUI_PANELS_STATE_H */
