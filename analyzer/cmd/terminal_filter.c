// SPDX-License-Identifier: GPL-2.0-only
/* Lets text and a few orders through to a terminal. */

#include <stdbool.h>
#include <string.h>

#include "cmd/terminal_filter.h"

#define ESC 033

enum verdict { MORE, GOOD, BAD };

/* In UTF-8, of one character with the byte before it? */
static bool goes_on(char c)
{
	return ((unsigned char)c & 0xc0) == 0x80;
}

/* Are these bytes an order: ESC [ numbers m, or ESC [ K? */
static enum verdict look(const char *held, size_t n)
{
	char last = held[n - 1];

	/* C1 control characters in UTF-8: c2 80 to c2 9f */
	if (held[0] == (char)0xc2) {
		if (n == 1)
			return MORE;
		return goes_on(last) && (unsigned char)last >= 0xa0 ? GOOD :
								      BAD;
	}
	if (n == 1)
		return MORE;
	if (n == 2)
		return last == '[' ? MORE : BAD;
	if (last == 'm' || (last == 'K' && n == 3))
		return GOOD;
	if ((last < '0' || last > '9') && last != ';')
		return BAD;
	return n < FILTER_HELD_MAX ? MORE : BAD;
}

static bool is_control(char c)
{
	return ((unsigned char)c < 0x20 && c != '\n' && c != '\t' &&
		c != '\r') ||
	       c == 0x7f;
}

size_t terminal_filter(struct terminal_filter *f, const char *in, size_t n,
		       char *out)
{
	char *to = out;
	size_t i;

	for (i = 0; i < n; i++) {
		char c = in[i];

		if (!f->nr_held && c != ESC && c != (char)0xc2) {
			*to++ = is_control(c) ? '?' : c;
			continue;
		}
		f->held[f->nr_held++] = c;
		switch (look(f->held, f->nr_held)) {
		case MORE:
			continue;
		case GOOD:
			memcpy(to, f->held, f->nr_held);
			to += f->nr_held;
			break;
		case BAD:
			/* behind its first byte is text, up to this one */
			*to++ = '?';
			memcpy(to, f->held + 1, f->nr_held - 2);
			to += f->nr_held - 2;
			if (f->held[0] == ESC || !goes_on(c))
				i--;
			break;
		}
		f->nr_held = 0;
	}
	return to - out;
}
