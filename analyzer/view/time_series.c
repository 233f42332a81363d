// SPDX-License-Identifier: GPL-2.0-only
/* Splits entries into parts by time, from the counts by slice. */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "view/time_series.h"
#include "base/saturate.h"
#include "base/vec.h"
#include "base/sort.h"

/* What time a row of report_time.h is made of. */
enum what { VMM, POLL, IDLE, ASLEEP, BLOCKED, STEAL, LOST, NO_RECORD };

struct weight {
	double all;    /* ticks, of the whole session */
	double seen;   /* of the bins so far */
	double now;    /* of this bin */
	__u64 samples; /* of this bin, if they are counted */
	__u64 done;    /* samples of the bins so far */
	__u32 last;    /* bin in which there was some */
};

struct maker {
	struct time_series *o;
	const struct entries *es;
	const struct timeline *tl;
	struct weight *w; /* by entry */
	__u32 *of_stolen; /* its entry, VMMPROF_NONE; NULL: without time */
};

static bool is_time(const struct entry *e)
{
	return e->state >= ENTRY_PART;
}

static const char *module(const struct maker *m, __u32 entry)
{
	return strings_get(&m->es->names, m->es->entries[entry].module);
}

static enum what what_of(const struct maker *m, __u32 entry)
{
	switch (m->es->entries[entry].state - ENTRY_PART) {
	case PART_VMM:
		return VMM;
	case PART_BLOCKED:
		return BLOCKED;
	case PART_STEAL:
		return STEAL;
	case PART_HALT:
		return !strcmp(module(m, entry), "(host polls)")    ? POLL :
		       !strcmp(module(m, entry), "(idle in guest)") ? IDLE :
								      ASLEEP;
	default:
		return !strcmp(module(m, entry), "(samples lost)") ? LOST :
								     NO_RECORD;
	}
}

/* The entry of what a thief took; where he has none, of the others. */
static __u32 find_thief(const struct maker *m, const struct stolen_time *t)
{
	const __u32 *range = &m->es->of_track[2 * t->track];
	__u32 i, ret = VMMPROF_NONE;
	char name[24];

	time_thief(m->tl, t, name, sizeof(name));
	for (i = range[0]; i < range[1]; i++) {
		if (what_of(m, i) != STEAL)
			continue;
		if (!strcmp(module(m, i), name))
			return i;
		if (!strcmp(module(m, i), "(others)"))
			ret = i;
	}
	return ret;
}

static int find_thieves(struct maker *m)
{
	const struct thieves *cs = &m->tl->thieves;
	size_t i;

	m->of_stolen = malloc((cs->nr_stolen + 1) * sizeof(*m->of_stolen));
	if (!m->of_stolen)
		return -ENOMEM;
	for (i = 0; i < cs->nr_stolen; i++)
		m->of_stolen[i] = m->es->by_thief ?
					  VMMPROF_NONE :
					  find_thief(m, &cs->stolen[i]);
	for (i = 0; i < m->es->nr; i++)
		if (m->es->entries[i].stolen != VMMPROF_NONE)
			m->of_stolen[m->es->entries[i].stolen] = i;
	return 0;
}

/* Ticks of a track's rows in what the sums are of. */
static void weigh_track(struct maker *m, __u32 track)
{
	const struct track *t = m->tl->tracks[track];
	const __u32 *range = &m->es->of_track[2 * track];
	double period = m->tl->period, on = 0, vmm = 0, busy;
	struct track_sum sum;
	unsigned int k;
	__u32 i;

	track_sum(t, &sum);
	for (k = 0; k < NR_ON_CPU; k++) {
		on += t->on_cpu[k];
		if (k >= ON_VMM_USER && k != ON_POLL)
			vmm += t->on_cpu[k];
	}
	busy = (double)t->ticks[STATE_ON_CPU] - sum.idle;
	for (i = range[0]; i < range[1]; i++) {
		const double ticks[] = {
			[VMM] = vmm * period,
			[POLL] = t->on_cpu[ON_POLL] * period,
			[IDLE] = sum.idle,
			[ASLEEP] = sum.asleep,
			[BLOCKED] = sum.blocked,
			[STEAL] = m->w[i].now,
			[LOST] = busy > on * period ? busy - on * period : 0,
			[NO_RECORD] = sum.unknown,
		};

		m->w[i].now = ticks[what_of(m, i)];
	}
}

/* Ticks of the time in what the sums are of. */
static void weigh(struct maker *m)
{
	const struct thieves *cs = &m->tl->thieves;
	size_t i;

	for (i = 0; i < m->es->nr; i++)
		m->w[i].now = 0;
	for (i = 0; i < cs->nr_stolen; i++)
		if (m->of_stolen[i] != VMMPROF_NONE)
			m->w[m->of_stolen[i]].now += stolen_ticks(
				&cs->stolen[i]);
	for (i = 0; i < m->tl->nr; i++)
		weigh_track(m, i);
}

static int add(struct maker *m, __u32 entry, __u32 bin, __u64 samples)
{
	struct time_series *o = m->o;
	int err;

	if (!samples)
		return 0;
	err = vec_grow(&o->parts, &o->cap, o->nr, sizeof(*o->parts));
	if (err)
		return err;
	sat_sum(&m->w[entry].done, samples);
	o->parts[o->nr++] = (struct time_series_part){ entry, bin, samples };
	return 0;
}

