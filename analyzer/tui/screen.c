// SPDX-License-Identifier: GPL-2.0-only
/* The terminal by ncurses. */

#define NCURSES_WIDECHAR 1
#include <errno.h>
#include <langinfo.h>
#include <locale.h>
#include <ncurses.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <term.h>
#include <termios.h>
#include <unistd.h>

#include "tui/screen.h"

/* Ctrl-L draws anew, as in other programs, if the terminal lost its content. */
#define CTRL_L	   12

#define FULL_BLOCK 0x2588

static SCREEN *screen;
static bool utf8;

/* What a signal handler needs to restore the terminal. */
static struct termios found;
static char reset[512];
static size_t reset_len;

static const int endings[] = { SIGTERM, SIGHUP,	 SIGINT, SIGQUIT, SIGSEGV,
			       SIGBUS,	SIGABRT, SIGILL, SIGFPE };
#define NR_ENDINGS (sizeof(endings) / sizeof(endings[0]))
static struct sigaction before[NR_ENDINGS];

static int keep_char(int c)
{
	if (reset_len < sizeof(reset))
		reset[reset_len++] = c;
	return c;
}

static void keep_capability(const char *name)
{
	const char *s = tigetstr(name);

	if (s && s != (char *)-1)
		tputs(s, 1, keep_char);
}

/* Async-signal-safe. */
static void end_by(int sig)
{
	ssize_t n = write(STDOUT_FILENO, reset, reset_len);

	(void)n;
	tcsetattr(STDIN_FILENO, TCSANOW, &found);
	signal(sig, SIG_DFL);
	raise(sig);
}

static void catch_endings(void)
{
	struct sigaction sa = { .sa_handler = end_by,
				.sa_flags = SA_NODEFER | SA_RESETHAND };
	const char *mouse = "\033[?1006l\033[?1002l\033[?1000l";
	size_t i;

	reset_len = 0;
	if (key_defined("\033[M") || tigetstr("kmous") > (char *)0)
		for (; *mouse; mouse++)
			keep_char(*mouse);
	keep_capability("sgr0");
	keep_capability("rmkx");
	keep_capability("cnorm");
	keep_capability("rmcup");
	for (i = 0; i < NR_ENDINGS; i++)
		sigaction(endings[i], &sa, &before[i]);
}

/* Colours, or other attributes if the terminal has no colours. */
static const struct {
	short fg, bg;
	attr_t attr, mono;
} styles[NR_STYLES] = {
	[TUI_STYLE_PLAIN] = { -1, -1, A_NORMAL, A_NORMAL },
	[TUI_STYLE_TITLE] = { COLOR_BLACK, COLOR_CYAN, A_NORMAL, A_REVERSE },
	[TUI_STYLE_HEAD] = { COLOR_BLACK, COLOR_GREEN, A_NORMAL, A_BOLD },
	[TUI_STYLE_CHOSEN] = { -1, -1, A_REVERSE, A_REVERSE },
	[TUI_STYLE_OTHER] = { -1, -1, A_BOLD, A_UNDERLINE },
	[TUI_STYLE_DIM] = { COLOR_BLUE, -1, A_NORMAL, A_NORMAL },
	[TUI_STYLE_MARK] = { COLOR_BLACK, COLOR_YELLOW, A_NORMAL, A_REVERSE },
	[TUI_STYLE_GUEST] = { COLOR_GREEN, -1, A_NORMAL, A_NORMAL },
	[TUI_STYLE_VMM] = { COLOR_CYAN, -1, A_NORMAL, A_NORMAL },
	[TUI_STYLE_STEAL] = { COLOR_RED, -1, A_NORMAL, A_NORMAL },
	[TUI_STYLE_HALT] = { COLOR_BLUE, -1, A_NORMAL, A_NORMAL },
	[TUI_STYLE_BLOCKED] = { COLOR_MAGENTA, -1, A_NORMAL, A_NORMAL },
	[TUI_STYLE_UNKNOWN] = { COLOR_YELLOW, -1, A_NORMAL, A_NORMAL },
	[TUI_STYLE_BAR + 0] = { COLOR_GREEN, -1, A_NORMAL, A_NORMAL },
	[TUI_STYLE_BAR + 1] = { COLOR_CYAN, -1, A_NORMAL, A_NORMAL },
	[TUI_STYLE_BAR + 2] = { COLOR_RED, -1, A_NORMAL, A_NORMAL },
	[TUI_STYLE_BAR + 3] = { COLOR_BLUE, -1, A_NORMAL, A_NORMAL },
	[TUI_STYLE_BAR + 4] = { COLOR_MAGENTA, -1, A_NORMAL, A_NORMAL },
	[TUI_STYLE_BAR + 5] = { COLOR_YELLOW, -1, A_NORMAL, A_NORMAL },
};
static bool colours;

static void set_colours(void)
{
	const char *no = getenv("NO_COLOR");
	int i;

	colours = has_colors() && !(no && *no) && start_color() == OK;
	if (!colours)
		return;
	use_default_colors();
	for (i = 1; i < NR_STYLES; i++)
		init_pair(i, styles[i].fg, styles[i].bg);
}

