// SPDX-License-Identifier: GPL-2.0-only
/* Sends and receives events and screens through a socket. */

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include <wchar.h>

#include "base/io.h"
#include "tui/wire.h"
#include "view/unicode.h"

int tui_send(int fd, const struct grid *g)
{
	const struct tui_head head = { TUI_SCREEN, g->w, g->h };
	int ret = io_send(fd, &head, sizeof(head));

	return ret ? ret :
		     io_send(fd, g->cells,
			     (size_t)g->w * g->h * sizeof(*g->cells));
}

/*
 * Is it a printable character of this many columns?  wcwidth() tells, because
 * ncurses uses it, too.
 */
static bool printable(__u32 code, int width)
{
	return unicode_columns(code) == (unsigned int)width &&
	       wcwidth(code) == width;
}

static void check_line(struct cell_ch *line, __u32 w)
{
	bool half = false;
	__u32 x;

	for (x = 0; x < w; x++) {
		bool wide = x + 1 < w && !line[x + 1].code &&
			    printable(line[x].code, 2);

		if (line[x].style >= NR_STYLES)
			line[x].style = TUI_STYLE_PLAIN;
		if (half)
			line[x].code = 0;
		else if (!wide && (line[x].code < ' ' || line[x].code > 0x7e) &&
			 !printable(line[x].code, 1))
			line[x].code = '?';
		half = wide && !half;
	}
}

int tui_receive(int fd, const struct tui_head *head, struct grid *g)
{
	int ret;
	__u32 y;

	if (head->say != TUI_SCREEN || !head->w || !head->h ||
	    head->w > GRID_W || head->h > VMMPROF_GRID_H)
		return -EPROTO;
	if (head->w != g->w || head->h != g->h) {
		bool utf8 = g->utf8;

		grid_deinit(g);
		ret = grid_init(g, head->w, head->h, utf8);
		if (ret)
			return ret;
	}
	ret = io_recv(fd, g->cells, (size_t)g->w * g->h * sizeof(*g->cells));
	for (y = 0; y < g->h && !ret; y++)
		check_line(g->cells + (size_t)y * g->w, g->w);
	return ret;
}
