/* SPDX-License-Identifier: GPL-2.0-only */
/* What the panels (tui/panels.h) show, and what is chosen in them. */
#ifndef TUI_PANELS_STATE_H
#define TUI_PANELS_STATE_H

#include "tui/grid.h"
#include "tui/trees_state.h"
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
	LEVEL_THIEVES, /* of a row of the first two */
};

enum panel_focus { FOCUS_UPPER, FOCUS_LOWER, FOCUS_TIME };

enum panel_kind {
	ROW_HOST,
	ROW_GUEST, /* also: all vCPUs of it, or all processes */
	ROW_VCPU,
	ROW_PROCESS,
	ROW_FUNCTION,
	ROW_THIEF, /* machine, vcpu, track, pid: the thief's own */
};

struct panel_row {
	enum panel_kind kind;
	bool all;      /* stands for everything of its level */
	__u32 machine; /* 0: host, else 1 + guest */
	__u32 track;   /* ROW_VCPU */
	__u32 vcpu;    /* id, VMMPROF_NONE */
	__u32 proc;    /* ROW_PROCESS */
	__u32 pid;     /* ROW_THIEF: of the host; VMMPROF_NONE: any */
	__u64 samples, user;
	__u64 total; /* ticks, 0: no states are known */
	__u64 column[STEAL_COLUMNS];
	__u32 thief;	       /* thief, VMMPROF_NONE */
	__u64 stolen;	       /* by that thief */
	struct bucket_key key; /* ROW_FUNCTION */
};

struct pane {
	size_t nr, cur, top; /* rows, the chosen one, the first on screen */
	size_t page;	     /* rows on screen */
	char filter[64];
	unsigned int sort;
};

/* How this level was entered. */
struct panel_path {
	__u32 machine, track, vcpu;
	__u32 proc;		/* VMMPROF_NONE: all */
	size_t cur;		/* the row chosen in the level above */
	enum panel_level level; /* the level above */
};

struct code_line {
	const char *text; /* safe to print */
	bool sampled;
	bool hot; /* 5 % of the function's samples or more */
	double percent;
};

#define CODE_LEFT_MAX 4096

/* The instructions of a function (codepane.c). */
struct code_pane {
	bool open, intel;
	bool matrix; /* instead: who took whose time, for a screen of .w */
	__u32 w;
	bool fresh; /* not drawn yet: at its hottest line then */
	bool old;   /* from an earlier interval: no samples since then */
	struct selection sel; /* which samples; .of points to of */
	struct bucket_key of;
	char name[256];
	char *text;
	struct code_line *lines;
	size_t nr, top, page;
	size_t at;   /* the line from which n and N search */
	size_t left; /* characters scrolled out on the left */
	/*
	 * NULL, or what the samples are instead: those of chains through a
	 * frame, at its addresses.
	 */
	struct bucket *frame;
	size_t nr_frame;
};

struct panels {
	struct timeline *tl; /* finished */
	struct slices *slices;
	struct names *names;
	const char *title;  /* safe to print */
	const char *notice; /* NULL, or what is missing, safe to print */
	/* NULL, or returns a text about a machine (or NULL), safe to print */
	const char *(*about)(void *arg, __u32 machine);
	void *about_arg;
	bool live, paused;
	bool has_steal;
	struct steal steal;
	struct code_files files; /* the user's, for instructions */
	struct code_pane code;

	enum panel_level level;
	struct panel_path path[5]; /* by level */
	enum panel_focus focus;
	struct pane pane[2];
	struct panel_row *rows; /* of the upper pane */
	size_t nr_rows, cap_rows;
	struct table table; /* of the lower pane */
	bool has_table;
	/*
	 * Of a VM or a vCPU with switch records it is of time, and so are these
	 * rows beside it; else they are none.
	 */
	struct time_rows time;
	__u64 whole; /* ticks, or samples: of what shares below are */
	/* pane[1].nr of them: its rows that pass the filter, and their chains */
	struct pane_line *lines;
	size_t cap_lines;
	struct trees trees;
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