int screen_open(void)
{
	if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO) ||
	    tcgetattr(STDIN_FILENO, &found))
		return -ENOTTY;
	setlocale(LC_CTYPE, "");
	utf8 = !strcmp(nl_langinfo(CODESET), "UTF-8");
	screen = newterm(NULL, stdout, stdin);
	if (!screen)
		return -ENOENT;
	catch_endings();
	/* the type is known, but can only print lines: "dumb" */
	if (!tigetstr("cup")) {
		screen_close();
		return -ENOTSUP;
	}
	set_colours();
	cbreak();
	noecho();
	nonl();
	intrflush(stdscr, FALSE);
	keypad(stdscr, TRUE);
	nodelay(stdscr, TRUE);
	set_escdelay(25);
	curs_set(0);
	mouseinterval(0);
	mousemask(BUTTON1_PRESSED | BUTTON4_PRESSED | BUTTON5_PRESSED, NULL);
	return 0;
}

void screen_close(void)
{
	size_t i;

	if (!screen)
		return;
	endwin();
	delscreen(screen);
	screen = NULL;
	for (i = 0; i < NR_ENDINGS; i++)
		sigaction(endings[i], &before[i], NULL);
}

void screen_size(struct tui_event *ev)
{
	*ev = (struct tui_event){
		.key = TUI_KEY_RESIZE,
		.x = COLS,
		.y = LINES,
		.utf8 = utf8,
	};
}

static bool mouse(struct tui_event *ev)
{
	MEVENT m;

	if (getmouse(&m) != OK || m.x < 0 || m.y < 0)
		return false;
	ev->x = m.x;
	ev->y = m.y;
	ev->key = m.bstate & BUTTON4_PRESSED ? TUI_KEY_SCROLL_UP :
		  m.bstate & BUTTON5_PRESSED ? TUI_KEY_SCROLL_DOWN :
					       TUI_KEY_CLICK;
	return true;
}

/* Translates a key of ncurses to ours; 0: it is not used. */
static __u32 key_of(wint_t c)
{
	static const struct {
		wint_t curses;
		__u32 key;
	} keys[] = {
		{ KEY_UP, TUI_KEY_UP },
		{ KEY_DOWN, TUI_KEY_DOWN },
		{ KEY_LEFT, TUI_KEY_LEFT },
		{ KEY_RIGHT, TUI_KEY_RIGHT },
		{ KEY_PPAGE, TUI_KEY_PGUP },
		{ KEY_NPAGE, TUI_KEY_PGDN },
		{ KEY_HOME, TUI_KEY_HOME },
		{ KEY_END, TUI_KEY_END },
		{ KEY_ENTER, TUI_KEY_ENTER },
		{ KEY_BACKSPACE, TUI_KEY_BACKSPACE },
	};
	size_t i;

	for (i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		if (keys[i].curses == c)
			return keys[i].key;
	return c >= KEY_F(1) && c <= KEY_F(12) ? TUI_KEY_F + c - KEY_F(0) : 0;
}

static __u32 character(wint_t c)
{
	switch (c) {
	case '\r':
	case '\n':
		return TUI_KEY_ENTER;
	case '\t':
		return TUI_KEY_TAB;
	case 27:
		return TUI_KEY_ESC;
	case 8:
	case 0x7f:
		return TUI_KEY_BACKSPACE;
	}
	return c < TUI_KEY_FIRST ? c : 0;
}

bool screen_key(struct tui_event *ev)
{
	wint_t c;
	int ret;

	memset(ev, 0, sizeof(*ev));
	for (;;) {
		ret = get_wch(&c);
		if (ret == ERR)
			return false;
		if (ret == OK && c != CTRL_L) {
			ev->key = character(c);
		} else if (ret == OK || c == KEY_RESIZE) {
			/* draw all: earlier output may be anywhere */
			clearok(curscr, TRUE);
			screen_size(ev);
			return true;
		} else if (c == KEY_MOUSE) {
			if (mouse(ev))
				return true;
		} else {
			ev->key = key_of(c);
		}
		if (ev->key)
			return true;
	}
}

void screen_show(const struct grid *g)
{
	const struct cell_ch *c;
	wchar_t text[2] = { 0 };
	cchar_t out;
	__u32 x, y;
	attr_t attr;

	erase();
	for (y = 0; y < g->h && y < (__u32)LINES; y++) {
		for (x = 0; x < g->w && x < (__u32)COLS; x++) {
			c = &g->cells[(size_t)y * g->w + x];
			if (!c->code)
				continue;
			text[0] = c->code;
			if (c->style >= TUI_STYLE_BAR && colours && utf8)
				text[0] = FULL_BLOCK;
			attr = colours ? styles[c->style].attr :
					 styles[c->style].mono;
			setcchar(&out, text, attr, colours ? c->style : 0,
				 NULL);
			mvadd_wch(y, x, &out);
		}
	}
	refresh();
}
