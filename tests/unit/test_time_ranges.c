// SPDX-License-Identifier: GPL-2.0-only
/* Ranges of time: their text, and how they cut. */

#include "test.h"
#include "model/time_spec.h"

/* One second at 1 GHz is 1000 ticks of the test. */
static const struct time_axis axis = {
	.begin = 5000,
	.end = 15000,
	.khz = 1,
	.real_ns = 1700000000ull * 1000000000ull, /* 22:13:20 UTC */
};

static struct time_ranges ranges;

/* The ranges of a text as text: "from-to from-to", or what is wrong. */
static const char *shown_on(const struct time_axis *a, const char *text)
{
	static struct time_spec spec;
	static char buf[16384];
	const char *wrong = time_spec_parse(&spec, text);
	size_t i, n = 0;

	if (wrong)
		return "wrong";
	wrong = time_spec_ranges(&spec, a, &ranges);
	if (wrong)
		return "unknown";
	*buf = 0;
	for (i = 0; i < ranges.nr; i++)
		n += snprintf(buf + n, sizeof(buf) - n, "%s%llu-%llu",
			      i ? " " : "", ranges.at[i].from, ranges.at[i].to);
	return buf;
}

static const char *shown(const char *text)
{
	return shown_on(&axis, text);
}

TEST(seconds_are_from_the_beginning)
{
	TEST_STR(shown("1,2"), "6000-7000");
	TEST_STR(shown("1.5,2.25"), "6500-7250");
	TEST_STR(shown("9,"), "14000-15000");
	TEST_STR(shown(",0.001"), "5000-5001");
	TEST_STR(shown("0,1000000000"), "5000-15000");
	TEST_STR(shown("1,2 3,4"), "6000-7000 8000-9000");
	TEST_STR(shown("  3,4  1,2 "), "6000-7000 8000-9000");
	TEST_STR(shown("20,30"), "");
	TEST_STR(shown("0.0001,0.0002"), "");
	return 0;
}

TEST(ranges_that_overlap_or_touch_are_one)
{
	TEST_STR(shown("1,2 2,3"), "6000-8000");
	TEST_STR(shown("1,2 4,5 ,9"), "5000-14000");
	TEST_STR(shown("1,2 4,5 7,8 1.5,7.5"), "6000-13000");
	TEST_STR(shown("4,5 1,2 7,8 2,4"), "6000-10000 12000-13000");
	TEST_STR(shown("0%-30%,20%-40%"), "5000-9000");
	return 0;
}

TEST(percentages_are_of_the_measurement)
{
	TEST_STR(shown("10%-20%"), "6000-7000");
	TEST_STR(shown("10%"), "5000-6000");
	TEST_STR(shown("10%/2"), "6000-7000");
	TEST_STR(shown("10%/10"), "14000-15000");
	TEST_STR(shown("30%/4"), "14000-15000");
	TEST_STR(shown("10%/1,10%/3"), "5000-6000 7000-8000");
	TEST_STR(shown("0%-12.5%,50%-100%"), "5000-6250 10000-15000");
	TEST_STR(shown("0%-10% 20%-30%"), "5000-6000 7000-8000");
	TEST_STR(shown("100%"), "5000-15000");
	TEST_STR(shown("10%/11"), "wrong");
	TEST_STR(shown("10%/0"), "wrong");
	TEST_STR(shown("0%/1"), "wrong");
	TEST_STR(shown("10%/1.5"), "wrong");
	TEST_STR(shown("20%-10%"), "wrong");
	TEST_STR(shown("10%,20%"), "wrong");
	TEST_STR(shown("101%"), "wrong");
	TEST_STR(shown("100.5%"), "wrong");
	return 0;
}

