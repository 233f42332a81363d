// SPDX-License-Identifier: GPL-2.0-only
/* Hexadecimal digits: written small, read in both forms. */

#include "base/hex.h"

static int digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

size_t hex_put(char *buf, size_t size, const void *bytes, size_t n)
{
	static const char digits[] = "0123456789abcdef";
	const unsigned char *p = bytes;
	size_t i;

	for (i = 0; i < n && 2 * i + 2 < size; i++) {
		buf[2 * i] = digits[p[i] >> 4];
		buf[2 * i + 1] = digits[p[i] & 15];
	}
	buf[2 * i] = '\0';
	return 2 * i;
}

size_t hex_get(const char *text, void *bytes, size_t max)
{
	unsigned char *p = bytes;
	size_t n;

	for (n = 0; n < max && text[2 * n]; n++) {
		int high = digit(text[2 * n]);
		int low = high < 0 ? -1 : digit(text[2 * n + 1]);

		if (low < 0)
			break;
		p[n] = high << 4 | low;
	}
	return n;
}

bool hex_number(const char **p, const char *end, __u64 *ret)
{
	const char *start = *p;
	__u64 v = 0;

	for (; *p < end && digit(**p) >= 0; (*p)++)
		v = v << 4 | digit(**p);
	*ret = v;
	return *p > start && *p - start <= 16;
}
