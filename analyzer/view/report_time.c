// SPDX-License-Identifier: GPL-2.0-only
/* Time without guest code, as rows of a guest's table. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "view/report_time.h"
#include "base/saturate.h"

/* Thieves come first; the other parts have at most 6 rows together. */
#define STEAL_ROWS (VMMPROF_TIME_ROWS - 8)

/* Whose time: of a guest, and of a vCPU or a track if not VMMPROF_NONE. */
struct whose {
	__u32 guest, vcpu, track;
};

static void add(struct vmmprof_time_rows *rows, enum vmmprof_time_part part,
		const char *function, const char *module, __u64 samples)
{
	struct vmmprof_time_row *r;
	size_t i;

	vmmprof_sum(&rows->part[part], samples);
	vmmprof_sum(&rows->sum, samples);
	for (i = 0; i < rows->nr; i++) {
		r = &rows->row[i];
		if (!strcmp(r->function, function) &&
		    !strcmp(r->module, module)) {
			vmmprof_sum(&r->samples, samples);
			return;
		}
	}
	if (!samples)
		return;
	/* A VM with very many vCPUs: the last thief's row takes the rest. */
	if (rows->nr == STEAL_ROWS && part == VMMPROF_PART_STEAL) {
		r = &rows->row[STEAL_ROWS - 1];
		snprintf(r->module, sizeof(r->module), "(others)");
		vmmprof_sum(&r->samples, samples);
		return;
	}
	r = &rows->row[rows->nr++];
	r->part = part;
	snprintf(r->function, sizeof(r->function), "%s", function);
	snprintf(r->module, sizeof(r->module), "%s", module);
	r->samples = samples;
}

static bool chosen(const struct vmmprof_timeline *tl, __u32 track,
		   const struct whose *w)
{
	const struct vmmprof_track *t = tl->tracks[track];

	return t->guest == w->guest &&
	       (w->vcpu == VMMPROF_NONE || t->vcpu_id == w->vcpu) &&
	       (w->track == VMMPROF_NONE || track == w->track);
}

/* Samples of so many ticks, to the nearest. */
static __u64 rounded(__u64 ticks, __u64 period)
{
	return ticks / period + (ticks % period >= period - period / 2);
}

/* The published words: another vCPU of the guest, or anything else. */
void vmmprof_time_thief(const struct vmmprof_timeline *tl,
			const struct vmmprof_theft *t, char *buf, size_t size)
{
	const struct vmmprof_culprit *c = &tl->culprits.culprits[t->culprit];

	if (c->kind == VMMPROF_BY_VCPU && c->id != t->track &&
	    tl->tracks[c->id]->guest == tl->tracks[t->track]->guest)
		snprintf(buf, size, "(on vcpu%u)", tl->tracks[c->id]->vcpu_id);
	else
		snprintf(buf, size, "(outside)");
}

static void add_thefts(struct vmmprof_time_rows *rows,
		       const struct vmmprof_timeline *tl, const struct whose *w,
		       bool paper)
{
	const struct vmmprof_culprits *cs = paper ? &tl->blanks.thefts :
						    &tl->culprits;
	__u64 period = paper ? 1 : tl->period;
	char module[24];
	size_t i;

	for (i = 0; i < cs->nr_thefts; i++) {
		const struct vmmprof_theft *t = &cs->thefts[i];

		if (!chosen(tl, t->track, w))
			continue;
		vmmprof_time_thief(tl, t, module, sizeof(module));
		add(rows, VMMPROF_PART_STEAL, "[steal]", module,
		    rounded(vmmprof_theft_ticks(t), period));
	}
}

/* Where samples were lost, time on a CPU that has none is of no known state. */
static __u64 samples_lost(const struct vmmprof_timeline *tl,
			  const struct vmmprof_track *t)
{
	__u64 busy = t->ticks[VMMPROF_ST_ON_CPU];

	busy = (t->idle < busy ? busy - t->idle : 0) / tl->period;
	if (!tl->a->books.lost || !t->own_samples || busy <= t->own_samples)
		return 0;
	return busy - t->own_samples;
}

