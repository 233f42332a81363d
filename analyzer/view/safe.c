// SPDX-License-Identifier: GPL-2.0-only
/* Foreign text -> text that a terminal shows as it is. */

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "safe.h"

size_t vmmprof_utf8(const char *s, size_t n, unsigned int *code)
{
	const unsigned char *p = (const unsigned char *)s;
	static const unsigned int least[] = { 0, 0, 0x80, 0x800, 0x10000 };
	unsigned int c;
	size_t len, i;

	if (!n)
		return 0;
	if (p[0] < 0x80) {
		*code = p[0];
		return 1;
	}
	len = p[0] >= 0xf0 ? 4 : p[0] >= 0xe0 ? 3 : 2;
	if (p[0] < 0xc2 || p[0] > 0xf4 || n < len)
		return 0;
	c = p[0] & (0x7f >> len);
	for (i = 1; i < len; i++) {
		if ((p[i] & 0xc0) != 0x80)
			return 0;
		c = c << 6 | (p[i] & 0x3f);
	}
	if (c < least[len] || c > 0x10ffff || (c >= 0xd800 && c < 0xe000))
		return 0;
	*code = c;
	return len;
}

static const struct {
	unsigned int first, last;
} hidden[] = {
	{ 0x0000, 0x001f },    /* C0 controls */
	{ 0x007f, 0x009f },    /* delete, C1 controls */
	{ 0x00ad, 0x00ad },    /* soft hyphen */
	{ 0x0300, 0x036f },    /* combining marks: stack without limit */
	{ 0x0483, 0x0489 },    /* the same */
	{ 0x061c, 0x061c },    /* Arabic letter mark */
	{ 0x115f, 0x1160 },    /* letters without a form */
	{ 0x180b, 0x180f },    /* Mongolian selectors */
	{ 0x1ab0, 0x1aff },    /* combining marks */
	{ 0x1dc0, 0x1dff },    /* the same */
	{ 0x200b, 0x200f },    /* zero width, direction marks */
	{ 0x2028, 0x202e },    /* separators, bidirectional embedding */
	{ 0x2060, 0x206f },    /* word joiner, isolates, invisible operators */
	{ 0x20d0, 0x20ff },    /* combining marks */
	{ 0x2800, 0x2800 },    /* Braille without dots */
	{ 0x3164, 0x3164 },    /* a letter without a form */
	{ 0xe000, 0xf8ff },    /* private use */
	{ 0xfe00, 0xfe0f },    /* variation selectors */
	{ 0xfe20, 0xfe2f },    /* combining marks */
	{ 0xfeff, 0xfeff },    /* byte order mark */
	{ 0xffa0, 0xffa0 },    /* a letter without a form */
	{ 0xfff0, 0xffff },    /* specials, noncharacters */
	{ 0x1bca0, 0x1bca3 },  /* shorthand format controls */
	{ 0x1d165, 0x1d1ad },  /* musical marks and controls */
	{ 0xe0000, 0x10ffff }, /* tags, private use */
};

static bool is_hidden(unsigned int c)
{
	size_t i;

	if (c >= 0x20 && c < 0x7f)
		return false;
	for (i = 0; i < sizeof(hidden) / sizeof(hidden[0]); i++)
		if (c >= hidden[i].first && c <= hidden[i].last)
			return true;
	return false;
}

/* Most of most text: bytes of ASCII that are shown as they are. */
static size_t plain(const char *s, size_t n)
{
	size_t i = 0;

	while (i < n && s[i] >= 0x20 && s[i] < 0x7f)
		i++;
	return i;
}

size_t vmmprof_safe(char *dst, size_t size, const char *src)
{
	size_t left = strlen(src), out = 0, cols = 0, len, room, i;
	size_t end = 0, end_cols = 0; /* with room for the mark */
	unsigned int c;
	bool escape;

	while (left) {
		room = size - out - 1 > strlen(VMMPROF_CUT) ?
			       size - out - 1 - strlen(VMMPROF_CUT) :
			       0;
		len = plain(src, left < room ? left : room);
		if (len) {
			memcpy(dst + out, src, len);
			out += len;
			cols += len;
			src += len;
			left -= len;
			end = out;
			end_cols = cols;
			continue;
		}
		len = vmmprof_utf8(src, left, &c);
		escape = !len || is_hidden(c);
		if (!len)
			len = 1;
		if (out + strlen(VMMPROF_CUT) < size) {
			end = out;
			end_cols = cols;
		}
		if (out + (escape ? 4 * len : len) >= size)
			break;
		if (escape) {
			for (i = 0; i < len; i++)
				out += sprintf(dst + out, "\\x%02x",
					       (unsigned char)src[i]);
			cols += 4 * len;
		} else {
			memcpy(dst + out, src, len);
			out += len;
			cols++;
		}
		src += len;
		left -= len;
	}
	dst[out] = '\0';
	if (!left || size <= strlen(VMMPROF_CUT))
		return cols;
	strcpy(dst + end, VMMPROF_CUT);
	return end_cols + strlen(VMMPROF_CUT);
}

void vmmprof_cut(char *s, size_t columns)
{
	size_t len = strlen(s);
	const char *mark = columns > 2 ? ".." : "";

	if (vmmprof_columns(s) <= columns)
		return;
	while (vmmprof_columns(s) > columns - strlen(mark))
		s[--len] = '\0';
	strcpy(s + len, mark);
}

size_t vmmprof_columns(const char *s)
{
	size_t n = 0;

	for (; *s; s++)
		n += (*s & 0xc0) != 0x80;
	return n;
}
