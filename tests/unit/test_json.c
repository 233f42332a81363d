// SPDX-License-Identifier: GPL-2.0-only
/* What leaves for terminals and programs: escapes are right and complete. */

#include "test.h"
#include "view/json.h"
#include "view/safe.h"

static char text[1024];

static const char *json_of(const char *s)
{
	struct json_out j;
	FILE *f = fmemopen(text, sizeof(text), "w");

	json_out_init(&j, f);
	json_out_string(&j, NULL, s);
	fclose(f);
	return text;
}

TEST(json_escapes_strings)
{
	TEST_STR(json_of("a\"b\\c"), "\"a\\\"b\\\\c\"");
	TEST_STR(json_of("\n\x1b\x7f"), "\"\\u000a\\u001b\\u007f\"");
	TEST_STR(json_of("\xc3\xa9"), "\"\\u00e9\"");
	TEST_STR(json_of("\xf0\x9f\x98\x80"), "\"\\ud83d\\ude00\"");
	/* invalid UTF-8 stays readable */
	TEST_STR(json_of("\xff\xc3"), "\"\\\\xff\\\\xc3\"");
	TEST_STR(json_of("\xed\xa0\x80"), "\"\\\\xed\\\\xa0\\\\x80\"");
	return 0;
}

TEST(json_nests_with_commas)
{
	struct json_out j;
	FILE *f = fmemopen(text, sizeof(text), "w");

	json_out_init(&j, f);
	json_out_object(&j, NULL);
	json_out_u64(&j, "a", 1);
	json_out_array(&j, "b");
	json_out_array_end(&j);
	json_out_array(&j, "c");
	json_out_object(&j, NULL);
	json_out_bool(&j, "d", true);
	json_out_null(&j, "e");
	json_out_object_end(&j);
	json_out_percent(&j, NULL, 1, 3);
	json_out_percent(&j, NULL, 1, 0);
	json_out_array_end(&j);
	json_out_object_end(&j);
	fclose(f);
	TEST_STR(text, "{\n"
		       "  \"a\": 1,\n"
		       "  \"b\": [],\n"
		       "  \"c\": [\n"
		       "    {\n"
		       "      \"d\": true,\n"
		       "      \"e\": null\n"
		       "    },\n"
		       "    33.33,\n"
		       "    0.00\n"
		       "  ]\n"
		       "}\n");
	return 0;
}

static const char *safe(const char *s)
{
	safe_text(text, sizeof(text), s);
	return text;
}

TEST(safe_shows_what_a_terminal_would_obey)
{
	TEST_STR(safe("plain"), "plain");
	TEST_STR(safe("\x1b[31m"), "\\x1b[31m");
	TEST_STR(safe("a\nb\tc\r"), "a\\x0ab\\x09c\\x0d");
	TEST_STR(safe("\xc3\xa9"), "\xc3\xa9");
	TEST_STR(safe("\xff"), "\\xff");
	/* C1 control CSI, right-to-left override, zero width space */
	TEST_STR(safe("\xc2\x9b"), "\\xc2\\x9b");
	TEST_STR(safe("\xe2\x80\xae"), "\\xe2\\x80\\xae");
	TEST_STR(safe("\xe2\x80\x8b"), "\\xe2\\x80\\x8b");
	/* overlong, surrogate, cut */
	TEST_STR(safe("\xc0\xaf"), "\\xc0\\xaf");
	TEST_STR(safe("\xe2\x82"), "\\xe2\\x82");
	return 0;
}

TEST(safe_cuts_at_characters_with_a_mark_and_counts_columns)
{
	char buf[6], tiny[3];

	TEST_EQ(safe_text(buf, sizeof(buf), "abcde"), 5);
	TEST_STR(buf, "abcde");
	TEST_EQ(safe_text(buf, sizeof(buf), "abcdef"), 5);
	TEST_STR(buf, "ab...");
	TEST_EQ(safe_text(buf, sizeof(buf), "abcd\xc3\xa9"), 5);
	TEST_STR(buf, "ab...");
	TEST_EQ(safe_text(buf, sizeof(buf), "a\xc3\xa9zyx"), 4);
	TEST_STR(buf, "a...");
	TEST_EQ(safe_text(buf, sizeof(buf), "ab\x01"), 5);
	TEST_STR(buf, "ab...");
	TEST_EQ(safe_text(buf, sizeof(buf), "\x01\x01"), 3);
	TEST_STR(buf, "...");
	TEST_EQ(safe_text(buf, sizeof(buf), "abc\xc3\xa9"), 4);
	TEST_STR(buf, "abc\xc3\xa9");
	TEST_EQ(text_columns(buf), 4);
	TEST_EQ(safe_text(tiny, sizeof(tiny), "abc"), 2);
	TEST_STR(tiny, "ab");
	return 0;
}

TEST(cut_keeps_columns)
{
	char buf[16];

	strcpy(buf, "abc\xc3\xa9");
	text_cut(buf, 4);
	TEST_STR(buf, "abc\xc3\xa9");
	text_cut(buf, 3);
	TEST_STR(buf, "a..");
	strcpy(buf, "\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9");
	text_cut(buf, 3);
	TEST_STR(buf, "\xc3\xa9..");
	text_cut(buf, 2);
	TEST_STR(buf, "\xc3\xa9.");
	return 0;
}