TEST(times_of_day_are_those_of_the_measurement)
{
	struct time_axis east = axis, none = axis, late = axis;

	TEST_STR(shown("22:13:21,22:13:22.5"), "6000-7500");
	TEST_STR(shown("22:13:21,"), "6000-15000");
	TEST_STR(shown("22:13,22:13:21"), "5000-6000");
	TEST_STR(shown("22:13:29,22:14"), "14000-15000");
	TEST_STR(shown("22:14,22:15"), "");
	TEST_STR(shown("21:00,22:00"), "");
	east.utc_offset = 3600;
	TEST_STR(shown_on(&east, "23:13:21,23:13:22"), "6000-7000");
	TEST_STR(shown_on(&east, "22:13:21Z,22:13:22Z"), "6000-7000");
	east.utc_offset = -86399;
	TEST_STR(shown_on(&east, "22:13:22,22:13:23"), "6000-7000");
	/* over midnight: from 23:59:55 on */
	late.real_ns = (1700000000ull + 6395) * 1000000000ull;
	TEST_STR(shown_on(&late, "23:59:58,00:00:02"), "8000-12000");
	TEST_STR(shown_on(&late, "00:00,00:00:01"), "10000-11000");
	none.real_ns = 0;
	TEST_STR(shown_on(&none, "22:13:21,"), "unknown");
	TEST_STR(shown("24:00,"), "wrong");
	TEST_STR(shown("1:00,"), "wrong");
	TEST_STR(shown("10:60,"), "wrong");
	TEST_STR(shown("10:00:60,"), "wrong");
	TEST_STR(shown("10:00:5,"), "wrong");
	TEST_STR(shown("10:00:1234,"), "wrong");
	return 0;
}

TEST(without_a_clock_there_are_percentages)
{
	struct time_axis a = axis;

	a.khz = 0;
	TEST_STR(shown_on(&a, "1,2"), "unknown");
	TEST_STR(shown_on(&a, "10:00,"), "unknown");
	TEST_STR(shown_on(&a, "50%-100%"), "10000-15000");
	return 0;
}

TEST(what_is_no_range_is_refused)
{
	static const char *const bad[] = {
		"",
		" ",
		",",
		"1",
		"1,2,3",
		"2,1",
		"1,1",
		"-1,2",
		"+1,2",
		"1,-2",
		"1e3,",
		"0x10,",
		"1;2",
		"a,b",
		"1.,2",
		".5,2",
		"1,2x",
		"1,2 ",
		"nan,",
		"inf,",
		"1,2\n",
		"1,2\t3,4",
		"%",
		"%-%",
		"1%-",
		"-1%",
		"1%-2",
		"1-2%",
		"1%/",
		"1%/x",
		"1%-2%,",
		"1%-2%,,3%-4%",
		"1%-2% x",
		"1000000001,",
		"99999999999999999999,",
		"1.0000000001,2",
		"\xff,\xff",
		"1,2%",
		"1%,2",
	};
	size_t i;

	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		if (!strcmp(bad[i], "1,2 "))
			continue; /* spaces at the end are no harm */
		printf("# '%s'\n", bad[i]);
		TEST_STR(shown(bad[i]), "wrong");
	}
	return 0;
}

TEST(there_are_at_most_so_many)
{
	char text[8 * (TIME_RANGES_MAX + 2)];
	struct time_axis a = axis;
	size_t i, n = 0;

	a.end = a.begin + 2000000;
	for (i = 0; i < TIME_RANGES_MAX + 1; i++)
		n += sprintf(text + n, "%zu,%zu ", 2 * i + 1, 2 * i + 2);
	TEST_STR(shown_on(&a, text), "wrong");
	text[n - 8] = 0;
	TEST_OK(strcmp(shown_on(&a, text), "wrong"));
	TEST_EQ(ranges.nr, TIME_RANGES_MAX);
	TEST_EQ(time_ranges_add(&ranges, a.end - 1, a.end), -E2BIG);
	TEST_EQ(time_ranges_add(&ranges, ranges.at[9].from, ranges.at[11].to),
		0);
	TEST_EQ(ranges.nr, TIME_RANGES_MAX - 2);
	return 0;
}

