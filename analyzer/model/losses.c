// SPDX-License-Identifier: GPL-2.0-only
/* Looks for LOST records, and for when what they tell of was lost. */

#include <stdlib.h>
#include <string.h>

#include "model/losses.h"
#include "base/hash.h"
#include "base/saturate.h"
#include "base/vec.h"
#include "base/sort.h"

/* The pass is needed unless the module counted no loss on every CPU. */
static bool none_lost(const struct session *s)
{
	size_t i;

	for (i = 0; i < s->nr_cpus; i++)
		if (!s->cpus[i].stat || s->cpus[i].stat->stat.lost_other)
			return false;
	return true;
}

static int add(struct losses *l, const struct loss *new)
{
	struct loss *last;
	int ret;

	/* Beyond the limit the last loss is extended over all later ones. */
	if (l->nr == LOSSES_MAX) {
		last = &l->loss[l->nr - 1];
		/* they come in the order of their ends */
		if (new->from < last->from)
			last->from = new->from;
		if (new->to > last->to)
			last->to = new->to;
		sat_sum(&last->nr, new->nr);
		last->names = last->names && new->names;
		last->cpu = VMMPROF_NONE;
		return 0;
	}
	ret = vec_grow(&l->loss, &l->cap, l->nr, sizeof(*l->loss));
	if (!ret)
		l->loss[l->nr++] = *new;
	return ret;
}

static int cmp_loss(const void *a, const void *b)
{
	const struct loss *x = a, *y = b;

	return x->from < y->from ? -1 : x->from > y->from;
}

/*
 * @last: the CPU's record before.  That may be a sample of an NMI, which does not
 * tell of what was lost outside of NMIs: the loss is older then.
 */
static struct loss loss_of(const struct vmmprof_rec_lost *rec, __u32 cpu,
			   __u64 last)
{
	struct loss loss = { .from = last,
			     .to = rec->hdr.tsc,
			     .nr = rec->lost_other,
			     .cpu = cpu };

	if (!rec->lost && rec->first_tsc && rec->first_tsc < last)
		loss.from = rec->first_tsc;
	if (!(rec->hdr.flags & VMMPROF_L_NAMES) || rec->lost ||
	    rec->first_tsc > rec->last_tsc || rec->last_tsc > rec->hdr.tsc)
		return loss;
	loss.names = true;
	loss.from = rec->first_tsc;
	loss.to = rec->last_tsc;
	return loss;
}

/* A LOST record of switch records. */
static bool is_loss(const struct vmmprof_rec_hdr *hdr)
{
	const struct vmmprof_rec_lost *lost = (const void *)hdr;

	return lost->hdr.type == VMMPROF_REC_LOST && lost->lost_other &&
	       !(lost->hdr.flags & VMMPROF_L_CHAINS);
}

/* last[]: of each CPU the time of its last record. */
static int look(struct losses *l, struct merge *m, struct hash *index,
		__u64 *last)
{
	const union rec *rec;
	struct loss loss;
	__u32 i, nr = 0;
	int ret = 0;

	while (!ret && merge_next(m, &rec)) {
		i = hash_get(index, m->cpu);
		if (i == VMMPROF_NONE) {
			i = nr++;
			ret = hash_set(index, m->cpu, i);
			if (ret)
				return ret;
		}
		if (is_loss(&rec->hdr)) {
			loss = loss_of(&rec->lost, m->cpu, last[i]);
			ret = add(l, &loss);
		}
		last[i] = rec->hdr.tsc;
	}
	return ret;
}

int losses_init(struct losses *l, struct session *s)
{
	size_t problems = s->problems.nr, more = s->problems.more;
	struct hash index = { 0 };
	struct merge m;
	__u64 *last;
	int ret;

	memset(l, 0, sizeof(*l));
	if (none_lost(s) || !session_has_record(s, is_loss))
		return 0;
	ret = session_merge(s, &m);
	if (ret)
		return ret;
	last = calloc(m.nr + 1, sizeof(*last));
	ret = last ? look(l, &m, &index, last) : -ENOMEM;
	free(last);
	hash_deinit(&index);
	merge_deinit(&m);
	/* The main pass reports damaged files again. */
	while (s->problems.nr > problems)
		free(s->problems.line[--s->problems.nr]);
	s->problems.more = more;
	if (l->nr)
		sort_array(l->loss, l->nr, sizeof(*l->loss), cmp_loss);
	return ret;
}

int losses_renew(struct losses *l, size_t next, __u64 begin, struct session *s)
{
	struct losses was = *l;
	int ret = losses_init(l, s);
	size_t i;

	for (i = 0; i < l->nr; i++)
		if (!l->loss[i].from)
			l->loss[i].from = begin;
	for (i = next; i < was.nr && !ret; i++)
		ret = add(l, &was.loss[i]);
	if (!ret && l->nr)
		sort_array(l->loss, l->nr, sizeof(*l->loss), cmp_loss);
	losses_deinit(&was);
	return ret;
}

int losses_cut(struct losses *l, size_t next, const struct merge_cut *cut)
{
	int err = vec_grow(&l->loss, &l->cap, l->nr, sizeof(*l->loss));
	size_t i;

	if (err)
		return err;
	for (i = l->nr++; i > next && l->loss[i - 1].from > cut->tsc; i--)
		l->loss[i] = l->loss[i - 1];
	l->loss[i] = (struct loss){
		.from = cut->tsc, .to = ~0ull, .cpu = cut->cpu, .cut = true
	};
	return 0;
}

void losses_deinit(struct losses *l)
{
	free(l->loss);
	memset(l, 0, sizeof(*l));
}
