// SPDX-License-Identifier: GPL-2.0-only
/*
 * The time of vCPUs in the page of `vmmprof report --html`: of each slice the
 * ticks of every state, and who took what was stolen.
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/sort.h"
#include "view/html.h"
#include "view/owner_name.h"
#include "view/packed.h"
#include "view/steal.h"

/* What a count is of, as vcpus.js has it. */
enum what {
	ON_CPU,
	WAITED,
	HALTED,
	WAS_BLOCKED,
	NOT_KNOWN,
	IDLE_IN_GUEST,
	SAMPLES_GUEST, /* + enum mode */
	SAMPLES_VMM = SAMPLES_GUEST + NR_MODES,
	SAMPLES_POLL,
	TICKS_GUEST, /* + enum mode */
	TICKS_VMM = TICKS_GUEST + NR_MODES,
	TICKS_POLL,
};

#define KEY_SLICE(key) ((key)&1023)
#define KEY_GROUP(key) ((key) >> 10)

static enum what what_of(const struct slice_cell *c)
{
	static const enum what states[NR_STATES] = {
		[STATE_UNKNOWN] = NOT_KNOWN, [STATE_ON_CPU] = ON_CPU,
		[STATE_PREEMPTED] = WAITED,  [STATE_WOKEN] = WAITED,
		[STATE_HALT] = HALTED,	     [STATE_BLOCKED] = WAS_BLOCKED,
	};

	switch (c->kind) {
	case SLICE_STATE:
		return states[c->state];
	case SLICE_IDLE:
		return IDLE_IN_GUEST;
	case SLICE_ON:
		return c->class < ON_VMM_USER ? TICKS_GUEST + c->class :
		       c->class == ON_POLL    ? TICKS_POLL :
						TICKS_VMM;
	default:
		return c->class < ON_VMM_USER ? SAMPLES_GUEST + c->class :
		       c->class == ON_POLL    ? SAMPLES_POLL :
						SAMPLES_VMM;
	}
}

/*
 * The counts of shown vCPUs in order of track, what, thief and slice; those of one
 * key together.
 */
static struct keyed *sorted(const struct html_data *d, size_t *nr)
{
	const struct slices *s = d->slices;
	struct keyed *all = calloc(s->nr + 1, sizeof(*all));
	size_t i, n = 0;

	for (i = 0; all && i < s->nr; i++) {
		struct slice_cell c = slices_cell(s, i);
		enum what what = what_of(&c);

		if (c.kind == SLICE_SAMPLES || !html_shows(d, c.track))
			continue;
		all[n].key = (((__u64)c.track << 4 | what) << 20 |
			      (what == WAITED ? c.thief : 0))
				     << 10 |
			     c.slice / d->step;
		all[n++].value = c.n;
	}
	*nr = all ? sort_keyed_sums(all, n) : 0;
	return all;
}

/*
 * Of each vCPU, what and thief: these three, how many slices, and of each of
 * them how many behind the one before, and its ticks or samples.
 */
static int put_counts(const struct html_data *d, struct json_out *j)
{
	struct packed p = { 0 };
	struct keyed *all;
	size_t nr, i, k, end;
	__u64 group, slice;

	all = sorted(d, &nr);
	if (!all)
		return -ENOMEM;
	for (i = 0; i < nr; i = end) {
		group = KEY_GROUP(all[i].key);
		for (end = i; end < nr && KEY_GROUP(all[end].key) == group;)
			end++;
		packed_add(&p, group >> 24);
		packed_add(&p, group >> 20 & 15);
		packed_add(&p, group & 0xfffff);
		packed_add(&p, end - i);
		for (k = i, slice = 0; k < end; k++) {
			packed_add(&p, KEY_SLICE(all[k].key) - slice);
			packed_add(&p, all[k].value);
			slice = KEY_SLICE(all[k].key);
		}
	}
	free(all);
	return packed_put(&p, j, "counts");
}

