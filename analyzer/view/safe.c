// SPDX-License-Identifier: GPL-2.0-only
/* Makes foreign text safe to print on a terminal. */

#include <stdbool.h>
#include <string.h>

#include "view/safe.h"
#include "view/unicode.h"

size_t utf8_decode(const char *s, size_t n, unsigned int *code)
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

/* The fast path: printable ASCII. */
static size_t plain(const char *s, size_t n)
{
	size_t i = 0;

	while (i < n && s[i] >= 0x20 && s[i] < 0x7f)
		i++;
	return i;
}

/* As "\x%02x", which is most of the time that hostile text takes. */
static size_t escape_byte(char *dst, size_t out, unsigned char byte)
{
	static const char hex[] = "0123456789abcdef";

	dst[out++] = '\\';
	dst[out++] = 'x';
	dst[out++] = hex[byte >> 4];
	dst[out++] = hex[byte & 15];
	return out;
}

size_t safe_text(char *dst, size_t size, const char *src)
{
	size_t left = strlen(src), out = 0, cols = 0, len, room, i;
	size_t end = 0, end_cols = 0; /* with room for the mark */
	unsigned int c, wide;
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
		len = utf8_decode(src, left, &c);
		wide = len ? unicode_columns(c) : 0;
		escape = !wide;
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
				out = escape_byte(dst, out, src[i]);
			cols += 4 * len;
		} else {
			memcpy(dst + out, src, len);
			out += len;
			cols += wide;
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

void text_cut(char *s, size_t columns)
{
	const char *mark = columns > 2 ? ".." : "";
	size_t at = 0, left = strlen(s), n = 0, len;
	unsigned int c;

	if (text_columns(s) <= columns)
		return;
	for (;;) {
		len = utf8_decode(s + at, left - at, &c);
		n += len ? unicode_columns(c) : 0;
		if (n + strlen(mark) > columns)
			break;
		at += len ?: 1;
	}
	strcpy(s + at, mark);
}

size_t text_columns(const char *s)
{
	size_t n = 0, left = strlen(s), len;
	unsigned int c;

	for (; left; s += len, left -= len) {
		len = utf8_decode(s, left, &c);
		n += len ? unicode_columns(c) : 0;
		len = len ?: 1;
	}
	return n;
}
