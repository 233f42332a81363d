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
enum what {
	VMM,
	POLL,
	IDLE,
	ASLEEP,
	BLOCKED,
	STEAL,
	NOT_SAMPLED,
	NO_RECORD,
	BARE_KERNEL,
	BARE_USER,
	BARE_OTHER,
};

struct weight {
	__u64 ticks, samples;	/* of this bin, those that are counted */
	__u64 done, done_ticks; /* of the bins so far */
	__u32 last;		/* bin in which there was some */
};

struct maker {
	struct time_series *o;
	const struct entries *es;
	const struct timeline *tl;
	struct weight *w; /* by entry */
	__u32 *of_stolen; /* its entry, VMMPROF_NONE; NULL: without time */
};

static const char *module(const struct maker *m, __u32 entry)
{
	return strings_get(&m->es->names, m->es->entries[entry].module);
}

static enum what what_of(const struct maker *m, __u32 entry)
{
	switch (m->es->entries[entry].state - ENTRY_PART) {
	case PART_GUEST:
		return BARE_KERNEL + m->es->entries[entry].mode;
	case PART_VMM:
		return VMM;
	case PART_BLOCKED:
		return BLOCKED;
	case PART_STEAL:
		return STEAL;
	case PART_HALT:
		return m->es->entries[entry].polls		    ? POLL :
		       !strcmp(module(m, entry), "(idle in guest)") ? IDLE :
								      ASLEEP;
	default:
		return !strcmp(module(m, entry), "(no record)") ? NO_RECORD :
								  NOT_SAMPLED;
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
	struct track_sum sum;
	__u32 i;

	track_sum(t, &sum);
	for (i = range[0]; i < range[1]; i++) {
		const __u64 ticks[] = {
			[VMM] = sum.vmm,
			[POLL] = sum.poll,
			[IDLE] = sum.idle,
			[ASLEEP] = sum.asleep,
			[BLOCKED] = sum.blocked,
			[STEAL] = m->w[i].ticks,
			[NOT_SAMPLED] = sum.not_sampled,
			[NO_RECORD] = t->ticks[STATE_UNKNOWN],
			[BARE_KERNEL] = t->on_ticks[ON_GUEST_KERNEL],
			[BARE_USER] = t->on_ticks[ON_GUEST_USER],
			[BARE_OTHER] = t->on_ticks[ON_GUEST_OTHER],
		};

		m->w[i].ticks = ticks[what_of(m, i)];
	}
}

/* Ticks of the time in what the sums are of. */
static void weigh(struct maker *m)
{
	const struct thieves *cs = &m->tl->thieves;
	size_t i;

	for (i = 0; i < m->es->nr; i++)
		m->w[i].ticks = 0;
	for (i = 0; i < cs->nr_stolen; i++)
		if (m->of_stolen[i] != VMMPROF_NONE)
			sat_sum(&m->w[m->of_stolen[i]].ticks,
				stolen_ticks(&cs->stolen[i]));
	for (i = 0; i < m->tl->nr; i++)
		weigh_track(m, i);
}

static int add(struct maker *m, __u32 entry, __u32 bin, __u64 samples,
	       __u64 ticks)
{
	struct time_series *o = m->o;
	struct weight *w = &m->w[entry];
	int err;

	if (!samples && !ticks)
		return 0;
	err = vec_grow(&o->parts, &o->cap, o->nr, sizeof(*o->parts));
	if (err)
		return err;
	w->last = bin;
	sat_sum(&w->done, samples);
	sat_sum(&w->done_ticks, ticks);
	o->parts[o->nr++] = (struct time_series_part){ entry, bin, 0, samples,
						       ticks };
	return 0;
}

/* Ticks that an entry's samples of a bin are due: as many each. */
static __u64 share(const struct weight *w, const struct entry *e)
{
	__u64 samples = sat_add(w->done, w->samples), due;

	if (!w->samples || !e->samples)
		return 0;
	if (samples > e->samples)
		samples = e->samples;
	due = (__uint128_t)e->ticks * samples / e->samples;
	return due > w->done_ticks ? due - w->done_ticks : 0;
}

static int add_entry(struct maker *m, __u32 entry, __u32 bin)
{
	const struct entry *e = &m->es->entries[entry];
	struct weight *w = &m->w[entry];
	__u64 left = e->ticks - w->done_ticks;
	int err;

	if (entry_is_time(e))
		err = add(m, entry, bin, 0, w->ticks < left ? w->ticks : left);
	else
		err = add(m, entry, bin, w->samples, share(w, e));
	w->samples = 0;
	return err;
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
	for (i = 0; i < m->es->nr && !err; i++)
		err = add_entry(m, i, bin);
	return err;
}

/* What no slice has: of sums that were too large. */
static int add_rest(struct maker *m)
{
	const struct entry *e;
	size_t i;
	int err = 0;

	for (i = 0; i < m->es->nr && !err; i++) {
		e = &m->es->entries[i];
		err = add(m, i, m->w[i].last,
			  entry_is_time(e) ? 0 : e->samples - m->w[i].done,
			  e->ticks - m->w[i].done_ticks);
	}
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
	if (a->entry != b->entry)
		return a->entry < b->entry ? -1 : 1;
	return a->node < b->node ? -1 : a->node > b->node;
}

void time_series_sort(struct time_series *o, const struct entries *es)
{
	if (o->nr)
		sort_array_r(o->parts, o->nr, sizeof(*o->parts), cmp_part,
			     es->entries);
}

int time_series_init(struct time_series *o, const struct report *r,
		     const struct entries *es, const struct slices *s,
		     __u64 width)
{
	struct maker m = { .o = o, .es = es, .tl = s->tl };
	int err;

	memset(o, 0, sizeof(*o));
	o->nr_bins = VMMPROF_SLICES;
	while (o->nr_bins > 1 &&
	       (s->nr / (VMMPROF_SLICES / o->nr_bins) > TIME_SERIES_PARTS ||
		s->width * (VMMPROF_SLICES / o->nr_bins) < width))
		o->nr_bins /= 2;
	if (s->tl->khz)
		o->bin_ns = s->width * (VMMPROF_SLICES / o->nr_bins) * 1e6 /
			    s->tl->khz;
	m.w = calloc(es->nr + 1, sizeof(*m.w));
	err = m.w ? 0 : -ENOMEM;
	if (!err && r->tl && s->tl->period)
		err = find_thieves(&m);
	if (!err)
		err = add_bins(&m, s);
	if (!err)
		time_series_sort(o, es);
	free(m.w);
	free(m.of_stolen);
	return err;
}

void time_series_deinit(struct time_series *o)
{
	free(o->parts);
	memset(o, 0, sizeof(*o));
}
