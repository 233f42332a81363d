// SPDX-License-Identifier: GPL-2.0-only
/* Marks at 1, 2 or 5 times a power of ten seconds. */

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "view/time_axis.h"

#define SMALLEST 1e-9
#define DECIMALS 9

void time_axis_init(struct time_axis *a, double from, double to, size_t max)
{
	static const double times[] = { 2, 2.5, 2 }; /* 1, 2, 5, 10 */
	double step = SMALLEST, first;
	unsigned int i;

	memset(a, 0, sizeof(*a));
	a->from = from;
	a->to = to;
	if (!(to > from) || !max)
		return;
	for (i = 0; (to - from) / step > max; i++)
		step *= times[i % 3];
	first = ceil(from / step - 1e-6);
	a->step = step;
	a->first = first;
	for (; time_axis_at(a, a->nr) < to - step * 1e-6; a->nr++)
		;
}

double time_axis_at(const struct time_axis *a, size_t i)
{
	return (a->first + (double)i) * a->step;
}

void time_axis_text(const struct time_axis *a, size_t i, char *buf, size_t size)
{
	double step = a->step;
	int decimals = 0;

	for (; step < 0.999 && decimals < DECIMALS; decimals++)
		step *= 10;
	snprintf(buf, size, "%.*f%s", decimals, time_axis_at(a, i),
		 i ? "" : " s");
}