/*
 * How many samples this bin gets, so that all bins so far have their share of
 * the total.
 */
static __u64 share(struct weight *w, __u64 all, __u32 bin)
{
	double part, sum;
	__u64 due;

	if (w->now <= 0)
		return 0;
	w->last = bin;
	w->seen += w->now;
	part = w->seen < w->all ? w->seen / w->all : 1;
	sum = all * part + 0.5;
	due = sum < all ? (__u64)sum : all; /* 2^64 is no __u64 */
	return due > w->done ? due - w->done : 0;
}

static int add_bin(struct maker *m, const struct profile *p, __u32 bin)
{
	__u32 entry;
	size_t i;
	int err = 0;

	for (i = 0; i < p->nr; i++) {
		entry = m->es->of_bucket[i];
		if (entry != VMMPROF_NONE)
			sat_sum(&m->w[entry].samples, p->buckets[i].samples);
	}
	if (m->of_stolen)
		weigh(m);
	for (i = 0; i < m->es->nr && !err; i++) {
		struct weight *w = &m->w[i];

		if (is_time(&m->es->entries[i]))
			w->samples = share(w, m->es->entries[i].samples, bin);
		err = add(m, i, bin, w->samples);
		w->samples = 0;
	}
	return err;
}

/* Distributes what rounding left over. */
static int add_rest(struct maker *m)
{
	size_t i;
	int err = 0;

	for (i = 0; i < m->es->nr && !err; i++)
		err = add(m, i, m->w[i].last,
			  m->es->entries[i].samples - m->w[i].done);
	return err;
}

/* The counts by slice; first[i] is where those of slice i begin. */
static struct slice_count *sort(const struct slices *s,
				size_t first[VMMPROF_SLICES + 1])
{
	size_t at[VMMPROF_SLICES], i;
	struct slice_count *ret;

	ret = malloc((s->nr + 1) * sizeof(*ret));
	if (!ret)
		return NULL;
	memset(first, 0, (VMMPROF_SLICES + 1) * sizeof(*first));
	for (i = 0; i < s->nr; i++)
		first[slices_of(&s->counts[i]) + 1]++;
	for (i = 0; i < VMMPROF_SLICES; i++) {
		first[i + 1] += first[i];
		at[i] = first[i];
	}
	for (i = 0; i < s->nr; i++)
		ret[at[slices_of(&s->counts[i])]++] = s->counts[i];
	return ret;
}

static int add_bins(struct maker *m, const struct slices *s)
{
	struct slices part = *s; /* lent */
	struct slice_count *counts;
	size_t first[VMMPROF_SLICES + 1], i, step;
	int err = 0;

	counts = sort(s, first);
	if (!counts)
		return -ENOMEM;
	step = VMMPROF_SLICES / m->o->nr_bins;
	for (i = 0; i < m->o->nr_bins && !err; i++) {
		part.counts = counts + first[i * step];
		part.nr = first[(i + 1) * step] - first[i * step];
		if (!part.nr)
			continue;
		slices_apply(&part, i * step, (i + 1) * step - 1);
		err = add_bin(m, &m->tl->a->profile, i);
	}
	free(counts);
	return err ? err : add_rest(m);
}

static int cmp_part(const void *pa, const void *pb, void *arg)
{
	const struct time_series_part *a = pa, *b = pb;
	const struct entry *x = (struct entry *)arg + a->entry;
	const struct entry *y = (struct entry *)arg + b->entry;

	if (x->machine != y->machine)
		return x->machine < y->machine ? -1 : 1;
	if (x->vcpu != y->vcpu)
		return x->vcpu < y->vcpu ? -1 : 1;
	if (a->bin != b->bin)
		return a->bin < b->bin ? -1 : 1;
	if (x->process != y->process)
		return x->process < y->process ? -1 : 1;
	return a->entry < b->entry ? -1 : a->entry > b->entry;
}

int time_series_init(struct time_series *o, const struct report *r,
		     const struct entries *es, const struct slices *s)
{
	struct maker m = { .o = o, .es = es, .tl = s->tl };
	size_t i;
	int err;

	memset(o, 0, sizeof(*o));
	o->nr_bins = VMMPROF_SLICES;
	while (o->nr_bins > 1 &&
	       s->nr / (VMMPROF_SLICES / o->nr_bins) > TIME_SERIES_PARTS)
		o->nr_bins /= 2;
	if (s->tl->khz)
		o->bin_ns = s->width * (VMMPROF_SLICES / o->nr_bins) * 1e6 /
			    s->tl->khz;
	m.w = calloc(es->nr + 1, sizeof(*m.w));
	err = m.w ? 0 : -ENOMEM;
	if (!err && r->tl && s->tl->period)
		err = find_thieves(&m);
	if (!err && m.of_stolen) {
		weigh(&m);
		for (i = 0; i < es->nr; i++)
			m.w[i].all = m.w[i].now;
	}
	if (!err)
		err = add_bins(&m, s);
	if (!err && o->nr)
		sort_array_r(o->parts, o->nr, sizeof(*o->parts), cmp_part,
			     es->entries);
	free(m.w);
	free(m.of_stolen);
	return err;
}

void time_series_deinit(struct time_series *o)
{
	free(o->parts);
	memset(o, 0, sizeof(*o));
}
