// SPDX-License-Identifier: GPL-2.0-only
/* Parses ranges of time, and puts them on a session's axis. */

#include <string.h>

#include "model/time_spec.h"

#define NS_PER_S    1000000000ull
#define DAY_NS	    (86400 * NS_PER_S)
#define PERCENT	    1000000000ull /* one of them */
#define SECONDS_MAX 1000000000ull

static const char not_a_time[] =
	"is no range of time: it wants FROM,TO in seconds or as HH:MM:SS, or A%-B%, or A%/N";
static const char backwards[] = "ends before it begins";

static bool digit(char c)
{
	return c >= '0' && c <= '9';
}

/* A number with at most nine decimals, in units of 1e-9; *p is set behind it. */
static bool take_number(const char **p, __u64 max, __u64 *ret)
{
	__u64 whole = 0, part = 0, unit = NS_PER_S;

	if (!digit(**p))
		return false;
	for (; digit(**p); ++*p) {
		whole = whole * 10 + (**p - '0');
		if (whole > max)
			return false;
	}
	if (**p == '.') {
		if (!digit(*++*p))
			return false;
		for (; digit(**p) && unit > 1; ++*p) {
			unit /= 10;
			part += (**p - '0') * unit;
		}
	}
	*ret = whole * NS_PER_S + part;
	return !digit(**p) && (whole < max || !part);
}

/* Two digits below @max. */
static bool take_two(const char **p, unsigned int max, __u64 *ret)
{
	if (!digit((*p)[0]) || !digit((*p)[1]))
		return false;
	*ret = ((*p)[0] - '0') * 10 + ((*p)[1] - '0');
	*p += 2;
	return *ret < max;
}

/* HH:MM[:SS[.fraction]][Z] */
static bool take_time_of_day(const char **p, struct time_point *ret)
{
	__u64 hours, minutes, ns = 0;

	if (!take_two(p, 24, &hours) || *(*p)++ != ':' ||
	    !take_two(p, 60, &minutes))
		return false;
	if (**p == ':') {
		++*p;
		if (!digit((*p)[0]) || !digit((*p)[1]) ||
		    !take_number(p, 60, &ns) || ns >= 60 * NS_PER_S)
			return false;
	}
	ret->unit = **p == 'Z' ? TIME_OF_DAY_UTC : TIME_OF_DAY;
	*p += **p == 'Z';
	ret->value = (hours * 60 + minutes) * 60 * NS_PER_S + ns;
	return true;
}

/* A side of FROM,TO: nothing, seconds, or a time of day. */
static bool take_point(const char **p, struct time_point *ret)
{
	*ret = (struct time_point){ .unit = TIME_OPEN };
	if (**p == ',' || **p == ' ' || !**p)
		return true;
	if (digit((*p)[0]) && digit((*p)[1]) && (*p)[2] == ':')
		return take_time_of_day(p, ret);
	ret->unit = TIME_SINCE;
	return take_number(p, SECONDS_MAX, &ret->value);
}

static bool take_percent(const char **p, __u64 *ret)
{
	return take_number(p, 100, ret) && *(*p)++ == '%';
}

/* The Nth slice of @part: the last one may be shorter. */
static const char *slice(__u64 part, __u64 number, struct time_point *from,
			 struct time_point *to)
{
	__uint128_t end = (__uint128_t)part * number;

	if (!part || !number || end - part >= 100 * PERCENT)
		return "names a slice that is not there: the first one is 1";
	from->value = end - part;
	to->value = end < 100 * PERCENT ? (__u64)end : 100 * PERCENT;
	return NULL;
}

/* A%-B% or A%/N; or, with @alone, A% for the first one. */
static const char *take_percents(const char **p, bool alone,
				 struct time_point *from, struct time_point *to)
{
	__u64 number = NS_PER_S;

	from->unit = TIME_PERCENT;
	to->unit = TIME_PERCENT;
	if (!take_percent(p, &from->value))
		return not_a_time;
	if (**p == '-') {
		++*p;
		if (!take_percent(p, &to->value))
			return not_a_time;
		return from->value < to->value ? NULL : backwards;
	}
	if (**p == '/') {
		++*p;
		if (!take_number(p, SECONDS_MAX, &number) || number % NS_PER_S)
			return not_a_time;
	} else if (!alone) {
		return "has a percentage alone among several: write A%-B% or A%/N";
	}
	return slice(from->value, number / NS_PER_S, from, to);
}

