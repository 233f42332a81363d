// SPDX-License-Identifier: GPL-2.0-only
/* KSYM items by address. */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "ksym.h"

#define MAX_OVERLAPS 1024 /* of hostile input */

static int cmp_range(const void *a, const void *b)
{
	const struct vmmprof_ksym_range *x = a, *y = b;

	if (x->item->addr != y->item->addr)
		return x->item->addr < y->item->addr ? -1 : 1;
	return x->item < y->item ? -1 : x->item > y->item;
}

int vmmprof_ksyms_init(struct vmmprof_ksyms *k, const struct vmmprof_bundle *b)
{
	size_t i;

	memset(k, 0, sizeof(*k));
	if (!b->nr_ksyms)
		return 0;
	k->ranges = malloc(b->nr_ksyms * sizeof(*k->ranges));
	if (!k->ranges)
		return -ENOMEM;
	for (i = 0; i < b->nr_ksyms; i++)
		if (b->ksyms[i]->name[0])
			k->ranges[k->nr++].item = b->ksyms[i];
	if (k->nr)
		qsort(k->ranges, k->nr, sizeof(*k->ranges), cmp_range);
	for (i = 0; i < k->nr; i++) {
		struct vmmprof_ksym_range *r = &k->ranges[i];

		r->max_end = r->item->addr + r->item->len;
		if (i && r[-1].max_end > r->max_end)
			r->max_end = r[-1].max_end;
	}
	return 0;
}

void vmmprof_ksyms_deinit(struct vmmprof_ksyms *k)
{
	free(k->ranges);
	memset(k, 0, sizeof(*k));
}

const char *vmmprof_ksyms_find(const struct vmmprof_ksyms *k, __u64 addr)
{
	const struct vmmprof_ksym_range *r = k->ranges;
	const char *name = NULL;
	size_t lo = 0, hi = k->nr, mid;
	int steps = 0;

	while (lo < hi) {
		mid = lo + (hi - lo) / 2;
		if (r[mid].item->addr <= addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	for (; lo > 0 && r[lo - 1].max_end > addr; lo--) {
		const struct vmmprof_maps_ksym *s = r[lo - 1].item;

		if (++steps > MAX_OVERLAPS)
			return NULL;
		if (addr - s->addr >= s->len)
			continue;
		if (name && strcmp(name, s->name))
			return NULL;
		name = s->name;
	}
	return name;
}
