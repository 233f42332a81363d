// SPDX-License-Identifier: GPL-2.0-only
/* The sums of profile and timeline, set to those of some slices of time. */

#include <string.h>

#include "model/slices.h"
#include "model/slices_internal.h"
#include "base/saturate.h"

static void apply_state(struct timeline *tl, const struct slice_cell *c)
{
	struct track *t = tl->tracks[c->track];
	__u32 i;

	sat_sum(&t->ticks[c->state], c->n);
	if (!state_waits(c->state))
		return;
	i = hash_get(&tl->thieves.pairs, (__u64)c->track << 32 | c->thief);
	if (i == VMMPROF_NONE)
		return;
	if (c->state == STATE_WOKEN)
		sat_sum(&tl->thieves.stolen[i].woken, c->n);
	else
		sat_sum(&tl->thieves.stolen[i].preempted, c->n);
}

static void apply(struct timeline *tl, const struct slice_cell *c)
{
	switch (c->kind) {
	case SLICE_SAMPLES:
		sat_sum(&tl->a->profile.buckets[c->bucket].samples, c->n);
		sat_sum(&tl->a->profile.samples, c->n);
		break;
	case SLICE_STATE:
		apply_state(tl, c);
		break;
	case SLICE_OWN:
		sat_sum(&tl->tracks[c->track]->on_cpu[c->class], c->n);
		break;
	case SLICE_IDLE:
		sat_sum(&tl->tracks[c->track]->idle, c->n);
		break;
	case SLICE_ON:
		sat_sum(&tl->tracks[c->track]->on_ticks[c->class], c->n);
		break;
	}
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
		memset(tl->tracks[i]->on_ticks, 0,
		       sizeof(tl->tracks[i]->on_ticks));
		tl->tracks[i]->idle = 0;
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
	s->at_ticks = 0;
	s->nr = 0;
	slice_samples_clear(s);
	slices_forget_recent(s);
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
		track_by_samples(t);
	}
}

void slices_apply(struct slices *s, size_t first, size_t last)
{
	struct timeline *tl = s->tl;
	struct slice_cell c;
	__u64 from, span;
	size_t i;

	forget_sums(s);
	for (i = 0; i < s->nr; i++) {
		c = slices_cell(s, i);
		if (c.slice >= first && c.slice <= last)
			apply(tl, &c);
	}
	if (!timeline_exact(tl)) {
		from = sat_add(s->from, sat_mul(s->width, first));
		span = s->width ? sat_mul(s->width, last - first + 1) : s->span;
		states_by_samples(tl, time_ranges_ticks(tl->a->time, from,
							sat_add(from, span)));
	}
	/* Idle time is part of the time on a CPU, in each slice. */
	for (i = 0; i < tl->nr; i++)
		if (tl->tracks[i]->idle > tl->tracks[i]->ticks[STATE_ON_CPU])
			tl->tracks[i]->idle = tl->tracks[i]->ticks[STATE_ON_CPU];
}
