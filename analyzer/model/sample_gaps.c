// SPDX-License-Identifier: GPL-2.0-only
/* Gaps in the samples of vCPUs, and who was sampled meanwhile. */

#include <stdlib.h>
#include <string.h>

#include "model/resolve_parts.h"
#include "model/sample_gaps.h"
#include "model/timeline_internal.h"
#include "base/saturate.h"
#include "base/vec.h"
#include "sym/exits.h"

void sample_gaps_deinit(struct sample_gaps *b)
{
	free(b->by_track);
	free(b->by_proc);
	thieves_deinit(&b->stolen);
	memset(b, 0, sizeof(*b));
}

int sample_gaps_track(struct timeline *tl, __u32 track)
{
	struct sample_gaps *bs = &tl->gaps;
	struct vcpu_gaps *b;
	int err;

	while (bs->nr <= track) {
		err = vec_grow(&bs->by_track, &bs->cap, bs->nr, sizeof(*b));
		if (err)
			return err;
		b = &bs->by_track[bs->nr++];
		memset(b, 0, sizeof(*b));
		b->last = tl->begin;
		b->pcpu = VMMPROF_NONE;
		b->next = VMMPROF_NONE;
		b->prev = VMMPROF_NONE;
		b->exit = EXIT_NONE;
	}
	return 0;
}

/* n virtual samples that are counted, in a gap, taken by a thief. */
static int count(struct timeline *tl, __u32 track, __u64 n, __u32 thief)
{
	struct vcpu_gaps *b = &tl->gaps.by_track[track];
	unsigned int place;

	if (!n)
		return 0;
	if (exit_is_hlt(b->exit)) {
		sat_sum(&b->halt, n);
		return 0;
	}
	/* As published, what is not halt is steal. */
	if (b->exit == EXIT_NONE && !tl->gaps.guest_only) {
		sat_sum(&b->unknown, n);
		return 0;
	}
	sat_sum(&b->steal, n);
	place = b->exit == EXIT_NONE ? EXIT_REASONS : exit_place(b->exit);
	sat_sum(&b->exits[place], n);
	return thieves_add(&tl->gaps.stolen, track, thief, false, n);
}

/*
 * Ends a gap at a sample or at the end of the measurement: the periods in which
 * nobody was sampled.
 */
static int close_gap(struct timeline *tl, __u32 track, __u64 tsc, bool own)
{
	struct vcpu_gaps *b = &tl->gaps.by_track[track];
	__u64 n, used = b->seen + b->excess, from = b->last;
	__u32 nobody;
	int err;

	n = tsc > b->last ?
		    sat_add(tsc - b->last, tl->period / 2) / tl->period :
		    0;
	if (own && n)
		n--;
	b->last = tsc;
	b->seen = 0;
	b->excess = used > n ? used - n : 0;
	if (used >= n)
		return 0;
	n = time_ranges_points(tl->a->time, from, tl->period, n - used);
	if (b->crowded)
		return count(tl, track, n, 0);
	err = thief_plain(&tl->thieves, BY_NOBODY, &nobody);
	return err ? err : count(tl, track, n, nobody);
}

static void move(struct timeline *tl, __u32 track, __u32 pcpu)
{
	struct vcpu_gaps *all = tl->gaps.by_track, *b = &all[track];

	if (b->pcpu == pcpu)
		return;
	if (b->prev != VMMPROF_NONE)
		all[b->prev].next = b->next;
	else if (b->pcpu != VMMPROF_NONE)
		tl->pcpus[b->pcpu].sampled = b->next;
	if (b->next != VMMPROF_NONE)
		all[b->next].prev = b->prev;
	if (b->pcpu != VMMPROF_NONE)
		tl->pcpus[b->pcpu].nr_sampled--;
	b->prev = VMMPROF_NONE;
	/* Bounded, because each sample visits all of them. */
	b->crowded = tl->pcpus[pcpu].nr_sampled >= SAMPLE_GAPS_MAX;
	if (b->crowded) {
		b->next = VMMPROF_NONE;
		b->pcpu = VMMPROF_NONE;
		tl->gaps.crowded++;
		return;
	}
	tl->pcpus[pcpu].nr_sampled++;
	b->pcpu = pcpu;
	b->next = tl->pcpus[pcpu].sampled;
	if (b->next != VMMPROF_NONE)
		all[b->next].prev = track;
	tl->pcpus[pcpu].sampled = track;
}

