/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The rows of a table as a tree, as perf report --hierarchy has them: below each
 * name of the first key those of the second key that it has, and so on.  A row of
 * the table is a leaf.
 */
#ifndef VIEW_REPORT_LEVELS_H
#define VIEW_REPORT_LEVELS_H

#include "view/report.h"

struct report_level {
	__u32 name;	   /* id in .names */
	__u32 parent;	   /* VMMPROF_NONE: the root */
	__u32 first, next; /* child, sibling; VMMPROF_NONE: none */
	__u32 row;	   /* of the table; VMMPROF_NONE: it has levels below */
	__u32 depth;	   /* number of the key; of the root VMMPROF_NONE */
	struct bucket total; /* of the rows below: samples, ticks */
};

struct report_levels {
	struct strings names;
	struct report_level *nodes; /* [0]: the root */
	size_t nr, cap;
	struct hash by_name; /* parent << 32 | name, but of leaves */
};

/* Of a table by its sort keys.  0 or -ENOMEM; deinit is due in either case. */
int report_levels_init(struct report_levels *l, struct report *r,
		       const struct report_table *m);
void report_levels_deinit(struct report_levels *l);

/*
 * The first child of a node that is not shown, by the report's limits;
 * VMMPROF_NONE: all are.
 */
__u32 report_levels_end(const struct report_levels *l, const struct report *r,
			const struct report_table *m, __u32 node);

#endif /* VIEW_REPORT_LEVELS_H */
