// SPDX-License-Identifier: GPL-2.0-only
/*
 * The samples in the page of `vmmprof report --html`: the entries of an export
 * as the paths of a tree, in order, and how many samples each has in which
 * slice.
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/sort.h"
#include "view/html.h"
#include "view/packed.h"

struct part {
	__u32 rank; /* of its entry in the order of the page */
	__u32 slice;
	__u64 n;
};

/* The parts of a path; a path begins as the one before until one differs. */
static int differs(const struct entry *a, const struct entry *b)
{
	if (a->machine != b->machine)
		return 0;
	if (a->vcpu != b->vcpu)
		return 1;
	if (a->process != b->process || a->pid != b->pid)
		return 2;
	return a->module != b->module ? 3 : 4;
}

#define CMP(member)                                            \
	do {                                                   \
		if (a->member != b->member)                    \
			return a->member < b->member ? -1 : 1; \
	} while (0)

static int cmp_entry(const void *pa, const void *pb, void *arg)
{
	const struct entry *a = (struct entry *)arg + *(const __u32 *)pa;
	const struct entry *b = (struct entry *)arg + *(const __u32 *)pb;

	CMP(machine);
	CMP(vcpu);
	CMP(process);
	CMP(pid);
	CMP(module);
	CMP(function);
	CMP(mode);
	CMP(cause);
	return 0;
}

static int cmp_part(const void *pa, const void *pb)
{
	const struct part *a = pa, *b = pb;

	CMP(rank);
	CMP(slice);
	return 0;
}

/* Entries of samples in the order of their paths. */
static __u32 *order(const struct entries *es, size_t *nr)
{
	__u32 *ids = malloc((es->nr + 1) * sizeof(*ids));
	size_t i;

	for (i = 0, *nr = 0; ids && i < es->nr; i++)
		if (es->entries[i].state < ENTRY_PART)
			ids[(*nr)++] = i;
	if (ids && *nr)
		sort_array_r(ids, *nr, sizeof(*ids), cmp_entry, es->entries);
	return ids;
}

/* What the slices have of these entries, in order. */
static struct part *split(const struct html_data *d, const __u32 *ids,
			  size_t nr_ids, size_t *nr)
{
	const struct entries *es = d->x->entries;
	struct part *parts = calloc(d->slices->nr + 1, sizeof(*parts));
	__u32 *rank = calloc(es->nr + 1, sizeof(*rank));
	size_t i, n = 0;

	for (i = 0; rank && i < nr_ids; i++)
		rank[ids[i]] = i;
	for (i = 0; rank && parts && i < d->slices->nr; i++) {
		struct slice_cell c = slices_cell(d->slices, i);

		if (c.kind != SLICE_SAMPLES ||
		    es->of_bucket[c.bucket] == VMMPROF_NONE)
			continue;
		parts[n].rank = rank[es->of_bucket[c.bucket]];
		parts[n].slice = c.slice / d->step;
		parts[n++].n = c.n;
	}
	if (!rank || !parts) {
		free(rank);
		free(parts);
		return NULL;
	}
	free(rank);
	if (n)
		sort_array(parts, n, sizeof(*parts), cmp_part);
	for (i = 0, *nr = 0; i < n; i++)
		if (*nr && !cmp_part(&parts[*nr - 1], &parts[i]))
			sat_sum(&parts[*nr - 1].n, parts[i].n);
		else
			parts[(*nr)++] = parts[i];
	return parts;
}

/* The first part that differs, and all from it on; then mode and state. */
static void add_path(struct packed *p, const struct entry *last,
		     const struct entry *e)
{
	int from = last ? differs(last, e) : 0;

	packed_add(p, from);
	if (from < 1)
		packed_add(p, e->machine);
	if (from < 2)
		packed_add(p, (__u32)(e->vcpu + 1));
	if (from < 3) {
		packed_add(p, (__u32)(e->process + 1));
		packed_add(p, (__u32)(e->pid + 1));
	}
	if (from < 4)
		packed_add(p, e->module);
	packed_add(p, e->function);
	packed_add(p, e->mode);
}

/*
 * How many slices, and of each of them twice how many behind the one before
 * it is, one more if it has more than one sample; then how many.
 */
static void add_parts(struct packed *p, const struct part *parts, size_t nr)
{
	__u32 at = 0;
	size_t i;

	packed_add(p, nr);
	for (i = 0; i < nr; i++) {
		packed_add(p, 2 * (parts[i].slice - at) + (parts[i].n > 1));
		if (parts[i].n > 1)
			packed_add(p, parts[i].n);
		at = parts[i].slice;
	}
}

int html_samples(const struct html_data *d, struct json_out *j, const char *key)
{
	const struct entries *es = d->x->entries;
	const struct entry *last = NULL;
	struct packed p = { 0 };
	struct part *parts = NULL;
	size_t nr_ids, nr = 0, i, first, end = 0;
	__u32 *ids = order(es, &nr_ids);
	int err = -ENOMEM;

	if (ids)
		parts = split(d, ids, nr_ids, &nr);
	if (parts) {
		packed_add(&p, nr_ids);
		packed_add(&p, nr);
		for (i = 0; i < nr_ids; i++) {
			add_path(&p, last, &es->entries[ids[i]]);
			last = &es->entries[ids[i]];
			for (first = end; end < nr && parts[end].rank == i;)
				end++;
			add_parts(&p, parts + first, end - first);
		}
		err = packed_put(&p, j, key);
	}
	free(parts);
	free(ids);
	return err;
}