static int thief_by_name(struct timeline *tl,
			 const struct vmmprof_rec_sample *s,
			 const struct resolved *w, __u32 *ret)
{
	const struct resolver *r = &tl->a->resolver;
	struct task_id id = { .pid = s->pid, .tid = s->tid, .tsc = s->hdr.tsc };
	char comm[16] = "";

	if (w->context->key.proc != VMMPROF_NONE)
		strncpy(comm,
			strings_get(&r->strings,
				    r->processes[w->context->key.proc].name),
			sizeof(comm) - 1);
	id.comm = comm;
	return thief_of(tl, &id, ret);
}

/* A process has one name and one pid: its thief is asked for once. */
static int thief_of_process(struct timeline *tl,
			    const struct vmmprof_rec_sample *s,
			    const struct resolved *w, __u32 *ret)
{
	struct sample_gaps *b = &tl->gaps;
	bool main_thread = s->pid == s->tid;
	int err;

	while (b->nr_procs <= w->context->key.proc) {
		err = vec_grow(&b->by_proc, &b->cap_procs, b->nr_procs,
			       sizeof(*b->by_proc));
		if (err)
			return err;
		b->by_proc[b->nr_procs][0] = VMMPROF_NONE;
		b->by_proc[b->nr_procs++][1] = VMMPROF_NONE;
	}
	*ret = b->by_proc[w->context->key.proc][main_thread];
	if (*ret != VMMPROF_NONE)
		return 0;
	err = thief_by_name(tl, s, w, ret);
	if (!err)
		b->by_proc[w->context->key.proc][main_thread] = *ret;
	return err;
}

/* The thief that was sampled: a vCPU, or a process of the host. */
static int thief_of_sample(struct timeline *tl, __u32 track,
			   const struct vmmprof_rec_sample *s,
			   const struct resolved *w, __u32 *ret)
{
	if (sample_irq(s) != IRQ_NONE && !w->context->key.guest)
		return thief_irq(&tl->thieves, sample_irq(s) == IRQ_SOFT, ret);
	if (track == VMMPROF_NONE && !s->tid)
		return thief_plain(&tl->thieves, BY_NOBODY, ret);
	if (track == VMMPROF_NONE && !w->context->key.guest &&
	    w->context->key.proc != VMMPROF_NONE)
		return thief_of_process(tl, s, w, ret);
	if (track != VMMPROF_NONE && tl->tracks[track]->thief != VMMPROF_NONE) {
		*ret = tl->tracks[track]->thief;
		return 0;
	}
	return thief_by_name(tl, s, w, ret);
}

/* A VMCS stays current on its CPU when its vCPU's thread has left. */
static void note_exit(struct timeline *tl, __u32 track,
		      const struct vmmprof_rec_sample *s)
{
	const __u32 own = VMMPROF_S_VCPU | VMMPROF_S_VMCS | VMMPROF_S_OWN;

	if (!(s->hdr.flags & VMMPROF_S_VMCS))
		return;
	if ((s->hdr.flags & own) != own) {
		if (!s->vpid)
			return;
		track = hash_get(&tl->by_vpid, s->vpid);
	}
	if (track != VMMPROF_NONE)
		tl->gaps.by_track[track].exit = exit_reason(tl->a->resolver.svm,
							    s->exit_reason);
}

int sample_gaps_sample(struct timeline *tl, __u32 track, __u32 pcpu,
		       const struct vmmprof_rec_sample *s,
		       const struct resolved *w)
{
	bool own = track != VMMPROF_NONE &&
		   (!tl->gaps.guest_only || w->context->key.guest);
	bool counted = time_ranges_has(tl->a->time, s->hdr.tsc);
	struct vcpu_gaps *b;
	__u32 i, thief = VMMPROF_NONE;
	int err = 0;

	tl->gaps.looked++;
	if (own)
		err = close_gap(tl, track, s->hdr.tsc, true);
	note_exit(tl, track, s);
	for (i = tl->pcpus[pcpu].sampled; i != VMMPROF_NONE && !err;
	     i = b->next) {
		b = &tl->gaps.by_track[i];
		if (own && i == track)
			continue;
		if (thief == VMMPROF_NONE)
			err = thief_of_sample(tl, track, s, w, &thief);
		b->seen++;
		if (!err && counted)
			err = count(tl, i, 1, thief);
	}
	if (err || !own)
		return err;
	tl->gaps.by_track[track].own += counted;
	move(tl, track, pcpu);
	return 0;
}

int sample_gaps_end(struct timeline *tl)
{
	__u32 i;
	int err = 0;

	for (i = 0; i < tl->gaps.nr && tl->gaps.on && !err; i++)
		err = close_gap(tl, i, tl->end, false);
	return err;
}
