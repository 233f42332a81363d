// SPDX-License-Identifier: GPL-2.0-only
/* Foreign text is shown whole and safe, or cut with a mark. */

#include <stdlib.h>
#include <string.h>

#include "test.h"
#include "view/safe.h"

/* The longest beginning of whole characters, as long as they were shown. */
static size_t reference(char *dst, size_t size, const char *src)
{
	size_t n = strlen(src), i = 0, out = 0, cols = 0, len, shown;
	size_t end = 0, end_cols = 0;
	char one[32];

	for (; i < n; i += len) {
		unsigned int code;

		len = vmmprof_utf8(src + i, n - i, &code);
		if (!len)
			len = 1;
		snprintf(one, sizeof(one), "%.*s", (int)len, src + i);
		if (len > 1 || (unsigned char)one[0] - 0x20u >= 0x5f) {
			/* one character by itself: escaped or not */
			char whole[64];

			vmmprof_safe(whole, sizeof(whole), one);
			strcpy(one, whole);
		}
		shown = strlen(one);
		if (out + strlen(VMMPROF_CUT) < size) {
			end = out;
			end_cols = cols;
		}
		if (out + shown >= size)
			break;
		memcpy(dst + out, one, shown);
		out += shown;
		cols += vmmprof_columns(one);
	}
	dst[out] = '\0';
	if (i >= n || size <= strlen(VMMPROF_CUT))
		return cols;
	strcpy(dst + end, VMMPROF_CUT);
	return end_cols + strlen(VMMPROF_CUT);
}

TEST(safe_text_is_the_same_by_runs_and_by_characters)
{
	static const char *const parts[] = {
		"a",	"bcdefgh",	"\x1b", "\x7f", "\xc3\xa4",
		"\xff", "\xe2\x80\xae", "~ !",	"..."
	};
	char src[128], want[128], got[128];
	size_t size, k;
	int i;

	srand(1);
	for (i = 0; i < 20000; i++) {
		src[0] = '\0';
		for (k = rand() % 12; k > 0; k--)
			strcat(src, parts[rand() % 9]);
		size = 1 + rand() % 60;
		memset(got, '#', sizeof(got));
		TEST_EQ(vmmprof_safe(got, size, src),
			reference(want, size, src));
		TEST_STR(got, want);
	}
	return 0;
}
