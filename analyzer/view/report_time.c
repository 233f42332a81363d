// SPDX-License-Identifier: GPL-2.0-only
/* Time without guest code, as rows of a guest's table. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "view/report_time.h"
#include "base/saturate.h"
#include "base/sort.h"

/* Thieves come first; the other parts have at most 10 rows together. */
#define STEAL_ROWS (TIME_ROWS - 12)
#define HOST_POLLS "(host polls)" /* a halt in which the host has the CPU */

/* Whose time: of a guest, and of a vCPU or a track if not VMMPROF_NONE. */
struct whose {
	__u32 guest, vcpu, track;
};

/* As much of a row. */
struct amount {
	__u64 ticks, samples;
};

static void add_to_row(struct time_row *r, struct amount n)
{
	sat_sum(&r->ticks, n.ticks);
	sat_sum(&r->samples, n.samples);
}

static void add(struct time_rows *rows, enum time_part part,
		const char *function, const char *module, struct amount n)
{
	__u64 weight = rows->paper ? n.samples : n.ticks;
	struct time_row *r;
	size_t i;

	sat_sum(&rows->part[part], weight);
	sat_sum(&rows->sum, weight);
	for (i = 0; i < rows->nr; i++) {
		r = &rows->row[i];
		if (!strcmp(r->function, function) &&
		    !strcmp(r->module, module)) {
			add_to_row(r, n);
			return;
		}
	}
	if (!weight && !n.samples)
		return;
	/* A VM with very many vCPUs: the last thief's row takes the rest. */
	if (rows->nr == STEAL_ROWS && part == PART_STEAL) {
		r = &rows->row[STEAL_ROWS - 1];
		snprintf(r->module, sizeof(r->module), "(others)");
		add_to_row(r, n);
		return;
	}
	r = &rows->row[rows->nr++];
	r->part = part;
	snprintf(r->function, sizeof(r->function), "%s", function);
	snprintf(r->module, sizeof(r->module), "%s", module);
	add_to_row(r, n);
}

static struct amount ticks(__u64 n)
{
	return (struct amount){ .ticks = n };
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

__u64 ns_sum_add(struct ns_sum *s, __u64 khz, __u64 ticks)
{
	__u64 before = s->ns;

	sat_sum(&s->ticks, ticks);
	s->ns = sat_scale(s->ticks, 1000000, khz);
	return s->ns - before;
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
		       __u32 track)
{
	const struct thieves *cs = rows->paper ? &tl->gaps.stolen :
						 &tl->thieves;
	const struct stolen_time *t;
	const __u32 *stolen;
	struct amount n = { 0 };
	char module[24];
	size_t i, nr;

	stolen = groups_of(&cs->by_track, track, &nr);
	for (i = 0; i < nr; i++) {
		t = &cs->stolen[stolen[i]];
		time_thief(tl, t, module, sizeof(module));
		if (rows->paper)
			n.samples = stolen_ticks(t);
		else
			n.ticks = stolen_ticks(t);
		add(rows, PART_STEAL, "[steal]", module, n);
	}
}

static void add_bare(struct time_rows *rows, const struct track *t)
{
	static const char *const modules[NR_MODES] = {
		[MODE_KERNEL] = "(kernel, no sample)",
		[MODE_USER] = "(user, no sample)",
		[MODE_UNKNOWN] = "(no sample)",
	};
	unsigned int mode;
	size_t nr;

	for (mode = 0; mode < NR_MODES; mode++) {
		nr = rows->nr;
		add(rows, PART_GUEST, "[guest]", modules[mode],
		    ticks(t->bare[mode]));
		if (rows->nr > nr)
			rows->row[nr].mode = mode;
		sat_sum(&rows->bare[mode], t->bare[mode]);
	}
}

/* A track's time but for what its buckets have. */
static void add_on_cpu(struct time_rows *rows, const struct track *t)
{
	struct amount vmm = { 0 }, poll = { 0 };
	struct track_sum sum;
	unsigned int i;

	track_sum(t, &sum);
	for (i = ON_VMM_USER; i < NR_ON_CPU; i++)
		if (i != ON_POLL)
			sat_sum(&vmm.samples, t->on_cpu[i]);
	vmm.ticks = sum.vmm;
	poll.ticks = sum.poll;
	poll.samples = t->on_cpu[ON_POLL];
	add(rows, PART_VMM, "[vmm]", "(host)", vmm);
	add(rows, PART_HALT, "[halt]", HOST_POLLS, poll);
	add(rows, PART_HALT, "[halt]", "(idle in guest)", ticks(sum.idle));
	add(rows, PART_HALT, "[halt]", "(asleep)", ticks(sum.asleep));
	add(rows, PART_BLOCKED, "[blocked]", "(asleep)", ticks(sum.blocked));
	add(rows, PART_UNKNOWN, "[unknown]", "(not sampled)",
	    ticks(sum.not_sampled));
	add(rows, PART_UNKNOWN, "[unknown]", "(no record)",
	    ticks(t->ticks[STATE_UNKNOWN]));
	add_bare(rows, t);
}

static int cmp_row(const void *a, const void *b)
{
	const struct time_row *x = a, *y = b;
	int d;

	if (x->ticks != y->ticks)
		return x->ticks < y->ticks ? 1 : -1;
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
	rows->paper = paper;
	tracks = tracks_of(tl, w, &nr);
	for (i = 0; i < nr; i++)
		if (chosen(tl, tracks[i], w))
			add_stolen(rows, tl, tracks[i]);
	for (i = 0; i < nr; i++) {
		if (!chosen(tl, tracks[i], w))
			continue;
		if (!paper) {
			add_on_cpu(rows, tl->tracks[tracks[i]]);
			continue;
		}
		b = &tl->gaps.by_track[tracks[i]];
		add(rows, PART_HALT, "[idle]", "(halt_exit)",
		    (struct amount){ .samples = b->halt });
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

bool time_row_polls(const struct time_row *row)
{
	return row->part == PART_HALT && !strcmp(row->module, HOST_POLLS);
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
	static const char *const text[NR_PARTS] = { "vmm",     "halt",
						    "blocked", "steal",
						    "missing", "guest" };

	return paper && part == PART_HALT ? "IDLE" : text[part];
}

enum steal_column time_part_column(enum time_part part)
{
	static const enum steal_column columns[NR_PARTS] = {
		[PART_GUEST] = COLUMN_GUEST,
		[PART_VMM] = COLUMN_VMM,
		[PART_STEAL] = COLUMN_STEAL,
		[PART_HALT] = COLUMN_HALT,
		[PART_BLOCKED] = COLUMN_BLOCKED,
		[PART_UNKNOWN] = COLUMN_UNKNOWN,
	};

	return columns[part];
}

void time_states(const struct timeline *tl, __u32 guest, __u32 vcpu,
		 __u64 columns[STEAL_COLUMNS])
{
	struct whose w = { guest, vcpu, VMMPROF_NONE };
	struct steal_row row = { 0 };
	struct track_sum sum;
	const __u32 *tracks;
	size_t i, nr;

	tracks = tracks_of(tl, &w, &nr);
	for (i = 0; i < nr; i++) {
		if (!chosen(tl, tracks[i], &w))
			continue;
		track_sum(tl->tracks[tracks[i]], &sum);
		track_sum_add(&row.sum, &sum);
	}
	steal_columns(&row, columns);
}
