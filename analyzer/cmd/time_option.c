// SPDX-License-Identifier: GPL-2.0-only
/* Takes ranges of time, and puts them on the axis of a session. */

#include <stdio.h>
#include <time.h>

#include "cmd/load.h"
#include "cmd/time_option.h"

bool time_option_take(void *to, const char *verb, char *arg)
{
	struct time_option *t = to;
	const char *wrong = time_spec_parse(&t->spec, arg);

	/* The reader of the session cannot open the time zone's file. */
	tzset();
	return !wrong || option_wrong(verb, "--time: '%s' %s", arg, wrong);
}

const struct option_spec time_options[] = {
	{ 0, "time", TIME_OPTION_ARG, TIME_OPTION_HELP, OPTION_OTHER,
	  .take = time_option_take },
	{ 0 },
};

static void axis_of(struct analysis *a, struct time_axis *axis)
{
	time_t seconds;
	struct tm tm;

	axis->khz = session_tsc_khz(&a->session);
	axis->real_ns = analysis_real_ns(a, axis->begin);
	seconds = axis->real_ns / 1000000000;
	axis->utc_offset = localtime_r(&seconds, &tm) ? tm.tm_gmtoff : 0;
}

bool time_option_apply(struct time_option *t, const char *verb,
		       struct analysis *a)
{
	struct time_axis axis;
	const char *why;
	int err;

	if (!t->spec.nr)
		return true;
	err = analysis_bounds(a, &axis.begin, &axis.end);
	if (err) {
		load_failed(verb, err);
		return false;
	}
	axis_of(a, &axis);
	why = time_spec_ranges(&t->spec, &axis, &t->ranges);
	if (why)
		return option_wrong(verb, "--time: %s", why);
	if (!t->ranges.nr) {
		fprintf(stderr,
			"vmmprof %s: --time: the session has nothing in that time",
			verb);
		if (axis.khz)
			fprintf(stderr, ": it lasted %.3f s",
				(t->ranges.end - t->ranges.begin) /
					(axis.khz * 1000.0));
		fputc('\n', stderr);
		return false;
	}
	a->time = &t->ranges;
	return true;
}
