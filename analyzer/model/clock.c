// SPDX-License-Identifier: GPL-2.0-only
/* Piecewise linear clock through (TSC, CLOCK_MONOTONIC) pairs. */

#include <stdlib.h>
#include <string.h>

#include "model/clock.h"
#include "base/sort.h"

#define MIN_STEP_NS	10000000ull /* of a slope that can be trusted */
#define MIN_NS_PER_TICK 0.05	    /* 20 GHz */
#define MAX_NS_PER_TICK 100.0	    /* 10 MHz */

static int cmp_item(const void *a, const void *b)
{
	const struct vmmprof_item_clock *x = *(void **)a, *y = *(void **)b;

	if (x->tsc != y->tsc)
		return x->tsc < y->tsc ? -1 : 1;
	return x->mono_ns < y->mono_ns ? -1 : x->mono_ns > y->mono_ns;
}

/* Take the pair as the next point if the slope to it is believable. */
static void add_point(struct clock *c, const struct vmmprof_item_clock *item)
{
	struct clock_point *last;
	double slope;

	if (c->nr) {
		last = &c->point[c->nr - 1];
		if (item->mono_ns < last->ns + MIN_STEP_NS)
			return;
		slope = (double)(item->mono_ns - last->ns) /
			(double)(item->tsc - last->tsc);
		if (!(slope >= MIN_NS_PER_TICK && slope <= MAX_NS_PER_TICK))
			return;
		last->ns_per_tick = slope;
	}
	if (c->nr == CLOCK_POINTS)
		return;
	c->point[c->nr].tsc = item->tsc;
	c->point[c->nr].ns = item->mono_ns;
	c->point[c->nr].ns_per_tick = 0;
	c->nr++;
}

/* Distance of the pair from the line through @a and @b, in ns. */
static double deviation(const struct vmmprof_item_clock *item,
			const struct clock_point *a,
			const struct clock_point *b)
{
	double slope = ((double)b->ns - (double)a->ns) /
		       ((double)b->tsc - (double)a->tsc);
	double ns = (double)(__s64)(item->tsc - a->tsc) * slope;
	double d = (double)(__s64)(item->mono_ns - a->ns) - ns;

	return d < 0 ? -d : d;
}

/* The pairs in the order of their TSC. */
static void find_residual(struct clock *c,
			  const struct vmmprof_item_clock **sorted, size_t nr)
{
	const struct clock_point *p = c->point;
	size_t i, k = 0;
	double max = 0, d;

	c->pairs = nr;
	c->residual = TIME_UNKNOWN;
	if (c->nr < 2 || nr < 3)
		return;
	for (i = 0; i < nr; i++) {
		/* p[k] is the last point until the pair */
		while (k + 1 < c->nr && p[k + 1].tsc <= sorted[i]->tsc)
			k++;
		if (p[k].tsc != sorted[i]->tsc)
			d = k + 1 < c->nr ?
				    deviation(sorted[i], &p[k], &p[k + 1]) :
				    deviation(sorted[i], &p[k - 1], &p[k]);
		else if (k && k + 1 < c->nr)
			d = deviation(sorted[i], &p[k - 1], &p[k + 1]);
		else
			d = 0;
		if (d > max)
			max = d;
	}
	c->residual = max < 9e18 ? (__u64)(max + 0.5) : TIME_UNKNOWN - 1;
}

void clock_init(struct clock *c, const struct vmmprof_item_clock *const *items,
		size_t nr, __u64 tsc_khz)
{
	const struct vmmprof_item_clock **sorted;
	size_t i, step;

	memset(c, 0, sizeof(*c));
	if (!nr)
		return;
	sorted = malloc(nr * sizeof(*sorted));
	if (!sorted)
		return;
	memcpy(sorted, items, nr * sizeof(*sorted));
	sort_array(sorted, nr, sizeof(*sorted), cmp_item);
	/* More pairs than points: equally spaced ones, and the last. */
	step = (nr + CLOCK_POINTS - 2) / (CLOCK_POINTS - 1);
	for (i = 0; i < nr; i += step)
		add_point(c, sorted[i]);
	if ((nr - 1) % step)
		add_point(c, sorted[nr - 1]);
	find_residual(c, sorted, nr);
	free(sorted);

	if (c->nr > 1)
		c->point[c->nr - 1].ns_per_tick = c->point[c->nr - 2]
							  .ns_per_tick;
	else if (tsc_khz >= 10000 && tsc_khz <= 20000000)
		c->point[0].ns_per_tick = 1e6 / (double)tsc_khz;
	else
		c->nr = 0;
}
