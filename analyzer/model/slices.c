// SPDX-License-Identifier: GPL-2.0-only
/* Counts by slice of time: one table of (slice, what) -> number. */

#include <stdlib.h>
#include <string.h>

#include "model/slices.h"
#include "base/saturate.h"
#include "base/vec.h"

/* What a key counts, as enum slice_kind; its number is made of what follows. */
enum {
	COUNT_CELL = SLICE_SAMPLES,
	COUNT_STATE = SLICE_STATE,
	COUNT_OWN = SLICE_OWN,
	COUNT_IDLE = SLICE_IDLE
};

#define KEY(slice, kind, id) \
	((__u64)(slice) << SLICE_SHIFT | (__u64)(kind) << 48 | (__u64)(id))
#define KEY_KIND(key) ((key) >> 48 & 3)
#define KEY_ID(key)   ((key) & ((1ull << 48) - 1))

/* COUNT_STATE: track, state, thief; COUNT_OWN: track, class. */
#define STATE_ID(track, state, thief) \
	((__u64)(track) << 24 | (__u64)(state) << 20 | (thief))
#define OWN_ID(track, class) ((__u64)(track) << 24 | (class))

/* Beyond THIEVES_MAX each owner has one program of each of three kinds. */
_Static_assert(TRACKS_MAX + THIEVES_MAX + 3 * (OWNERS_MAX + NR_OF) + NR_BY <
		       1 << 20,
	       "a thief has 20 bits");
_Static_assert(NR_STATES < 16, "a state has 4 bits");

static int count(struct slices *s, __u64 key, __u64 n)
{
	__u32 i = hash_get(&s->by_key, key);
	int err;

	if (i != VMMPROF_NONE) {
		sat_sum(&s->counts[i].n, n);
		return 0;
	}
	err = vec_grow(&s->counts, &s->cap, s->nr, sizeof(*s->counts));
	if (!err)
		err = hash_set(&s->by_key, key, s->nr);
	if (err)
		return err;
	s->counts[s->nr++] = (struct slice_count){ key, n };
	return 0;
}

size_t slices_at(const struct slices *s, __u64 tsc)
{
	__u64 i;

	if (!s->width || tsc < s->from)
		return 0;
	i = (tsc - s->from) / s->width;
	return i < VMMPROF_SLICES ? i : VMMPROF_SLICES - 1;
}

/* Adds ticks of one kind to the slices in which they were spent. */
static int count_stretch(struct slices *s, unsigned int kind, __u64 id,
			 __u64 from, __u64 to)
{
	size_t slice;
	__u64 end;
	int err = 0;

	while (from < to && !err) {
		slice = slices_at(s, from);
		end = sat_add(s->from, sat_mul(slice + 1, s->width));
		if (!s->width || end > to || slice == VMMPROF_SLICES - 1)
			end = to;
		err = count(s, KEY(slice, kind, id), end - from);
		from = end;
	}
	return err;
}

static int stretch(void *arg, const struct track *t, enum vcpu_state state,
		   __u64 from, __u64 to, __u32 thief)
{
	struct slices *s = arg;

	if (thief == VMMPROF_NONE)
		thief = 0;
	return count_stretch(s, COUNT_STATE, STATE_ID(t->index, state, thief),
			     from, to);
}

void slices_init(struct slices *s, struct timeline *tl, __u64 from, __u64 to)
{
	memset(s, 0, sizeof(*s));
	s->tl = tl;
	s->from = from;
	if (to > from)
		s->width = (to - from - 1) / VMMPROF_SLICES + 1;
	tl->stretch = stretch;
	tl->stretch_arg = s;
}

void slices_deinit(struct slices *s)
{
	free(s->counts);
	free(s->idle);
	free(s->first);
	profile_deinit(&s->plain);
	hash_deinit(&s->by_key);
	memset(s, 0, sizeof(*s));
}

/* Idle time in the guest since the last call: it was spent just now. */
static int count_idle(struct slices *s, __u32 i, __u64 tsc)
{
	__u64 idle = s->tl->tracks[i]->idle, more;
	__u64 *p;

	if (i >= s->nr_idle) {
		p = realloc(s->idle, (i + 1) * 2 * sizeof(*p));
		if (!p)
			return -ENOMEM;
		s->idle = p;
		memset(p + s->nr_idle, 0,
		       ((i + 1) * 2 - s->nr_idle) * sizeof(*p));
		s->nr_idle = (i + 1) * 2;
	}
	more = idle - s->idle[i];
	s->idle[i] = idle;
	if (!more)
		return 0;
	return count_stretch(s, COUNT_IDLE, i, more < tsc ? tsc - more : 0,
			     tsc);
}

