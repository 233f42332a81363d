/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the process that owns the terminal and the one that reads what guests
 * wrote say to each other: keys one way, screens the other.  The second may
 * have been taken over by an attacker: nothing of a screen reaches the
 * terminal that is no printable character.
 */
#ifndef VMMPROF_TUI_WIRE_H
#define VMMPROF_TUI_WIRE_H

#include "tui/grid.h"

enum vmmprof_key {
	/* below: characters */
	VMMPROF_KEY_FIRST = 0x110000,
	VMMPROF_KEY_UP,
	VMMPROF_KEY_DOWN,
	VMMPROF_KEY_LEFT,
	VMMPROF_KEY_RIGHT,
	VMMPROF_KEY_PGUP,
	VMMPROF_KEY_PGDN,
	VMMPROF_KEY_HOME,
	VMMPROF_KEY_END,
	VMMPROF_KEY_ENTER,
	VMMPROF_KEY_ESC,
	VMMPROF_KEY_BACKSPACE,
	VMMPROF_KEY_TAB,
	VMMPROF_KEY_CLICK, /* x, y */
	VMMPROF_KEY_SCROLL_UP,
	VMMPROF_KEY_SCROLL_DOWN,
	VMMPROF_KEY_RESIZE,	  /* x columns, y rows */
	VMMPROF_KEY_DATA,	  /* x bytes follow (vmmprof top) */
	VMMPROF_KEY_F = 0x110100, /* + n */
};

struct vmmprof_tui_event {
	__u32 key;
	__u32 x, y;
	__u32 utf8; /* with RESIZE: the terminal shows it */
	__u32 more; /* events follow at once; after the last comes a screen */
};

/* From the reader. */
enum vmmprof_tui_say {
	VMMPROF_TUI_BEGIN = 1, /* the terminal is wanted */
	VMMPROF_TUI_SCREEN,    /* w, h; the cells follow */
	VMMPROF_TUI_END,       /* no more of it */
};

struct vmmprof_tui_head {
	__u32 say;
	__u32 w, h;
};

/* All of n bytes.  0, or -errno; -EPIPE: the other end is closed. */
int vmmprof_tui_read(int fd, void *buf, size_t n);
int vmmprof_tui_write(int fd, const void *buf, size_t n);

int vmmprof_tui_send(int fd, const struct vmmprof_grid *g);

/*
 * The cells after a SCREEN head into g (made by vmmprof_grid_init(), of any
 * size), checked.  0, -EPROTO (no head of ours), -ENOMEM or as above.
 */
int vmmprof_tui_receive(int fd, const struct vmmprof_tui_head *head,
			struct vmmprof_grid *g);

#endif /* VMMPROF_TUI_WIRE_H */
