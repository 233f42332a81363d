/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A session's entries in the order of time: each in parts, by bins of the
 * host's time.  The parts of an entry sum to its samples and ticks.
 *
 * Time by switch records is exact to a bin.  Of the time in guest code each
 * sample of an entry has the same.
 */
#ifndef VIEW_TIME_SERIES_H
#define VIEW_TIME_SERIES_H

#include "view/entries.h"
#include "model/slices.h"

/* With more parts than about this, bins are made wider. */
#define TIME_SERIES_PARTS 1000000

struct time_series_part {
	__u32 entry; /* its number */
	__u32 bin;
	__u32 node;	      /* of the tree of chains; 0: not told apart */
	__u64 samples, ticks; /* of one of them at least 1 */
};

struct time_series {
	/* by machine, vCPU, bin and process */
	struct time_series_part *parts;
	size_t nr, cap;
	__u32 nr_bins;
	double bin_ns;
};

/*
 * @es: of @r, with maps; @s: of the pass it was made of.  @width: no bin is to be
 * narrower than so many ticks.
 * The sums of the profile and the timeline are those of one bin then.  0 or
 * -ENOMEM; deinit is due in either case.
 */
int time_series_init(struct time_series *o, const struct report *r,
		     const struct entries *es, const struct slices *s,
		     __u64 width);
void time_series_deinit(struct time_series *o);

/* Put parts in order that were changed. */
void time_series_sort(struct time_series *o, const struct entries *es);

#endif /* VIEW_TIME_SERIES_H */