static const char *take_range(const char **p, struct time_point *from,
			      struct time_point *to)
{
	if (!take_point(p, from) || *(*p)++ != ',' || !take_point(p, to))
		return not_a_time;
	if (from->unit == TIME_OPEN && to->unit == TIME_OPEN)
		return "names neither a beginning nor an end";
	if (from->unit == TIME_SINCE && to->unit == TIME_SINCE &&
	    from->value >= to->value)
		return backwards;
	return NULL;
}

const char *time_spec_parse(struct time_spec *s, const char *text)
{
	bool percents = strchr(text, '%');
	bool alone = !strpbrk(text, ", ");
	const char *p = text, *wrong;

	s->nr = 0;
	for (;;) {
		p += strspn(p, " ");
		if (!*p)
			return s->nr ? NULL : not_a_time;
		if (s->nr == TIME_RANGES_MAX)
			return "has too many ranges: there are at most 256";
		if (percents)
			wrong = take_percents(&p, alone, &s->at[s->nr].from,
					      &s->at[s->nr].to);
		else
			wrong = take_range(&p, &s->at[s->nr].from,
					   &s->at[s->nr].to);
		if (wrong)
			return wrong;
		s->nr++;
		if (percents && *p == ',' && p[1] && p[1] != ' ')
			p++;
		else if (*p && *p != ' ')
			return not_a_time;
	}
}

static __u64 at_ns(const struct time_axis *a, __u64 ns)
{
	__uint128_t ticks = (__uint128_t)ns * a->khz / 1000000;

	return ticks < a->end - a->begin ? a->begin + (__u64)ticks : a->end;
}

/*
 * A time of day is that of the measurement; outside of it, what is nearer: its
 * beginning or its end.
 */
static __u64 at_time_of_day(const struct time_axis *a, __u64 ns, long offset)
{
	__u64 whole = (__uint128_t)(a->end - a->begin) * 1000000 / a->khz;
	__s64 first = (__s64)(a->real_ns % DAY_NS) + offset * (__s64)NS_PER_S;
	__s64 since = ((__s64)ns - first) % (__s64)DAY_NS;

	if (since < 0)
		since += DAY_NS;
	if ((__u64)since <= whole)
		return at_ns(a, since);
	return since - whole < DAY_NS - since ? a->end : a->begin;
}

static const char *place(const struct time_axis *a, const struct time_point *p,
			 __u64 open, __u64 *ret)
{
	static const char no_clock[] =
		"the session does not know the TSC's frequency: name percentages, A%-B%";
	static const char no_time_of_day[] =
		"the session does not know the time of day: name seconds";
	long offset = p->unit == TIME_OF_DAY ? a->utc_offset : 0;

	*ret = open;
	switch (p->unit) {
	case TIME_OPEN:
		return NULL;
	case TIME_PERCENT:
		*ret = a->begin + (__uint128_t)(a->end - a->begin) * p->value /
					  (100 * PERCENT);
		return NULL;
	case TIME_SINCE:
		if (!a->khz)
			return no_clock;
		*ret = at_ns(a, p->value);
		return NULL;
	default:
		if (!a->khz)
			return no_clock;
		if (!a->real_ns)
			return no_time_of_day;
		*ret = at_time_of_day(a, p->value, offset);
		return NULL;
	}
}

const char *time_spec_ranges(const struct time_spec *s,
			     const struct time_axis *axis,
			     struct time_ranges *ret)
{
	struct time_axis a = *axis;
	const char *why;
	__u64 from, to;
	size_t i;

	time_ranges_init(ret, a.begin, a.end);
	a.begin = ret->begin;
	a.end = ret->end;
	for (i = 0; i < s->nr; i++) {
		why = place(&a, &s->at[i].from, a.begin, &from);
		if (!why)
			why = place(&a, &s->at[i].to, a.end, &to);
		if (why)
			return why;
		/* no more ranges come out than went in */
		time_ranges_add(ret, from, to);
	}
	return NULL;
}