/* The bucket in which a sample of the profile's last one is counted. */
static int find_bucket(struct slices *s, const struct profile *p, __u32 *ret)
{
	struct bucket_key key = p->buckets[p->last].key;
	int err;

	*ret = p->last;
	if (!s->no_addr)
		return 0;
	key.addr = 0;
	key.file = VMMPROF_NONE;
	err = profile_add(&s->plain, &key, 1);
	if (!err && s->plain.last == s->nr_first) {
		err = vec_grow(&s->first, &s->cap_first, s->nr_first,
			       sizeof(*s->first));
		if (!err)
			s->first[s->nr_first++] = p->last;
	}
	if (!err)
		*ret = s->first[s->plain.last];
	return err;
}

static int count_sample(struct slices *s, struct analysis *a,
			const struct vmmprof_rec_sample *rec,
			const struct resolved *w)
{
	size_t slice = slices_at(s, rec->hdr.tsc);
	bool loaded = rec->hdr.flags & VMMPROF_S_VCPU;
	unsigned int class;
	__u32 track, bucket;
	int err;

	err = find_bucket(s, &a->profile, &bucket);
	if (!err)
		err = count(s, KEY(slice, COUNT_CELL, bucket), 1);
	if (err || rec->event != s->tl->event)
		return err;
	track = track_find(s->tl, rec->pid, rec->tid);
	if (track == VMMPROF_NONE)
		return 0;
	class = track_class(&w->key, loaded);
	return count(s, KEY(slice, COUNT_OWN, OWN_ID(track, class)), 1);
}

int slices_record(struct analysis *a, void *arg, const union rec *rec,
		  const struct resolved *where)
{
	struct slices *s = arg;
	int err = timeline_record(a, s->tl, rec, where);
	__u32 track = VMMPROF_NONE;

	if (!err && where)
		err = count_sample(s, a, &rec->sample, where);
	if (where)
		track = track_find(s->tl, rec->sample.pid, rec->sample.tid);
	else if (rec->hdr.type == VMMPROF_REC_OUT)
		track = track_find(s->tl, rec->sw.pid, rec->sw.tid);
	if (!err && track != VMMPROF_NONE)
		err = count_idle(s, track, rec->hdr.tsc);
	return err;
}

int slices_finish(struct slices *s, __u64 tsc)
{
	size_t i;
	int err = 0;

	for (i = 0; i < s->tl->nr && !err; i++)
		err = count_idle(s, i, tsc);
	s->span = tsc > s->from ? tsc - s->from : 0;
	return err;
}

static void apply_state(struct timeline *tl, __u64 id, __u64 n)
{
	struct track *t = tl->tracks[id >> 24];
	unsigned int state = id >> 20 & 15;
	__u32 i;

	sat_sum(&t->ticks[state], n);
	if (!state_waits(state))
		return;
	i = hash_get(&tl->thieves.pairs, id >> 24 << 32 | (id & 0xfffff));
	if (i == VMMPROF_NONE)
		return;
	if (state == STATE_WOKEN)
		sat_sum(&tl->thieves.stolen[i].woken, n);
	else
		sat_sum(&tl->thieves.stolen[i].preempted, n);
}

static void forget_sums(struct slices *s)
{
	struct timeline *tl = s->tl;
	struct stolen_time *t;
	size_t i;

	for (i = 0; i < tl->a->profile.nr; i++)
		tl->a->profile.buckets[i].samples = 0;
	for (i = 0; i < tl->nr; i++) {
		memset(tl->tracks[i]->ticks, 0, sizeof(tl->tracks[i]->ticks));
		memset(tl->tracks[i]->on_cpu, 0, sizeof(tl->tracks[i]->on_cpu));
		tl->tracks[i]->idle = 0;
		if (i < s->nr_idle)
			s->idle[i] = 0;
	}
	for (i = 0; i < tl->thieves.nr_stolen; i++) {
		t = &tl->thieves.stolen[i];
		t->preempted = 0;
		t->woken = 0;
		t->longest = 0;
	}
	tl->a->profile.samples = 0;
}

void slices_clear(struct slices *s, __u64 from)
{
	s->from = from;
	s->nr = 0;
	hash_deinit(&s->by_key);
	memset(&s->by_key, 0, sizeof(s->by_key));
	forget_sums(s);
	profile_deinit(&s->tl->a->profile);
}

