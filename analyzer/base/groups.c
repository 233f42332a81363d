// SPDX-License-Identifier: GPL-2.0-only
/* Things sorted by their groups, by counting. */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/groups.h"

int groups_init(struct groups *g, size_t nr, size_t nr_things,
		__u32 (*group_of)(const void *arg, size_t thing),
		const void *arg)
{
	size_t i;

	/* Two more: what is counted for a group is where the next but one is. */
	g->first = calloc(nr + 2, sizeof(*g->first));
	g->things = malloc((nr_things + 1) * sizeof(*g->things));
	if (!g->first || !g->things) {
		groups_deinit(g);
		return -ENOMEM;
	}
	g->nr = nr;
	g->nr_things = nr_things;
	for (i = 0; i < nr_things; i++)
		g->first[group_of(arg, i) + 2]++;
	for (i = 2; i < nr + 2; i++)
		g->first[i] += g->first[i - 1];
	for (i = 0; i < nr_things; i++)
		g->things[g->first[group_of(arg, i) + 1]++] = i;
	return 0;
}

void groups_deinit(struct groups *g)
{
	free(g->first);
	free(g->things);
	memset(g, 0, sizeof(*g));
}
