// SPDX-License-Identifier: GPL-2.0-only
/* Time without guest code, as rows of a guest's table. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "view/report_time.h"
#include "base/saturate.h"
#include "base/sort.h"

/* Thieves come first; the other parts have at most 6 rows together. */
#define STEAL_ROWS (TIME_ROWS - 8)

/* Whose time: of a guest, and of a vCPU or a track if not VMMPROF_NONE. */
struct whose {
	__u32 guest, vcpu, track;
};

static void add(struct time_rows *rows, enum time_part part,
		const char *function, const char *module, __u64 samples)
{
	struct time_row *r;
	size_t i;

	sat_sum(&rows->part[part], samples);
	sat_sum(&rows->sum, samples);
	for (i = 0; i < rows->nr; i++) {
		r = &rows->row[i];
		if (!strcmp(r->function, function) &&
		    !strcmp(r->module, module)) {
			sat_sum(&r->samples, samples);
			return;
		}
	}
	if (!samples)
		return;
	/* A VM with very many vCPUs: the last thief's row takes the rest. */
	if (rows->nr == STEAL_ROWS && part == PART_STEAL) {
		r = &rows->row[STEAL_ROWS - 1];
		snprintf(r->module, sizeof(r->module), "(others)");
		sat_sum(&r->samples, samples);
		return;
	}
	r = &rows->row[rows->nr++];
	r->part = part;
	snprintf(r->function, sizeof(r->function), "%s", function);
	snprintf(r->module, sizeof(r->module), "%s", module);
	r->samples = samples;
}

/* The tracks that may be chosen. */
static const __u32 *tracks_of(const struct timeline *tl, const struct whose *w,
			      size_t *nr)
{
	if (w->track == VMMPROF_NONE)
		return groups_of(&tl->by_guest, w->guest, nr);
	*nr = 1;
	return &w->track;
}

static bool chosen(const struct timeline *tl, __u32 track,
		   const struct whose *w)
{
	return w->vcpu == VMMPROF_NONE || tl->tracks[track]->vcpu_id == w->vcpu;
}

/* Samples of so many ticks, to the nearest. */
static __u64 rounded(__u64 ticks, __u64 period)
{
	return ticks / period + (ticks % period >= period - period / 2);
}

__u64 time_samples(const struct timeline *tl, __u64 ticks)
{
	return rounded(ticks, tl->period);
}

/* The published words: another vCPU of the guest, or anything else. */
void time_thief(const struct timeline *tl, const struct stolen_time *t,
		char *buf, size_t size)
{
	const struct thief *c = &tl->thieves.thieves[t->thief];

	if (c->kind == BY_VCPU && c->id != t->track &&
	    tl->tracks[c->id]->guest == tl->tracks[t->track]->guest)
		snprintf(buf, size, "(on vcpu%u)", tl->tracks[c->id]->vcpu_id);
	else
		snprintf(buf, size, "(outside)");
}

static void add_stolen(struct time_rows *rows, const struct timeline *tl,
		       __u32 track, bool paper)
{
	const struct thieves *cs = paper ? &tl->gaps.stolen : &tl->thieves;
	__u64 period = paper ? 1 : tl->period;
	const struct stolen_time *t;
	const __u32 *stolen;
	char module[24];
	size_t i, nr;

	stolen = groups_of(&cs->by_track, track, &nr);
	for (i = 0; i < nr; i++) {
		t = &cs->stolen[stolen[i]];
		time_thief(tl, t, module, sizeof(module));
		add(rows, PART_STEAL, "[steal]", module,
		    rounded(stolen_ticks(t), period));
	}
}

/* Where samples were lost, time on a CPU without samples has no known state. */
static __u64 samples_lost(const struct timeline *tl, const struct track *t)
{
	__u64 busy = t->ticks[STATE_ON_CPU];

	busy = (t->idle < busy ? busy - t->idle : 0) / tl->period;
	if (!tl->a->counts.lost || !t->own_samples || busy <= t->own_samples)
		return 0;
	return busy - t->own_samples;
}

