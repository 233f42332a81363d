/* SPDX-License-Identifier: GPL-2.0-only */
/* Colours of text, as orders to a terminal; none until they are asked for. */
#ifndef VIEW_COLOR_H
#define VIEW_COLOR_H

#include <stdbool.h>
#include <stdio.h>

void color_use(bool use);

enum color {
	COLOR_PLAIN,
	/* of percentages, as perf has them: from 5 and from 0.5 on */
	COLOR_MUCH,
	COLOR_SOME,
	/* of states, in the order of steal_columns() */
	COLOR_GUEST,
	COLOR_VMM,
	COLOR_STEAL,
	COLOR_HALT,
	COLOR_BLOCKED,
	COLOR_UNKNOWN,
	COLOR_HEAD,    /* of a table */
	COLOR_WARNING, /* something is wrong */
	NR_COLORS
};

/* To print before text of that colour, and behind it.  "" without colours. */
const char *color_of(enum color color);
const char *color_end(void);

enum color color_of_percent(double percent);

/* "%6.2f" in its colour. */
void put_percent_color(FILE *out, double percent);

#endif /* VIEW_COLOR_H */
