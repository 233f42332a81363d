// SPDX-License-Identifier: GPL-2.0-only
/* What a reader prints gives a terminal no orders but colours. */

#include <string.h>

#include "test.h"
#include "cmd/terminal_filter.h"

static const struct {
	const char *in, *out;
} cases[] = {
	{ "text\tand\r\nlines", "text\tand\r\nlines" },
	{ "\033[31mred\033[m \033[1;31mbold\033[0m", NULL },
	{ "\r\033[K", NULL },
	{ "h\xc3\xa9 \xe2\x96\x88 \xc2\xb5s", NULL },
	/* a title, a key's meaning, the cursor, the screen, another charset */
	{ "\033]2;OWNED\007", "?]2;OWNED?" },
	{ "\033P+q\033\\", "?P+q?\\" },
	{ "\033[2J\033[H\033[1K", "?[2J?[H?[1K" },
	{ "\033(0\016", "?(0?" },
	{ "\033[>4;2m", "?[>4;2m" },
	{ "\033[?1049hx", "?[?1049hx" },
	/* 8-bit control characters in UTF-8 */
	{ "\302\23331m\302\205", "?31m?" },
	{ "\xc2\033[2J", "??[2J" },
	/* ... behind a byte that begins a character which does not follow */
	{ "\302\302\23331m", "??31m" },
	{ "\302\302\302\2332J", "???2J" },
	{ "\302\xc3\xa9", "?\xc3\xa9" },
	/* an order inside of another one, and one without end */
	{ "\033[3\033[31mx", "?[3\033[31mx" },
	{ "\033[0000000000000000000000m", "?[0000000000000000000000m" },
	{ "\033\033\033[m", "??\033[m" },
	{ "\b\v\f\177\001", "?????" },
};

TEST(only_text_and_colours_reach_a_terminal_however_they_are_cut)
{
	char got[2 * FILTERED_MAX(64)];
	size_t i, cut, len, n;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const char *in = cases[i].in;
		const char *want = cases[i].out ? cases[i].out : in;

		len = strlen(in);
		for (cut = 0; cut <= len; cut++) {
			struct terminal_filter f = { 0 };

			n = terminal_filter(&f, in, cut, got);
			n += terminal_filter(&f, in + cut, len - cut, got + n);
			TEST_EQ(n, strlen(want));
			TEST_OK(!memcmp(got, want, n));
		}
	}
	return 0;
}
