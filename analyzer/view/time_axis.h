/* SPDX-License-Identifier: GPL-2.0-only */
/* Round times along an axis, with the decimals that tell them apart. */
#ifndef VIEW_TIME_AXIS_H
#define VIEW_TIME_AXIS_H

#include <stddef.h>

struct time_axis {
	double from, to; /* seconds */
	double step;	 /* 0: there is no time */
	long first;	 /* the first mark is at .first * .step */
	size_t nr;	 /* marks */
};

/* At most @max marks (> 0) between @from and @to. */
void time_axis_init(struct time_axis *a, double from, double to, size_t max);

/* Mark number @i; its text is "0.25", with a unit if it is the first. */
double time_axis_at(const struct time_axis *a, size_t i);
void time_axis_text(const struct time_axis *a, size_t i, char *buf,
		    size_t size);

#endif /* VIEW_TIME_AXIS_H */
