// SPDX-License-Identifier: GPL-2.0-only
/* KSYM items by address. */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/search.h"
#include "model/clock.h"
#include "model/ksym.h"
#include "base/sort.h"

#define MAX_OVERLAPS 1024 /* bounds the search in hostile input */

static int cmp_range(const void *a, const void *b)
{
	const struct ksym_range *x = a, *y = b;

	if (x->item->addr != y->item->addr)
		return x->item->addr < y->item->addr ? -1 : 1;
	if (x->item->ns != y->item->ns)
		return x->item->ns < y->item->ns ? -1 : 1;
	return x->item < y->item ? -1 : x->item > y->item;
}

/*
 * For code that is gone and was not seen to come: it was there since the code
 * before it at its address went.  Code that was seen to come has a range
 * already.
 */
static void set_times(struct ksyms *k)
{
	const struct vmmprof_maps_ksym *here = NULL; /* came, not yet gone */
	__u64 last = 0;				     /* event at the address */
	size_t i, n = 0;

	for (i = 0; i < k->nr; i++) {
		const struct vmmprof_maps_ksym *s = k->ranges[i].item;

		if (i && k->ranges[i - 1].item->addr != s->addr) {
			here = NULL;
			last = 0;
		}
		if (!(s->flags & VMMPROF_KSYM_F_GONE)) {
			k->ranges[n].item = s;
			k->ranges[n++].from = s->ns;
			here = s;
		} else {
			if (!here || strcmp(here->name, s->name)) {
				k->ranges[n].item = s;
				k->ranges[n++].from = last;
			}
			here = NULL;
		}
		last = s->ns;
	}
	k->nr = n;
}

int ksyms_init(struct ksyms *k, const struct bundle *b)
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
		sort_array(k->ranges, k->nr, sizeof(*k->ranges), cmp_range);
	set_times(k);
	for (i = 0; i < k->nr; i++) {
		struct ksym_range *r = &k->ranges[i];

		r->max_end = r->item->addr + r->item->len;
		if (i && r[-1].max_end > r->max_end)
			r->max_end = r[-1].max_end;
	}
	return 0;
}

void ksyms_deinit(struct ksyms *k)
{
	free(k->ranges);
	memset(k, 0, sizeof(*k));
}

/* One more that covers the address; *several: *ret names one of them. */
static void weigh(const struct ksym_range *r, __u64 ns, struct ksym_hit *ret,
		  bool first, bool *several)
{
	const char *name = r->item->name;

	if (ns == TIME_UNKNOWN) {
		*several |= !first && strcmp(ret->name, name);
		ret->name = name;
	} else if (r->from > ns) {
		ret->end = r->from < ret->end ? r->from : ret->end;
	} else if (!ret->name || r->from > ret->from) {
		ret->name = name;
		ret->from = r->from;
		*several = false;
	} else if (r->from == ret->from) {
		*several |= strcmp(ret->name, name);
	}
}

bool ksyms_find(const struct ksyms *k, __u64 addr, __u64 ns,
		struct ksym_hit *ret)
{
	const struct ksym_range *r = k->ranges;
	size_t lo = 0, hi = k->nr, mid;
	bool found = false, several = false;
	int steps = 0;

	ret->name = NULL;
	ret->from = 0;
	ret->end = TIME_UNKNOWN;
	BISECT(lo, hi, mid, r[mid].item->addr <= addr);
	for (; lo > 0 && r[lo - 1].max_end > addr; lo--) {
		if (++steps > MAX_OVERLAPS) {
			ret->name = NULL;
			ret->from = 0;
			ret->end = TIME_UNKNOWN;
			return true;
		}
		if (addr - r[lo - 1].item->addr >= r[lo - 1].item->len)
			continue;
		weigh(&r[lo - 1], ns, ret, !found, &several);
		found = true;
	}
	if (several)
		ret->name = NULL;
	return found;
}