/* On its CPU without guest code: its own samples; without one, unknown. */
static void add_on_cpu(struct time_rows *rows, const struct timeline *tl,
		       const struct track *t)
{
	struct track_sum sum;
	unsigned int i;
	__u64 vmm = 0;

	for (i = ON_VMM_USER; i < NR_ON_CPU; i++)
		if (i != ON_POLL)
			sat_sum(&vmm, t->on_cpu[i]);
	add(rows, PART_VMM, "[vmm]", "(host)", vmm);
	add(rows, PART_HALT, "[halt]", "(host polls)", t->on_cpu[ON_POLL]);
	track_sum(t, &sum);
	add(rows, PART_HALT, "[halt]", "(idle in guest)",
	    rounded(sum.idle, tl->period));
	add(rows, PART_HALT, "[halt]", "(asleep)",
	    rounded(sum.asleep, tl->period));
	add(rows, PART_BLOCKED, "[blocked]", "(asleep)",
	    rounded(sum.blocked, tl->period));
	add(rows, PART_UNKNOWN, "[unknown]", "(samples lost)",
	    samples_lost(tl, t));
	add(rows, PART_UNKNOWN, "[unknown]", "(no record)",
	    rounded(sum.unknown, tl->period));
}

static int cmp_row(const void *a, const void *b)
{
	const struct time_row *x = a, *y = b;
	int d;

	if (x->samples != y->samples)
		return x->samples < y->samples ? 1 : -1;
	d = strcmp(x->function, y->function);
	return d ? d : strcmp(x->module, y->module);
}

static void make(struct time_rows *rows, const struct timeline *tl,
		 const struct whose *w, bool paper)
{
	const struct vcpu_gaps *b;
	const __u32 *tracks;
	unsigned int k;
	size_t i, nr;

	memset(rows, 0, sizeof(*rows));
	tracks = tracks_of(tl, w, &nr);
	for (i = 0; i < nr; i++)
		if (chosen(tl, tracks[i], w))
			add_stolen(rows, tl, tracks[i], paper);
	for (i = 0; i < nr; i++) {
		if (!chosen(tl, tracks[i], w))
			continue;
		if (!paper) {
			add_on_cpu(rows, tl, tl->tracks[tracks[i]]);
			continue;
		}
		b = &tl->gaps.by_track[tracks[i]];
		add(rows, PART_HALT, "[idle]", "(halt_exit)", b->halt);
		for (k = 0; k <= EXIT_REASONS; k++)
			sat_sum(&rows->exits[k], b->exits[k]);
	}
	if (rows->nr)
		sort_array(rows->row, rows->nr, sizeof(*rows->row), cmp_row);
}

void time_rows_init(struct time_rows *rows, const struct timeline *tl,
		    __u32 guest, __u32 vcpu, bool paper)
{
	struct whose w = { guest, vcpu, VMMPROF_NONE };

	make(rows, tl, &w, paper);
}

void time_rows_track(struct time_rows *rows, const struct timeline *tl,
		     __u32 track)
{
	struct whose w = { tl->tracks[track]->guest, VMMPROF_NONE, track };

	make(rows, tl, &w, false);
}

bool time_row_exact(const struct time_row *row)
{
	switch (row->part) {
	case PART_STEAL:
	case PART_BLOCKED:
		return true;
	case PART_HALT:
		return !strcmp(row->module, "(asleep)");
	case PART_UNKNOWN:
		return !strcmp(row->module, "(no record)");
	default:
		return false;
	}
}

const char *time_part_text(enum time_part part, bool paper)
{
	static const char *const text[NR_PARTS] = { "vmm", "halt", "blocked",
						    "steal", "missing" };

	return paper && part == PART_HALT ? "IDLE" : text[part];
}
