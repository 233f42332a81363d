// SPDX-License-Identifier: GPL-2.0-only
/* Counts by slice of time: one table of (slice, what) -> number. */

#include <stdlib.h>
#include <string.h>

#include "model/slices.h"
#include "model/slices_internal.h"
#include "base/saturate.h"
#include "base/sort.h"
#include "base/vec.h"

#define KEY_KIND(key) ((key) >> SLICE_KIND_SHIFT & 7)
#define KEY_ID(key)   ((key) & ((1ull << SLICE_KIND_SHIFT) - 1))

/* SLICE_STATE: track, state, thief; SLICE_OWN, SLICE_ON: track, class. */
#define STATE_ID(track, state, thief) \
	((__u64)(track) << 24 | (__u64)(state) << 20 | (thief))

/* Beyond THIEVES_MAX each owner has one program of each of three kinds. */
_Static_assert(TRACKS_MAX + THIEVES_MAX + 3 * (OWNERS_MAX + NR_OF) + NR_BY <
		       1 << 20,
	       "a thief has 20 bits");
_Static_assert(NR_STATES < 16, "a state has 4 bits");
_Static_assert(NR_ON_CPU < 256, "a class has 8 bits");
_Static_assert(TRACKS_MAX <= 1 << (SLICE_KIND_SHIFT - 24),
	       "a track has the rest");

#define RECENT_BITS 12
#define RECENT	    4096 /* 2 to the power of RECENT_BITS */

/* Counts are somewhere else now. */
void slices_forget_recent(struct slices *s)
{
	if (s->recent)
		memset(s->recent, 0, RECENT * sizeof(*s->recent));
}

/* The number of the count of this key, made if there is none.  0 or -ENOMEM. */
static int find_count(struct slices *s, __u64 key, size_t *ret)
{
	__u32 i = hash_get(&s->by_key, key);
	int err;

	*ret = i;
	if (i != VMMPROF_NONE)
		return 0;
	err = vec_grow(&s->counts, &s->cap, s->nr, sizeof(*s->counts));
	if (!err)
		err = hash_set(&s->by_key, key, s->nr);
	if (err)
		return err;
	*ret = s->nr;
	s->counts[s->nr++] = (struct slice_count){ key, 0 };
	return 0;
}

/* Of anything but samples: time goes on, so mostly it was counted lately. */
static int count(struct slices *s, __u64 key, __u64 n)
{
	struct slice_recent *r;
	int err = 0;

	if (!s->recent)
		s->recent = calloc(RECENT, sizeof(*s->recent));
	if (!s->recent)
		return -ENOMEM;
	r = &s->recent[hash_recent(key, 0, RECENT_BITS)];
	if (r->key != key) {
		err = find_count(s, key, &r->at);
		r->key = err ? 0 : key;
	}
	if (!err)
		sat_sum(&s->counts[r->at].n, n);
	return err;
}

size_t slices_at(const struct slices *s, __u64 tsc)
{
	__u64 i;

	if (!s->width || tsc < s->from)
		return 0;
	i = (tsc - s->from) / s->width;
	return i < VMMPROF_SLICES ? i : VMMPROF_SLICES - 1;
}

__u64 slices_end(const struct slices *s, size_t slice)
{
	if (!s->width || slice == VMMPROF_SLICES - 1)
		return ~0ull;
	return sat_add(s->from, sat_mul(slice + 1, s->width));
}

/* That of a time; mostly it is that of the time before. */
static size_t slice_near(struct slices *s, __u64 tsc)
{
	if (tsc >= s->at_from && tsc - s->at_from < s->at_ticks)
		return s->at;
	s->at = slices_at(s, tsc);
	s->at_ticks = tsc < s->from ? 0 : s->width;
	s->at_from = s->from + s->at * s->width;
	return s->at;
}

/* Those of a track, made if there are none; NULL without memory. */
static struct slice_unsampled *unsampled_of(struct slices *s, __u32 track)
{
	size_t nr = s->nr_unsampled, more = 2 * ((size_t)track + 1);
	struct slice_unsampled *p;

	if (track < nr)
		return &s->unsampled[track];
	p = realloc(s->unsampled, more * sizeof(*p));
	if (!p)
		return NULL;
	s->unsampled = p;
	memset(p + nr, 0, (more - nr) * sizeof(*p));
	s->nr_unsampled = more;
	return &p[track];
}

