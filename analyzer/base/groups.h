/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Numbered things by the group they are in: who shows group after group does
 * not look at all things for each.
 */
#ifndef BASE_GROUPS_H
#define BASE_GROUPS_H

#include <stddef.h>
#include <linux/types.h>

struct groups {
	__u32 *first; /* of each group and, behind the last, the end; in .things */
	__u32 *things;
	size_t nr, nr_things;
};

/*
 * Sort things 0 to @nr_things - 1 by @group_of(@arg, thing), which is below
 * @nr.  @g is empty, or zeroed.  0 or -ENOMEM with @g empty.
 */
int groups_init(struct groups *g, size_t nr, size_t nr_things,
		__u32 (*group_of)(const void *arg, size_t thing),
		const void *arg);
void groups_deinit(struct groups *g);

/* The things of a group, rising; none of a group that there is not. */
static inline const __u32 *groups_of(const struct groups *g, size_t group,
				     size_t *nr)
{
	*nr = group < g->nr ? g->first[group + 1] - g->first[group] : 0;
	return *nr ? g->things + g->first[group] : NULL;
}

#endif /* BASE_GROUPS_H */
