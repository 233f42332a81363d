/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The ranges of time that a user names: the text of --time, and what it means
 * on a session's axis.  The forms are perf's, with times from the beginning of
 * the measurement, and times of day:
 *
 *   FROM,TO  FROM,  ,TO    seconds or HH:MM[:SS], several with spaces between
 *   A%-B%  A%/N  A%        several with commas between
 */
#ifndef MODEL_TIME_SPEC_H
#define MODEL_TIME_SPEC_H

#include "model/time_ranges.h"

enum time_unit {
	TIME_OPEN,	 /* the measurement's beginning or end */
	TIME_SINCE,	 /* ns from its beginning */
	TIME_PERCENT,	 /* of it, in units of 1e-9 % */
	TIME_OF_DAY,	 /* ns from midnight, in the axis' time zone */
	TIME_OF_DAY_UTC, /* with a "Z" behind it */
};

struct time_point {
	enum time_unit unit;
	__u64 value;
};

struct time_spec {
	struct {
		struct time_point from, to;
	} at[TIME_RANGES_MAX];
	size_t nr; /* 0: not given, all of the time */
};

/* Where a session's measurement lies. */
struct time_axis {
	__u64 begin, end; /* host TSC */
	__u64 khz;	  /* of it, 0: not known */
	__u64 real_ns;	  /* CLOCK_REALTIME at .begin, 0: not known */
	long utc_offset;  /* seconds east of it */
};

/* Parse @text into @s.  NULL, or what is wrong with it, to follow its text. */
const char *time_spec_parse(struct time_spec *s, const char *text);

/*
 * The ranges of @s on @axis; without any that has a tick in it, .nr is 0.
 * NULL, or why the session does not know them.
 */
const char *time_spec_ranges(const struct time_spec *s,
			     const struct time_axis *axis,
			     struct time_ranges *ret);

#endif /* MODEL_TIME_SPEC_H */
