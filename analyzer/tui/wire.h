/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The protocol between the process that owns the terminal and the reader, which
 * reads what guests wrote: keys to the reader, screens from it.  An attacker
 * may have taken over the reader, so only printable characters of a screen
 * reach the terminal.
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
	__u32 utf8; /* with RESIZE: the terminal shows UTF-8 */
	__u32 more; /* more events follow; after the last one send a screen */
};

/* From the reader. */
enum tui_say {
	TUI_BEGIN = 1, /* take over the terminal */
	TUI_SCREEN,    /* w, h; the cells follow */
	TUI_END,       /* restore the terminal */
};

struct tui_head {
	__u32 say;
	__u32 w, h;
};

/* 0 or -errno; -EPIPE: the other end is closed. */
int tui_send(int fd, const struct grid *g);

/*
 * Receive and check the cells after a SCREEN head into g (made by grid_init(),
 * of any size).  0; -EPROTO: a wrong head; -ENOMEM; or as above.
 */
int tui_receive(int fd, const struct tui_head *head, struct grid *g);

#endif /* TUI_WIRE_H */
