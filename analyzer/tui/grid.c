// SPDX-License-Identifier: GPL-2.0-only
/* Writes characters into cells, and reads them back. */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "tui/grid.h"
#include "view/safe.h"
#include "view/unicode.h"

int grid_init(struct grid *g, __u32 w, __u32 h, bool utf8)
{
	memset(g, 0, sizeof(*g));
	g->w = w < 1 ? 1 : w > GRID_W ? GRID_W : w;
	g->h = h < 1 ? 1 : h > VMMPROF_GRID_H ? VMMPROF_GRID_H : h;
	g->utf8 = utf8;
	g->cells = malloc((size_t)g->w * g->h * sizeof(*g->cells));
	if (!g->cells)
		return -ENOMEM;
	grid_clear(g);
	return 0;
}

void grid_deinit(struct grid *g)
{
	free(g->cells);
	memset(g, 0, sizeof(*g));
}

void grid_clear(struct grid *g)
{
	size_t i;

	for (i = 0; i < (size_t)g->w * g->h; i++)
		g->cells[i] = (struct cell_ch){ ' ', 0 };
}

void grid_put(struct grid *g, __u32 x, __u32 y, enum style style, __u32 code)
{
	if (x >= g->w || y >= g->h)
		return;
	if (code > 0x7e && !g->utf8)
		code = '?';
	g->cells[(size_t)y * g->w + x] = (struct cell_ch){ code, style };
}

/* Columns of a character, 1 or 2; *code becomes '?' if it has no width. */
static __u32 columns(const struct grid *g, unsigned int *code)
{
	__u32 n = unicode_columns(*code);

	if (!n) {
		*code = '?';
		return 1;
	}
	return g->utf8 ? n : 1;
}

/* The next character of text and its columns; false: there is none. */
static bool next(const struct grid *g, const char **text, unsigned int *code,
		 __u32 *cols)
{
	size_t len;

	if (!**text)
		return false;
	len = utf8_decode(*text, strlen(*text), code);
	if (!len) {
		*code = '?';
		len = 1;
	}
	*text += len;
	*cols = columns(g, code);
	return true;
}

void grid_text(struct grid *g, __u32 x, __u32 y, __u32 width, enum style style,
	       const char *text)
{
	__u32 at = 0, cols;
	unsigned int code;

	if (x >= g->w || y >= g->h)
		return;
	if (width > g->w - x)
		width = g->w - x;
	while (next(g, &text, &code, &cols) && at + cols <= width) {
		grid_put(g, x + at, y, style, code);
		if (cols == 2)
			grid_put(g, x + at + 1, y, style, 0);
		at += cols;
	}
	for (; at < width; at++)
		grid_put(g, x + at, y, style, ' ');
}

void grid_right(struct grid *g, __u32 x, __u32 y, __u32 width, enum style style,
		const char *text)
{
	const char *p = text;
	__u32 n = 0, cols;
	unsigned int code;

	while (next(g, &p, &code, &cols))
		n += cols;
	if (n > width)
		n = width;
	grid_text(g, x, y, width - n, style, "");
	grid_text(g, x + width - n, y, n, style, text);
}

/* The character as UTF-8, NUL-terminated; its length. */
static size_t encode(__u32 code, char buf[8])
{
	size_t n = 0;

	if (code >= 0x10000) {
		buf[n++] = 0xf0 | (code >> 18 & 7);
		buf[n++] = 0x80 | (code >> 12 & 0x3f);
	} else if (code >= 0x800) {
		buf[n++] = 0xe0 | code >> 12;
	}
	if (code >= 0x800)
		buf[n++] = 0x80 | (code >> 6 & 0x3f);
	else if (code >= 0x80)
		buf[n++] = 0xc0 | code >> 6;
	buf[n++] = code < 0x80 ? code : 0x80 | (code & 0x3f);
	buf[n] = '\0';
	return n;
}

void grid_line(const struct grid *g, __u32 y, char *buf, size_t size)
{
	size_t used = 0, end = 0, len;
	char ch[8];
	__u32 x, code;

	for (x = 0; y < g->h && x < g->w; x++) {
		code = g->cells[(size_t)y * g->w + x].code;
		if (!code)
			continue;
		len = encode(code, ch);
		if (used + len >= size)
			break;
		memcpy(buf + used, ch, len);
		used += len;
		if (code != ' ')
			end = used;
	}
	buf[end] = '\0';
}