/* On its CPU without guest code: its own samples; without one, unknown. */
static void add_on_cpu(struct vmmprof_time_rows *rows,
		       const struct vmmprof_timeline *tl,
		       const struct vmmprof_track *t)
{
	struct vmmprof_track_sum sum;
	unsigned int i;
	__u64 vmm = 0;

	for (i = VMMPROF_ON_VMM_USER; i < VMMPROF_NR_ON_CPU; i++)
		if (i != VMMPROF_ON_POLL)
			vmmprof_sum(&vmm, t->on_cpu[i]);
	add(rows, VMMPROF_PART_VMM, "[vmm]", "(host)", vmm);
	add(rows, VMMPROF_PART_HALT, "[halt]", "(host polls)",
	    t->on_cpu[VMMPROF_ON_POLL]);
	vmmprof_track_sum(t, &sum);
	add(rows, VMMPROF_PART_HALT, "[halt]", "(idle in guest)",
	    rounded(sum.idle, tl->period));
	add(rows, VMMPROF_PART_HALT, "[halt]", "(asleep)",
	    rounded(sum.asleep, tl->period));
	add(rows, VMMPROF_PART_BLOCKED, "[blocked]", "(asleep)",
	    rounded(sum.blocked, tl->period));
	add(rows, VMMPROF_PART_UNKNOWN, "[unknown]", "(samples lost)",
	    samples_lost(tl, t));
	add(rows, VMMPROF_PART_UNKNOWN, "[unknown]", "(no record)",
	    rounded(sum.unknown, tl->period));
}

static int cmp_row(const void *a, const void *b)
{
	const struct vmmprof_time_row *x = a, *y = b;
	int d;

	if (x->samples != y->samples)
		return x->samples < y->samples ? 1 : -1;
	d = strcmp(x->function, y->function);
	return d ? d : strcmp(x->module, y->module);
}

static void make(struct vmmprof_time_rows *rows,
		 const struct vmmprof_timeline *tl, const struct whose *w,
		 bool paper)
{
	const struct vmmprof_blank *b;
	unsigned int k;
	__u32 i;

	memset(rows, 0, sizeof(*rows));
	add_thefts(rows, tl, w, paper);
	for (i = 0; i < tl->nr; i++) {
		if (!chosen(tl, i, w))
			continue;
		if (!paper) {
			add_on_cpu(rows, tl, tl->tracks[i]);
			continue;
		}
		b = &tl->blanks.blanks[i];
		add(rows, VMMPROF_PART_HALT, "[idle]", "(halt_exit)", b->halt);
		for (k = 0; k <= VMMPROF_EXIT_REASONS; k++)
			vmmprof_sum(&rows->exits[k], b->exits[k]);
	}
	if (rows->nr)
		qsort(rows->row, rows->nr, sizeof(*rows->row), cmp_row);
}

void vmmprof_time_rows_init(struct vmmprof_time_rows *rows,
			    const struct vmmprof_timeline *tl, __u32 guest,
			    __u32 vcpu, bool paper)
{
	struct whose w = { guest, vcpu, VMMPROF_NONE };

	make(rows, tl, &w, paper);
}

void vmmprof_time_rows_track(struct vmmprof_time_rows *rows,
			     const struct vmmprof_timeline *tl, __u32 track)
{
	struct whose w = { tl->tracks[track]->guest, VMMPROF_NONE, track };

	make(rows, tl, &w, false);
}

bool vmmprof_time_row_exact(const struct vmmprof_time_row *row)
{
	switch (row->part) {
	case VMMPROF_PART_STEAL:
	case VMMPROF_PART_BLOCKED:
		return true;
	case VMMPROF_PART_HALT:
		return !strcmp(row->module, "(asleep)");
	case VMMPROF_PART_UNKNOWN:
		return !strcmp(row->module, "(no record)");
	default:
		return false;
	}
}

const char *vmmprof_time_part_text(enum vmmprof_time_part part, bool paper)
{
	static const char *const text[VMMPROF_NR_PARTS] = { "vmm", "halt",
							    "blocked", "steal",
							    "missing" };

	return paper && part == VMMPROF_PART_HALT ? "IDLE" : text[part];
}