/* Any bytes: no crash, and rising ranges within the measurement. */
TEST(any_text_is_refused_or_makes_ranges_in_order)
{
	static const char set[] = "0123456789,.%-/: Z9";
	static const __u64 odd[] = { 0, 1, 1000, ~0ull - 1, ~0ull };
	struct time_axis a = axis;
	unsigned int seed = 7, n, i, k;
	char text[24];

	for (n = 0; n < 200000; n++) {
		for (i = 0; i < sizeof(text) - 1; i++) {
			seed = seed * 1103515245 + 12345;
			k = seed >> 16;
			text[i] = k % 9 ? set[k / 16 % (sizeof(set) - 1)] : 0;
		}
		text[i] = 0;
		a.begin = odd[n % 5];
		a.end = odd[n / 5 % 5];
		a.khz = odd[n / 25 % 5];
		a.real_ns = odd[n / 125 % 5];
		shown_on(&a, text);
		for (i = 0; i < ranges.nr; i++) {
			TEST_OK(ranges.at[i].from < ranges.at[i].to);
			TEST_OK(ranges.at[i].from >= ranges.begin);
			TEST_OK(ranges.at[i].to <= ranges.end);
			TEST_OK(!i || ranges.at[i - 1].to < ranges.at[i].from);
		}
	}
	return 0;
}

TEST(a_part_is_cut_at_the_tick)
{
	struct time_range part;
	__u64 from;

	shown("1,2 3,4");
	TEST_OK(!time_ranges_has(&ranges, 5999));
	TEST_OK(time_ranges_has(&ranges, 6000));
	TEST_OK(time_ranges_has(&ranges, 6999));
	TEST_OK(!time_ranges_has(&ranges, 7000));
	TEST_OK(time_ranges_has(NULL, 7000));
	from = 6500;
	TEST_OK(time_ranges_cut(&ranges, &from, 8500, &part));
	TEST_EQ(part.from, 6500);
	TEST_EQ(part.to, 7000);
	TEST_OK(time_ranges_cut(&ranges, &from, 8500, &part));
	TEST_EQ(part.from, 8000);
	TEST_EQ(part.to, 8500);
	TEST_OK(!time_ranges_cut(&ranges, &from, 8500, &part));
	TEST_EQ(time_ranges_ticks(&ranges, 0, 100000), 2000);
	TEST_EQ(time_ranges_ticks(&ranges, 7000, 8000), 0);
	TEST_EQ(time_ranges_ticks(NULL, 7000, 8000), 1000);
	return 0;
}

TEST(what_is_outside_the_measurement_is_at_its_ends)
{
	shown(",1");
	TEST_OK(time_ranges_has(&ranges, 0));
	TEST_OK(!time_ranges_has(&ranges, 20000));
	shown("9,");
	TEST_OK(!time_ranges_has(&ranges, 0));
	TEST_OK(time_ranges_has(&ranges, 15000));
	TEST_OK(time_ranges_has(&ranges, ~0ull));
	return 0;
}

/* Counted one by one and at once, points are the same. */
TEST(points_are_counted_as_samples_are)
{
	__u64 step, from, i, nr = 37, sum;

	shown("1,2 3,4 9.5,");
	for (from = 4000; from < 15000; from += 333)
		for (step = 1; step < 900; step += 111) {
			for (i = 1, sum = 0; i <= nr; i++)
				sum += time_ranges_has(&ranges,
						       from + i * step);
			TEST_EQ(time_ranges_points(&ranges, from, step, nr),
				sum);
		}
	TEST_EQ(time_ranges_points(NULL, 0, 1, 9), 9);
	return 0;
}

TEST(what_is_counted_alike_is_found_as_a_whole)
{
	__u64 tsc, last, i;

	shown("1,2 3,4 9.5,");
	for (tsc = 0; tsc < 20000; tsc += 7) {
		last = time_ranges_same_until(&ranges, tsc);
		TEST_OK(last >= tsc);
		TEST_OK(last == ~0ull ||
			time_ranges_has(&ranges, tsc) !=
				time_ranges_has(&ranges, last + 1));
		for (i = tsc; i < last && i < 20000; i++)
			TEST_EQ(time_ranges_has(&ranges, i),
				time_ranges_has(&ranges, tsc));
	}
	TEST_EQ(time_ranges_same_until(&ranges, 14500), ~0ull);
	TEST_EQ(time_ranges_same_until(NULL, 5), ~0ull);
	return 0;
}
