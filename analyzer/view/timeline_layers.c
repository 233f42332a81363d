// SPDX-License-Identifier: GPL-2.0-only
/* What the columns of a timeline's text and SVG are made of. */

#include <stdio.h>
#include <string.h>

#include "base/saturate.h"
#include "view/owner_name.h"
#include "view/timeline.h"

double slots_seconds(const struct slots *s, __u64 tsc)
{
	__u64 begin = s->tl->begin;

	return tsc > begin ? timeline_seconds(s->tl, tsc - begin) : 0;
}

static const __u64 *slot_ticks(const struct slots *s, __u32 track, size_t slot)
{
	return s->ticks + (track * s->width + slot) * NR_STATES;
}

/* Ticks of a layer that is no thief's. */
static __u64 ticks_of(const __u64 *ticks, enum slot_layer_kind kind)
{
	switch (kind) {
	case LAYER_ON_CPU:
		return ticks[STATE_ON_CPU];
	case LAYER_STEAL:
		return sat_add(ticks[STATE_PREEMPTED], ticks[STATE_WOKEN]);
	case LAYER_HALT:
		return ticks[STATE_HALT];
	case LAYER_BLOCKED:
		return ticks[STATE_BLOCKED];
	default:
		return ticks[STATE_UNKNOWN];
	}
}

/* Keeps the largest, most first; the number of them. */
static size_t largest(const struct slots *s, __u32 track,
		      const struct stolen_time *top[SLOT_THIEVES], size_t *all)
{
	const __u32 *stolen = groups_of(&s->stolen.by_track, track, all);
	const struct stolen_time *t;
	size_t i, at, nr = 0;

	for (i = 0; i < *all; i++) {
		t = &s->stolen.stolen[stolen[i]];
		for (at = nr; at; at--)
			if (stolen_ticks(t) <= stolen_ticks(top[at - 1]))
				break;
		if (at == SLOT_THIEVES)
			continue;
		if (nr < SLOT_THIEVES)
			nr++;
		memmove(top + at + 1, top + at, (nr - at - 1) * sizeof(*top));
		top[at] = t;
	}
	return nr;
}

static size_t add_thieves(const struct slots *s, __u32 track, __u64 steal,
			  struct slot_layer *ret)
{
	const struct stolen_time *top[SLOT_THIEVES];
	size_t all, i, nr = largest(s, track, top, &all);
	__u64 named = 0;

	for (i = 0; i < nr; i++) {
		ret[i] = (struct slot_layer){ .kind = LAYER_THIEF,
					      .thief = top[i]->thief,
					      .ticks = stolen_ticks(top[i]) };
		sat_sum(&named, ret[i].ticks);
	}
	if (all > nr)
		ret[i++] = (struct slot_layer){
			.kind = LAYER_THIEF,
			.thief = VMMPROF_NONE,
			.others = all - nr,
			.ticks = steal > named ? steal - named : 0,
		};
	return i;
}

size_t slot_layers(const struct slots *s, __u32 track,
		   struct slot_layer ret[SLOT_LAYERS], __u64 *all)
{
	__u64 sums[LAYER_UNKNOWN + 1] = { 0 };
	enum slot_layer_kind kind;
	size_t slot, nr = 0;

	*all = 0;
	for (slot = 0; track < s->nr && slot < s->width; slot++)
		for (kind = 0; kind <= LAYER_UNKNOWN; kind++)
			if (kind != LAYER_THIEF)
				sat_sum(&sums[kind],
					ticks_of(slot_ticks(s, track, slot),
						 kind));
	for (kind = 0; kind <= LAYER_UNKNOWN; kind++) {
		if (!sums[kind])
			continue;
		ret[nr++] = (struct slot_layer){ .kind = kind,
						 .thief = VMMPROF_NONE,
						 .ticks = sums[kind] };
		sat_sum(all, sums[kind]);
		if (kind == LAYER_STEAL && s->by_thief)
			nr += add_thieves(s, track, sums[kind], ret + nr);
	}
	return nr;
}

static __u64 thief_ticks(const struct slot_thieves *t, __u32 thief)
{
	unsigned int i;

	for (i = 0; i < SLOT_THIEVES; i++)
		if (t->ticks[i] && t->thief[i] == thief)
			return t->ticks[i];
	return 0;
}

__u64 slot_layer_ticks(const struct slots *s, __u32 track, size_t slot,
		       const struct slot_layer *layers, size_t nr, size_t i)
{
	const __u64 *ticks = slot_ticks(s, track, slot);
	const struct slot_thieves *t;
	__u64 left;
	size_t k;

	if (layers[i].kind != LAYER_THIEF)
		return ticks_of(ticks, layers[i].kind);
	t = &s->thieves[track * s->width + slot];
	if (layers[i].thief != VMMPROF_NONE)
		return thief_ticks(t, layers[i].thief);
	left = ticks_of(ticks, LAYER_STEAL);
	for (k = 0; k < nr; k++)
		if (layers[k].kind == LAYER_THIEF && k != i)
			left -= thief_ticks(t, layers[k].thief);
	return left;
}

void slot_layer_name(const struct slots *s, const struct slot_layer *l,
		     char *buf, size_t size)
{
	static const char *const names[] = {
		[LAYER_ON_CPU] = "on a CPU", [LAYER_STEAL] = "steal",
		[LAYER_HALT] = "halt",	     [LAYER_BLOCKED] = "blocked",
		[LAYER_UNKNOWN] = "unknown",
	};

	if (l->kind != LAYER_THIEF)
		snprintf(buf, size, "%s", names[l->kind]);
	else if (l->thief == VMMPROF_NONE)
		snprintf(buf, size, "%u other%s", l->others,
			 l->others == 1 ? "" : "s");
	else
		owner_name(s->tl, l->thief, buf, size);
}

void slots_row_name(const struct slots *s, __u32 track, char *buf, size_t size)
{
	const struct track *t = s->tl->tracks[track];
	char name[512], vcpu[32];

	slice_guest(s->tl, t, name, sizeof(name));
	slice_vcpu(t, vcpu, sizeof(vcpu));
	snprintf(buf, size, "%s %s", name, vcpu);
}