static int add_unsampled(struct slices *s, __u32 track, size_t slice,
			 __u64 ticks)
{
	struct slice_unsampled *u = unsampled_of(s, track);
	int err;

	if (!u)
		return -ENOMEM;
	if (u->nr && u->at[u->nr - 1].slice == slice) {
		sat_sum(&u->at[u->nr - 1].ticks, ticks);
		return 0;
	}
	err = vec_grow(&u->at, &u->cap, u->nr, sizeof(*u->at));
	if (err)
		return err;
	u->at[u->nr].slice = slice;
	u->at[u->nr++].ticks = ticks;
	return 0;
}

/* Takes the latest of them away. */
static void sub_unsampled(struct slices *s, __u32 track, size_t slice,
			  __u64 ticks)
{
	struct slice_unsampled *u = unsampled_of(s, track);
	size_t i;

	for (i = u ? u->nr : 0; i-- > 0 && u->at[i].slice >= slice;)
		if (u->at[i].slice == slice)
			u->at[i].ticks -= ticks < u->at[i].ticks ?
						  ticks :
						  u->at[i].ticks;
}

/* The part of from..to in the slice of its beginning; sets *from behind it. */
static size_t slice_part(struct slices *s, __u64 *from, __u64 to, __u64 *ticks)
{
	size_t slice = slice_near(s, *from);
	__u64 end = slices_end(s, slice);

	if (end > to)
		end = to;
	*ticks = end - *from;
	*from = end;
	return slice;
}

/* stretch_fn: adds ticks to the slices in which they were spent. */
static int stretch(void *arg, const struct track *t, enum vcpu_state state,
		   __u64 from, __u64 to, __u32 thief)
{
	struct slices *s = arg;
	__u64 ticks, id;
	size_t slice;
	int err = 0;

	if (thief == VMMPROF_NONE)
		thief = 0;
	id = STATE_ID(t->index, state, thief);
	while (from < to && !err) {
		slice = slice_part(s, &from, to, &ticks);
		err = count(s, SLICE_KEY(slice, SLICE_STATE, id), ticks);
		if (!err && state == STATE_ON_CPU)
			err = add_unsampled(s, t->index, slice, ticks);
	}
	return err;
}

/* idle_fn */
static int idle(void *arg, const struct track *t, __u64 from, __u64 to)
{
	struct slices *s = arg;
	__u64 ticks;
	size_t slice;
	int err = 0;

	/* what was before an interval has been of a class in the one before */
	if (from < s->from)
		from = s->from;
	while (from < to && !err) {
		slice = slice_part(s, &from, to, &ticks);
		err = count(s, SLICE_KEY(slice, SLICE_IDLE, t->index), ticks);
		sub_unsampled(s, t->index, slice, ticks);
	}
	return err;
}

/* class_fn */
static int classed(void *arg, const struct track *t, unsigned int class)
{
	struct slices *s = arg;
	struct slice_unsampled *u = unsampled_of(s, t->index);
	size_t i;
	int err = u ? 0 : -ENOMEM;

	for (i = 0; !err && i < u->nr; i++)
		if (u->at[i].ticks)
			err = count(s,
				    SLICE_KEY(u->at[i].slice, SLICE_ON,
					      SLICE_CLASS_ID(t->index, class)),
				    u->at[i].ticks);
	if (u)
		u->nr = 0;
	return err;
}

/* own_fn: no other slice's are among them */
static int own(void *arg, const struct track *t, unsigned int class, __u64 tsc,
	       __u32 nr)
{
	struct slices *s = arg;

	return slice_class_add(s, slice_near(s, tsc), t->index, class, nr);
}

void slices_init(struct slices *s, struct timeline *tl, __u64 from, __u64 to)
{
	memset(s, 0, sizeof(*s));
	s->tl = tl;
	s->from = from;
	if (to > from)
		s->width = (to - from - 1) / VMMPROF_SLICES + 1;
	tl->stretch = stretch;
	tl->idle = idle;
	tl->classed = classed;
	tl->own = own;
	tl->stretch_arg = s;
	tl->class_arg = s;
}

