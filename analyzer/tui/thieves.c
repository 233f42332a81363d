// SPDX-License-Identifier: GPL-2.0-only
/*
 * The thieves of a VM, of a vCPU or of all: rows of the upper pane, below which
 * the lower pane has what the thief ran.
 */

#include <errno.h>
#include <stdlib.h>

#include "base/saturate.h"
#include "base/sort.h"
#include "tui/panels_internal.h"

#define NO_PROCESS 0xfffffffeu /* no samples are of it */

bool panels_has_thieves(const struct panels *p, const struct panel_row *row)
{
	return p->level <= LEVEL_VCPUS && row && timeline_exact(p->tl);
}

/* Is the vCPU one whose thieves are listed? */
static bool is_victim(const struct panels *p, __u32 track)
{
	const struct panel_path *at = &p->path[LEVEL_THIEVES];

	if (at->track != VMMPROF_NONE)
		return at->track == track;
	return !at->machine || p->tl->tracks[track]->guest == at->machine - 1;
}

/* Whose samples a thief's are. */
static void find_samples(const struct panels *p, struct panel_row *r)
{
	const struct thief *t = &p->tl->thieves.thieves[r->thief];

	r->pid = NO_PROCESS;
	if (t->kind == BY_VCPU) {
		r->track = t->id;
		r->vcpu = p->tl->tracks[t->id]->vcpu_id;
		r->machine = 1 + p->tl->tracks[t->id]->guest;
		r->pid = VMMPROF_NONE;
	} else if (t->kind == BY_PROCESS || t->kind == BY_KTHREAD ||
		   t->kind == BY_IRQ) {
		if (!t->several)
			r->pid = t->pid;
	}
}

/* Who took most first. */
static int cmp_thief(const void *a, const void *b)
{
	const struct panel_row *x = a, *y = b;

	if (x->stolen != y->stolen)
		return x->stolen < y->stolen ? 1 : -1;
	return x->thief < y->thief ? -1 : x->thief > y->thief;
}

void panels_thief_rows(struct panels *p)
{
	const struct thieves *cs = &p->tl->thieves;
	__u64 *took = calloc(cs->nr + 1, sizeof(*took));
	struct panel_row *r;
	size_t i;

	if (!took) {
		p->err = -ENOMEM;
		return;
	}
	for (i = 0; i < cs->nr_stolen; i++)
		if (is_victim(p, cs->stolen[i].track))
			sat_sum(&took[cs->stolen[i].thief],
				stolen_ticks(&cs->stolen[i]));
	panels_path_row(p);
	for (i = 0; i < cs->nr && !p->err; i++) {
		if (!took[i])
			continue;
		r = panels_add_row(p, ROW_THIEF, 0);
		if (!r)
			break;
		r->thief = i;
		r->stolen = took[i];
		sat_sum(&p->rows[0].stolen, took[i]);
		find_samples(p, r);
	}
	free(took);
	if (!p->err)
		sort_array(p->rows + 1, p->nr_rows - 1, sizeof(*p->rows),
			   cmp_thief);
}

__u32 panels_thief_process(const struct panels *p, const struct panel_row *row)
{
	const struct resolver *res = &p->tl->a->resolver;
	__u32 i;

	for (i = 0; i < res->nr_processes; i++)
		if (!res->processes[i].machine &&
		    res->processes[i].pid == row->pid)
			return i;
	return VMMPROF_NONE;
}
