/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the process that owns the terminal and the one that reads what guests
 * wrote say to each other: keys one way, screens the other.  The second may
 * have been taken over by an attacker: nothing of a screen reaches the
 * terminal that is no printable character.
 */
#ifndef TUI_WIRE_H
#define TUI_WIRE_H

#include "tui/grid.h"

enum key {
	/* below: characters */
	TUI_KEY_FIRST = 0x110000,
	TUI_KEY_UP,
	TUI_KEY_DOWN,
	TUI_KEY_LEFT,
	TUI_KEY_RIGHT,
	TUI_KEY_PGUP,
	TUI_KEY_PGDN,
	TUI_KEY_HOME,
	TUI_KEY_END,
	TUI_KEY_ENTER,
	TUI_KEY_ESC,
	TUI_KEY_BACKSPACE,
	TUI_KEY_TAB,
	TUI_KEY_CLICK, /* x, y */
	TUI_KEY_SCROLL_UP,
	TUI_KEY_SCROLL_DOWN,
	TUI_KEY_RESIZE,	      /* x columns, y rows */
	TUI_KEY_DATA,	      /* x bytes follow (vmmprof top) */
	TUI_KEY_F = 0x110100, /* + n */
};

struct tui_event {
	__u32 key;
	__u32 x, y;
	__u32 utf8; /* with RESIZE: the terminal shows it */
	__u32 more; /* events follow at once; after the last comes a screen */
};

/* From the reader. */
enum tui_say {
	TUI_BEGIN = 1, /* the terminal is wanted */
	TUI_SCREEN,    /* w, h; the cells follow */
	TUI_END,       /* no more of it */
};

struct tui_head {
	__u32 say;
	__u32 w, h;
};

/* 0 or -errno; -EPIPE: the other end is closed. */
int tui_send(int fd, const struct grid *g);

/*
 * The cells after a SCREEN head into g (made by grid_init(), of any
 * size), checked.  0, -EPROTO (no head of ours), -ENOMEM or as above.
 */
int tui_receive(int fd, const struct tui_head *head, struct grid *g);

#endif /* TUI_WIRE_H */