void slices_deinit(struct slices *s)
{
	size_t i;

	for (i = 0; i < s->nr_unsampled; i++)
		free(s->unsampled[i].at);
	free(s->unsampled);
	free(s->counts);
	free(s->recent);
	hash_deinit(&s->by_key);
	slice_samples_deinit(s);
	memset(s, 0, sizeof(*s));
}

/* Of the profile: a sample's bucket is known now. */
static int counted(void *arg, unsigned int place, __u32 bucket)
{
	struct slices *s = arg;

	return slice_bucket_add(s, s->slice_of[place], bucket);
}

void slices_queue_begin(struct slices *s)
{
	struct profile *p = &s->tl->a->profile;

	s->queues = true;
	p->counted = counted;
	p->counted_arg = s;
}

int slices_queue_end(struct slices *s)
{
	s->queues = false;
	s->tl->a->profile.counted = NULL;
	return slice_samples_flush(s);
}

static int count_sample(struct slices *s, const struct analysis *a,
			const struct vmmprof_rec_sample *rec)
{
	size_t slice = slice_near(s, rec->hdr.tsc);

	if (!time_ranges_has(a->time, rec->hdr.tsc))
		return 0;
	if (!s->queues)
		return slice_bucket_add(s, slice, a->profile.last);
	s->slice_of[a->profile.queued - 1] = slice;
	return 0;
}

int slices_record(struct analysis *a, void *arg, const union rec *rec,
		  const struct resolved *where)
{
	struct slices *s = arg;
	int err = timeline_record(a, s->tl, rec, where);

	return err || !where ? err : count_sample(s, a, &rec->sample);
}

int slices_finish(struct slices *s, __u64 tsc)
{
	const struct track *t;
	size_t i;
	int err = slice_samples_flush(s);

	/* As it was last; without any own sample it stays unknown. */
	for (i = 0; i < s->tl->nr && !err; i++) {
		t = s->tl->tracks[i];
		if (t->last_class < NR_ON_CPU)
			err = classed(s, t, t->last_class);
		else if (i < s->nr_unsampled)
			s->unsampled[i].nr = 0;
	}
	s->span = tsc > s->from ? tsc - s->from : 0;
	return err;
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
	case SLICE_ON:
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
		if (KEY_KIND(c->key) != SLICE_STATE)
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

/*
 * Sort the counts, after their keys were changed or have come twice, and make one of
 * those of a key.  0 or -ENOMEM.
 */
static int sum_up(struct slices *s)
{
	size_t i;
	int err = 0;

	_Static_assert(sizeof(*s->counts) == sizeof(struct keyed) &&
			       offsetof(struct slice_count, n) ==
				       offsetof(struct keyed, value),
		       "sorted as it is");
	s->nr = sort_keyed_sums((struct keyed *)s->counts, s->nr);
	s->twice = 0;
	slices_forget_recent(s);
	hash_deinit(&s->by_key);
	memset(&s->by_key, 0, sizeof(s->by_key));
	for (i = 0; i < s->nr && !err; i++)
		if (KEY_KIND(s->counts[i].key) != SLICE_SAMPLES &&
		    KEY_KIND(s->counts[i].key) != SLICE_OWN)
			err = hash_set(&s->by_key, s->counts[i].key, i);
	return err;
}

int slices_trim(struct slices *s)
{
	return s->twice ? sum_up(s) : 0;
}

int slices_halve(struct slices *s)
{
	const __u64 rest = SLICE_KEY(1, 0, 0) - 1;
	int err = slice_samples_flush(s);
	size_t i, k;

	s->width = sat_mul(s->width, 2);
	s->at_ticks = 0;
	for (i = 0; i < s->nr; i++)
		s->counts[i].key = SLICE_KEY(slices_of(&s->counts[i]) / 2, 0,
					     0) |
				   (s->counts[i].key & rest);
	for (i = 0; i < s->nr_unsampled; i++)
		for (k = 0; k < s->unsampled[i].nr; k++)
			s->unsampled[i].at[k].slice /= 2;
	for (i = 0; i < PROFILE_QUEUE; i++)
		s->slice_of[i] /= 2;
	slice_samples_halve(s);
	return err ? err : sum_up(s);
}
