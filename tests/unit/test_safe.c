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

		len = utf8_decode(src + i, n - i, &code);
		if (!len)
			len = 1;
		snprintf(one, sizeof(one), "%.*s", (int)len, src + i);
		if (len > 1 || (unsigned char)one[0] - 0x20u >= 0x5f) {
			/* one character by itself: escaped or not */
			char whole[64];

			safe_text(whole, sizeof(whole), one);
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
		cols += text_columns(one);
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
		TEST_EQ(safe_text(got, size, src), reference(want, size, src));
		TEST_STR(got, want);
	}
	return 0;
}

/* Each alone: shown as it is in so many columns, or not (0). */
TEST(only_characters_with_a_place_of_their_own_are_shown)
{
	static const struct {
		const char *text;
		unsigned int columns;
	} all[] = {
		{ "a", 1 },
		{ "\xc3\xa9", 1 },	   /* Latin with accent */
		{ "\xd0\x96", 1 },	   /* Cyrillic */
		{ "\xce\xbb", 1 },	   /* Greek */
		{ "\xe6\x97\xa5", 2 },	   /* Han */
		{ "\xe3\x81\x82", 2 },	   /* Hiragana */
		{ "\xed\x95\x9c", 2 },	   /* Hangul syllable */
		{ "\xef\xbc\xa1", 2 },	   /* full width A */
		{ "\xf0\x9f\x98\x80", 2 }, /* emoji */
		{ "\xcc\x81", 0 },	   /* combining acute */
		{ "\xe2\x83\x9d", 0 },	   /* enclosing circle */
		{ "\xe0\xa4\xbe", 0 },	   /* spacing mark */
		{ "\xe1\x85\xa1", 0 },	   /* conjoining jamo */
		{ "\xd7\x90", 0 },	   /* Hebrew */
		{ "\xd8\xa7", 0 },	   /* Arabic */
		{ "\xd9\xa0", 0 },	   /* Arabic digit */
		{ "\xf0\x9e\xa4\x80", 0 }, /* Adlam */
		{ "\xe2\x80\x8b", 0 },	   /* zero width space */
		{ "\xe2\x80\xae", 0 },	   /* right-to-left override */
		{ "\xe2\x81\xa6", 0 },	   /* isolate */
		{ "\xc2\xa0", 0 },	   /* a space that is none */
		{ "\xe3\x80\x80", 0 },	   /* ideographic space */
		{ "\xc2\x85", 0 },	   /* next line, C1 */
		{ "\xee\x80\x80", 0 },	   /* private use */
		{ "\xf3\xb0\x80\x80", 0 }, /* private use, plane 15 */
		{ "\xcd\xb8", 0 },	   /* not assigned */
		{ "\xf0\x9f\x8f\xbb", 0 }, /* joins an emoji: skin */
		{ "\xf3\xa0\x81\x81", 0 }, /* tag */
		{ "\xef\xb8\x8f", 0 },	   /* variation selector */
		{ "\xcd\xb0", 1 },	   /* the first after the combining */
		{ "\xcd\xaf", 0 },	   /* the last of those */
		{ "\xe0\x83\xa9", 0 },	   /* an e with accent, too long */
		{ "\xf0\x86\x97\xa5", 0 }, /* a Han, too long */
		{ "\xed\xa0\x80", 0 },	   /* half of a pair */
		{ "\xf4\x90\x80\x80", 0 }, /* beyond the last plane */
	};
	char got[64];
	size_t i;

	for (i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		size_t cols = safe_text(got, sizeof(got), all[i].text);

		TEST_EQ(!strcmp(got, all[i].text), !!all[i].columns);
		TEST_EQ(cols, all[i].columns ?: 4 * strlen(all[i].text));
		TEST_EQ(text_columns(got), cols);
	}
	return 0;
}

TEST(damaged_utf_8_is_no_character)
{
	static const char *const bad[] = {
		"\x80",
		"\xc3",
		"\xc3(",
		"\xc0\xaf",
		"\xe0\x83\xa9",
		"\xf0\x86\x97\xa5",
		"\xed\xa0\x80",
		"\xed\xbf\xbf",
		"\xf4\x90\x80\x80",
		"\xf5\x80\x80\x80",
		"\xff",
	};
	unsigned int code;
	size_t i;

	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		TEST_EQ(utf8_decode(bad[i], strlen(bad[i]), &code), 0);
	TEST_EQ(utf8_decode("\xf4\x8f\xbf\xbf", 4, &code), 4);
	TEST_EQ(code, 0x10ffff);
	return 0;
}

TEST(wide_text_is_cut_at_its_columns)
{
	char s[64] = "\xe6\x97\xa5\xe6\x97\xa5\xe6\x97\xa5";

	TEST_EQ(text_columns(s), 6);
	text_cut(s, 5);
	TEST_STR(s, "\xe6\x97\xa5..");
	return 0;
}