/* A vCPU that is not shown has its place all the same: others name it. */
static void put_tracks(const struct html_data *d, struct json_out *j)
{
	const struct timeline *tl = d->slices->tl;
	const struct track *t;
	__u32 i;

	json_out_array(j, "vcpus");
	for (i = 0; i < tl->nr; i++) {
		t = tl->tracks[i];
		json_out_array(j, NULL);
		json_out_u64(j, NULL, 1 + t->guest);
		json_out_fixed(j, NULL,
			       t->vcpu_id == VMMPROF_NONE ? -1 :
							    (double)t->vcpu_id,
			       0);
		json_out_u64(j, NULL, t->tid);
		json_out_bool(j, NULL, html_shows(d, i));
		json_out_u64(j, NULL, t->longest);
		json_out_u64(j, NULL,
			     t->longest ? t->longest_at - d->slices->from : 0);
		json_out_array_end(j);
	}
	json_out_array_end(j);
}

/* [name, kind, number of its owner] */
static void put_thieves(const struct html_data *d, struct json_out *j)
{
	const struct timeline *tl = d->slices->tl;
	const struct steal names = { .tl = tl, .exact = true };
	const struct thieves *cs = &tl->thieves;
	char name[512];
	size_t i;

	json_out_array(j, "thieves");
	for (i = 0; i < cs->nr; i++) {
		const struct thief *c = &cs->thieves[i];

		steal_thief(&names, i, VMMPROF_NONE, name, sizeof(name));
		json_out_array(j, NULL);
		json_out_string(j, NULL, name);
		json_out_string(j, NULL, thief_key(c->kind));
		json_out_u64(j, NULL, c->owner);
		json_out_array_end(j);
	}
	json_out_array_end(j);
}

/* [name, kind, its VM or 0, its name in a sentence] */
static void put_owners(const struct html_data *d, struct json_out *j)
{
	const struct timeline *tl = d->slices->tl;
	const struct owners *os = &tl->thieves.owners;
	char name[512];
	size_t i;

	json_out_array(j, "owners");
	for (i = 0; i < os->nr; i++) {
		const struct owner *o = &os->owners[i];

		owner_name(tl, i, name, sizeof(name));
		json_out_array(j, NULL);
		json_out_string(j, NULL, name);
		json_out_string(j, NULL, owner_key(o->kind));
		json_out_u64(j, NULL, o->kind == OF_VM ? 1 + o->id : 0);
		owner_phrase(tl, i, VMMPROF_NONE, name, sizeof(name));
		json_out_string(j, NULL, name);
		json_out_array_end(j);
	}
	json_out_array_end(j);
}

/*
 * Up to the end of what was measured, or the last one that has a count: where
 * slices were made wider, there is nothing behind that.
 */
static size_t nr_slices(const struct html_data *d)
{
	const struct slices *s = d->slices;
	size_t last = slices_at(s, d->end ? d->end - 1 : 0), i;

	for (i = 0; i < s->nr; i++)
		if (slices_of(&s->counts[i]) > last)
			last = slices_of(&s->counts[i]);
	return last / d->step + 1;
}

int html_time(const struct html_data *d, struct json_out *j, const char *key)
{
	const struct slices *s = d->slices;
	const struct timeline *tl = s->tl;
	int err;

	json_out_object(j, key);
	json_out_u64(j, "khz", tl->khz);
	json_out_u64(j, "slices", nr_slices(d));
	json_out_u64(j, "slice_ticks", sat_mul(s->width, d->step));
	json_out_u64(j, "ticks", d->end - s->from);
	json_out_u64(j, "period", tl->period);
	json_out_bool(j, "exact", timeline_exact(tl));
	put_thieves(d, j);
	put_owners(d, j);
	put_tracks(d, j);
	err = put_counts(d, j);
	if (!err && d->grid && d->grid->vms)
		err = time_grid_put(d->grid, j, "grid");
	json_out_object_end(j);
	return err;
}
