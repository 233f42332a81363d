// SPDX-License-Identifier: GPL-2.0-only
/* Colours of text: Select Graphic Rendition of ECMA-48. */

#include "view/color.h"

#define MUCH 5.0
#define SOME 0.5

static bool used;

void color_use(bool use)
{
	used = use;
}

const char *color_of(enum color color)
{
	static const char *const orders[NR_COLORS] = {
		[COLOR_PLAIN] = "",
		[COLOR_MUCH] = "\033[31m",
		[COLOR_SOME] = "\033[32m",
		[COLOR_GUEST] = "\033[32m",
		[COLOR_VMM] = "\033[36m",
		[COLOR_STEAL] = "\033[31m",
		[COLOR_HALT] = "\033[34m",
		[COLOR_BLOCKED] = "\033[35m",
		[COLOR_UNKNOWN] = "\033[33m",
		[COLOR_HEAD] = "\033[1m",
		[COLOR_WARNING] = "\033[1;31m",
	};

	return used && color < NR_COLORS ? orders[color] : "";
}

const char *color_end(void)
{
	return used ? "\033[m" : "";
}

enum color color_of_percent(double percent)
{
	return percent >= MUCH ? COLOR_MUCH :
	       percent >= SOME ? COLOR_SOME :
				 COLOR_PLAIN;
}

void put_percent_color(FILE *out, double percent)
{
	enum color color = color_of_percent(percent);

	fprintf(out, "%s%6.2f%s", color_of(color), percent,
		color == COLOR_PLAIN ? "" : color_end());
}
