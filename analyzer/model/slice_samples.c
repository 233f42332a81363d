// SPDX-License-Identifier: GPL-2.0-only
/*
 * Samples by slice of time, of buckets and of what vCPUs did: those of one slice are
 * counted in arrays, by number, and put to the other counts when samples of another
 * slice come.
 */

#include <stdlib.h>
#include <string.h>

#include "base/huge_pages.h"
#include "base/vec.h"
#include "model/slices.h"
#include "model/slices_internal.h"

#define ROOM 1024 /* buckets, at first */
#define TWICE_MAX \
	65536 /* counts that are there twice, and half of all others */

/* For numbers up to this one. */
static int make_room(struct slice_now *now, size_t number)
{
	size_t nr = now->nr ? now->nr : ROOM;
	__u32 *p;

	while (nr <= number)
		nr *= 2;
	/* all may be met, and one more is written behind them */
	p = realloc(now->met, (nr + 1) * sizeof(*p));
	if (!p)
		return -ENOMEM;
	now->met = p;
	p = realloc(now->of, nr * sizeof(*p));
	if (!p)
		return -ENOMEM;
	huge_pages(p, nr * sizeof(*p));
	memset(p + now->nr, 0, (nr - now->nr) * sizeof(*p));
	now->of = p;
	now->nr = nr;
	return 0;
}

/* What the samples of a number have as their key. */
static __u64 key_of(const struct slices *s, const struct slice_now *now,
		    __u32 number)
{
	return now == &s->by_bucket ?
		       SLICE_KEY(now->slice, SLICE_SAMPLES, number) :
		       SLICE_KEY(now->slice, SLICE_OWN,
				 SLICE_CLASS_ID(number / NR_ON_CPU,
						number % NR_ON_CPU));
}

/* @nr counts more, whose keys may be there already if time has gone back. */
static int note_twice(struct slices *s, struct slice_now *now, size_t nr)
{
	if (now->slice >= now->behind) {
		now->behind = now->slice + 1;
		return 0;
	}
	s->twice += nr;
	return s->twice > s->nr / 2 + TWICE_MAX ? slices_trim(s) : 0;
}

/* Forget what is counted. */
static void clear(struct slice_now *now)
{
	size_t i;

	for (i = 0; i < now->nr_met; i++)
		now->of[now->met[i]] = 0;
	now->nr_met = 0;
	now->behind = 0;
}

static int flush(struct slices *s, struct slice_now *now)
{
	const size_t nr = now->nr_met;
	__u32 number;
	size_t i;

	for (i = 0; i < nr; i++) {
		if (vec_grow(&s->counts, &s->cap, s->nr, sizeof(*s->counts))) {
			clear(now);
			return -ENOMEM;
		}
		number = now->met[i];
		s->counts[s->nr++] = (struct slice_count){
			key_of(s, now, number), now->of[number]
		};
		now->of[number] = 0;
	}
	now->nr_met = 0;
	return nr ? note_twice(s, now, nr) : 0;
}

int slice_samples_begin(struct slices *s, struct slice_now *now, size_t slice,
			size_t number)
{
	int err = 0;

	if (slice != now->slice)
		err = flush(s, now);
	now->slice = slice;
	if (!err && number >= now->nr)
		err = make_room(now, number);
	return err;
}

int slice_samples_flush(struct slices *s)
{
	int err = flush(s, &s->by_bucket);

	return err ? err : flush(s, &s->by_class);
}

void slice_samples_halve(struct slices *s)
{
	s->by_bucket.slice /= 2;
	s->by_bucket.behind = (s->by_bucket.behind + 1) / 2;
	s->by_class.slice /= 2;
	s->by_class.behind = (s->by_class.behind + 1) / 2;
}

void slice_samples_clear(struct slices *s)
{
	clear(&s->by_bucket);
	clear(&s->by_class);
	s->twice = 0;
}

void slice_samples_deinit(struct slices *s)
{
	free(s->by_bucket.of);
	free(s->by_bucket.met);
	free(s->by_class.of);
	free(s->by_class.met);
}
