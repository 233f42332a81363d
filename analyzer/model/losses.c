// SPDX-License-Identifier: GPL-2.0-only
/* The pass that looks for LOST records. */

#include <stdlib.h>
#include <string.h>

#include "model/losses.h"
#include "base/hash.h"
#include "base/saturate.h"
#include "base/vec.h"

/* Without a count of every CPU that is 0, the records have to be looked at. */
static bool none_lost(const struct vmmprof_session *s)
{
	size_t i;

	for (i = 0; i < s->nr_cpus; i++)
		if (!s->cpus[i].stat || s->cpus[i].stat->stat.lost_other)
			return false;
	return true;
}

static int add(struct vmmprof_losses *l, const struct vmmprof_loss *new)
{
	struct vmmprof_loss *last;
	int ret;

	/* Too many to tell apart: the last one grows over all of them. */
	if (l->nr == VMMPROF_LOSSES_MAX) {
		last = &l->loss[l->nr - 1];
		if (new->to > last->to)
			last->to = new->to;
		vmmprof_sum(&last->nr, new->nr);
		last->names = last->names && new->names;
		last->cpu = VMMPROF_NONE;
		return 0;
	}
	ret = vmmprof_vec_grow(&l->loss, &l->cap, l->nr, sizeof(*l->loss));
	if (!ret)
		l->loss[l->nr++] = *new;
	return ret;
}

static int cmp_loss(const void *a, const void *b)
{
	const struct vmmprof_loss *x = a, *y = b;

	return x->from < y->from ? -1 : x->from > y->from;
}

/* @last: the CPU's record before. */
static struct vmmprof_loss loss_of(const struct vmmprof_rec_lost *rec,
				   __u32 cpu, __u64 last)
{
	struct vmmprof_loss loss = { .from = last,
				     .to = rec->hdr.tsc,
				     .nr = rec->lost_other,
				     .cpu = cpu };

	if (!(rec->hdr.flags & VMMPROF_L_NAMES) || rec->lost ||
	    rec->first_tsc > rec->last_tsc || rec->last_tsc > rec->hdr.tsc)
		return loss;
	loss.names = true;
	loss.from = rec->first_tsc;
	loss.to = rec->last_tsc;
	return loss;
}

/* last[]: of each CPU the time of its last record. */
static int look(struct vmmprof_losses *l, struct vmmprof_merge *m,
		struct vmmprof_hash *index, __u64 *last)
{
	const union vmmprof_rec *rec;
	struct vmmprof_loss loss;
	__u32 i, nr = 0;
	int ret = 0;

	while (!ret && vmmprof_merge_next(m, &rec)) {
		i = vmmprof_hash_get(index, m->cpu);
		if (i == VMMPROF_NONE) {
			i = nr++;
			ret = vmmprof_hash_set(index, m->cpu, i);
			if (ret)
				return ret;
		}
		if (rec->hdr.type == VMMPROF_REC_LOST && rec->lost.lost_other) {
			loss = loss_of(&rec->lost, m->cpu, last[i]);
			ret = add(l, &loss);
		}
		last[i] = rec->hdr.tsc;
	}
	return ret;
}

int vmmprof_losses_init(struct vmmprof_losses *l, struct vmmprof_session *s)
{
	size_t problems = s->problems.nr, more = s->problems.more;
	struct vmmprof_hash index = { 0 };
	struct vmmprof_merge m;
	__u64 *last;
	int ret;

	memset(l, 0, sizeof(*l));
	if (none_lost(s))
		return 0;
	ret = vmmprof_session_merge(s, &m);
	if (ret)
		return ret;
	last = calloc(m.nr + 1, sizeof(*last));
	ret = last ? look(l, &m, &index, last) : -ENOMEM;
	free(last);
	vmmprof_hash_deinit(&index);
	vmmprof_merge_deinit(&m);
	/* The pass proper will say the same of damaged files again. */
	while (s->problems.nr > problems)
		free(s->problems.line[--s->problems.nr]);
	s->problems.more = more;
	if (l->nr)
		qsort(l->loss, l->nr, sizeof(*l->loss), cmp_loss);
	return ret;
}

void vmmprof_losses_deinit(struct vmmprof_losses *l)
{
	free(l->loss);
	memset(l, 0, sizeof(*l));
}