/* Without switch records only a vCPU's samples tell when it had a CPU. */
static void states_by_samples(struct timeline *tl, __u64 span)
{
	struct track *t;
	__u64 own;
	size_t i, k;

	for (i = 0; i < tl->nr; i++) {
		t = tl->tracks[i];
		memset(t->ticks, 0, sizeof(t->ticks));
		for (own = 0, k = 0; k < NR_ON_CPU; k++)
			sat_sum(&own, t->on_cpu[k]);
		own = sat_mul(own, tl->period);
		t->ticks[STATE_ON_CPU] = own;
		t->ticks[STATE_UNKNOWN] = own < span ? span - own : 0;
	}
}

void slices_apply(struct slices *s, size_t first, size_t last)
{
	struct timeline *tl = s->tl;
	const struct slice_count *c;
	size_t i;
	__u64 id;

	forget_sums(s);
	for (i = 0; i < s->nr; i++) {
		c = &s->counts[i];
		id = KEY_ID(c->key);
		if (slices_of(c) < first || slices_of(c) > last)
			continue;
		switch (KEY_KIND(c->key)) {
		case COUNT_CELL:
			sat_sum(&tl->a->profile.buckets[id].samples, c->n);
			sat_sum(&tl->a->profile.samples, c->n);
			break;
		case COUNT_STATE:
			apply_state(tl, id, c->n);
			break;
		case COUNT_OWN:
			sat_sum(&tl->tracks[id >> 24]->on_cpu[id & 0xff], c->n);
			break;
		case COUNT_IDLE:
			sat_sum(&tl->tracks[id]->idle, c->n);
			break;
		}
	}
	if (!timeline_exact(tl))
		states_by_samples(tl, s->width ? sat_mul(s->width,
							 last - first + 1) :
						 s->span);
	/* Idle time is part of the time on a CPU, in each slice. */
	for (i = 0; i < tl->nr; i++)
		if (tl->tracks[i]->idle > tl->tracks[i]->ticks[STATE_ON_CPU])
			tl->tracks[i]->idle = tl->tracks[i]->ticks[STATE_ON_CPU];
}

struct slice_cell slices_cell(const struct slices *s, size_t i)
{
	const struct slice_count *c = &s->counts[i];
	__u64 id = KEY_ID(c->key);
	struct slice_cell ret = {
		.kind = KEY_KIND(c->key),
		.track = id >> 24,
		.slice = slices_of(c),
		.n = c->n,
	};

	switch (ret.kind) {
	case SLICE_SAMPLES:
		ret.bucket = id;
		break;
	case SLICE_STATE:
		ret.state = id >> 20 & 15;
		ret.thief = id & 0xfffff;
		break;
	case SLICE_OWN:
		ret.class = id & 0xffffff;
		break;
	case SLICE_IDLE:
		ret.track = id;
		break;
	}
	return ret;
}

void slices_steal(const struct slices *s, __u32 guest, __u32 track,
		  __u64 steal[VMMPROF_SLICES], __u64 all[VMMPROF_SLICES])
{
	const struct slice_count *c;
	size_t i, slice;
	__u32 t;

	memset(steal, 0, VMMPROF_SLICES * sizeof(*steal));
	memset(all, 0, VMMPROF_SLICES * sizeof(*all));
	for (i = 0; i < s->nr; i++) {
		c = &s->counts[i];
		if (KEY_KIND(c->key) != COUNT_STATE)
			continue;
		t = KEY_ID(c->key) >> 24;
		if ((track != VMMPROF_NONE && t != track) ||
		    (guest != VMMPROF_NONE && s->tl->tracks[t]->guest != guest))
			continue;
		slice = slices_of(c);
		sat_sum(&all[slice], c->n);
		if (state_waits(KEY_ID(c->key) >> 20 & 15))
			sat_sum(&steal[slice], c->n);
	}
}

int slices_halve(struct slices *s)
{
	const __u64 id = KEY(1, 0, 0) - 1; /* and the kind */
	size_t i, nr = s->nr;
	int err = 0;

	hash_deinit(&s->by_key);
	memset(&s->by_key, 0, sizeof(s->by_key));
	s->nr = 0;
	s->width = sat_mul(s->width, 2);
	/* in place: there are never more than have been looked at */
	for (i = 0; i < nr && !err; i++) {
		struct slice_count c = s->counts[i];

		err = count(s, KEY(slices_of(&c) / 2, 0, c.key & id), c.n);
	}
	return err;
}
