// SPDX-License-Identifier: GPL-2.0-only
/*
 * Fuzz entry of analyzer/cmd/terminal_filter.c.  First byte: where what follows
 * is cut in two.  What comes out is looked at by rules of its own.
 */

#include <stdlib.h>
#include <string.h>
#include <linux/types.h>

#include "cmd/terminal_filter.h"

int LLVMFuzzerTestOneInput(const __u8 *data, size_t size);

/* The bytes of an order at @p that a terminal may get; 0: it may not. */
static size_t order(const char *p, const char *end)
{
	const char *q = p + 1;

	if (q == end || *q++ != '[')
		return 0;
	if (q < end && *q == 'K')
		return 3;
	while (q < end && (*q == ';' || (*q >= '0' && *q <= '9')))
		q++;
	return q < end && *q == 'm' ? q + 1 - p : 0;
}

static void check(const char *p, const char *end)
{
	size_t n;

	while (p < end) {
		n = 1;
		if (*p == 033)
			n = order(p, end);
		else if (*p == (char)0xc2)
			n = p + 1 < end && (__u8)p[1] >= 0xa0 ? 2 : 0;
		else if (*p == 0x7f ||
			 ((__u8)*p < 0x20 && !memchr("\n\t\r", *p, 3)))
			n = 0;
		if (!n)
			abort();
		p += n;
	}
}

static size_t filter(const char *in, size_t cut, size_t n, char *out)
{
	struct terminal_filter f = { 0 };
	size_t got = terminal_filter(&f, in, cut, out);

	if (got > FILTERED_MAX(cut))
		abort();
	got += terminal_filter(&f, in + cut, n - cut, out + got);
	if (f.nr_held >= FILTER_HELD_MAX)
		abort();
	return got;
}

int LLVMFuzzerTestOneInput(const __u8 *data, size_t size)
{
	size_t n = size ? size - 1 : 0, whole, halves;
	const char *in = (const char *)data + 1;
	char *a, *b;

	if (!size)
		return 0;
	a = malloc(2 * FILTERED_MAX(n));
	b = malloc(2 * FILTERED_MAX(n));
	if (!a || !b)
		abort();
	whole = filter(in, n, n, a);
	halves = filter(in, n * data[0] / 255, n, b);
	check(a, a + whole);
	if (whole != halves || memcmp(a, b, whole))
		abort();
	free(a);
	free(b);
	return 0;
}
