// SPDX-License-Identifier: GPL-2.0-only
/* Blank time of vCPUs by samples alone. */

#include <stdlib.h>
#include <string.h>

#include "model/timeline.h"
#include "base/saturate.h"
#include "base/vec.h"

void vmmprof_blanks_deinit(struct vmmprof_blanks *b)
{
	free(b->blanks);
	free(b->by_proc);
	vmmprof_culprits_deinit(&b->thefts);
	memset(b, 0, sizeof(*b));
}

int vmmprof_blanks_track(struct vmmprof_timeline *tl, __u32 track)
{
	struct vmmprof_blanks *bs = &tl->blanks;
	struct vmmprof_blank *b;
	int err;

	while (bs->nr <= track) {
		err = vmmprof_vec_grow(&bs->blanks, &bs->cap, bs->nr,
				       sizeof(*b));
		if (err)
			return err;
		b = &bs->blanks[bs->nr++];
		memset(b, 0, sizeof(*b));
		b->last = tl->begin;
		b->pcpu = VMMPROF_NONE;
		b->next = VMMPROF_NONE;
		b->prev = VMMPROF_NONE;
		b->exit = VMMPROF_EXIT_NONE;
	}
	return 0;
}

/* n virtual samples of a blank, taken by a culprit. */
static int count(struct vmmprof_timeline *tl, __u32 track, __u64 n,
		 __u32 culprit)
{
	struct vmmprof_blank *b = &tl->blanks.blanks[track];

	if (!n)
		return 0;
	if (b->exit == VMMPROF_EXIT_HLT) {
		vmmprof_sum(&b->halt, n);
		return 0;
	}
	/* As published, what is not halt is steal. */
	if (b->exit == VMMPROF_EXIT_NONE && !tl->blanks.guest_only) {
		vmmprof_sum(&b->unknown, n);
		return 0;
	}
	vmmprof_sum(&b->steal, n);
	vmmprof_sum(
		&b->exits[b->exit < VMMPROF_EXIT_REASONS ? b->exit :
							   VMMPROF_EXIT_REASONS],
		n);
	return vmmprof_culprits_book(&tl->blanks.thefts, track, culprit, false,
				     n);
}

/* The gap before a sample, or before the end: what nobody was sampled in. */
static int close_gap(struct vmmprof_timeline *tl, __u32 track, __u64 tsc,
		     bool own)
{
	struct vmmprof_blank *b = &tl->blanks.blanks[track];
	__u64 n, used = b->seen + b->excess;
	__u32 nobody;
	int err;

	n = tsc > b->last ? vmmprof_sat_add(tsc - b->last, tl->period / 2) /
				    tl->period :
			    0;
	if (own && n)
		n--;
	b->last = tsc;
	b->seen = 0;
	b->excess = used > n ? used - n : 0;
	if (used >= n)
		return 0;
	if (b->crowded)
		return count(tl, track, n - used, 0);
	err = vmmprof_culprit_plain(&tl->culprits, VMMPROF_BY_NOBODY, 0, 0,
				    &nobody);
	return err ? err : count(tl, track, n - used, nobody);
}

static void move(struct vmmprof_timeline *tl, __u32 track, __u32 pcpu)
{
	struct vmmprof_blank *all = tl->blanks.blanks, *b = &all[track];

	if (b->pcpu == pcpu)
		return;
	if (b->prev != VMMPROF_NONE)
		all[b->prev].next = b->next;
	else if (b->pcpu != VMMPROF_NONE)
		tl->pcpus[b->pcpu].blank = b->next;
	if (b->next != VMMPROF_NONE)
		all[b->next].prev = b->prev;
	if (b->pcpu != VMMPROF_NONE)
		tl->pcpus[b->pcpu].nr_blanks--;
	b->prev = VMMPROF_NONE;
	/* Each sample goes through all of them. */
	b->crowded = tl->pcpus[pcpu].nr_blanks >= VMMPROF_BLANKS_MAX;
	if (b->crowded) {
		b->next = VMMPROF_NONE;
		b->pcpu = VMMPROF_NONE;
		tl->blanks.crowded++;
		return;
	}
	tl->pcpus[pcpu].nr_blanks++;
	b->pcpu = pcpu;
	b->next = tl->pcpus[pcpu].blank;
	if (b->next != VMMPROF_NONE)
		all[b->next].prev = track;
	tl->pcpus[pcpu].blank = track;
}

static int named_culprit(struct vmmprof_timeline *tl,
			 const struct vmmprof_rec_sample *s,
			 const struct vmmprof_where *w, __u32 *ret)
{
	const struct vmmprof_resolver *r = &tl->a->resolver;
	struct vmmprof_task_id id = { .pid = s->pid, .tid = s->tid };
	char comm[16] = "";

	if (w->key.proc != VMMPROF_NONE)
		strncpy(comm,
			vmmprof_strings_get(&r->strings,
					    r->processes[w->key.proc].name),
			sizeof(comm) - 1);
	id.comm = comm;
	return vmmprof_culprit_of(tl, &id, ret);
}

/* A process has one name and one pid: its culprit is asked for once. */
static int process_culprit(struct vmmprof_timeline *tl,
			   const struct vmmprof_rec_sample *s,
			   const struct vmmprof_where *w, __u32 *ret)
{
	struct vmmprof_blanks *b = &tl->blanks;
	bool main_thread = s->pid == s->tid;
	int err;

	while (b->nr_procs <= w->key.proc) {
		err = vmmprof_vec_grow(&b->by_proc, &b->cap_procs, b->nr_procs,
				       sizeof(*b->by_proc));
		if (err)
			return err;
		b->by_proc[b->nr_procs][0] = VMMPROF_NONE;
		b->by_proc[b->nr_procs++][1] = VMMPROF_NONE;
	}
	*ret = b->by_proc[w->key.proc][main_thread];
	if (*ret != VMMPROF_NONE)
		return 0;
	err = named_culprit(tl, s, w, ret);
	if (!err)
		b->by_proc[w->key.proc][main_thread] = *ret;
	return err;
}

/* The culprit that was sampled: a vCPU, or a process of the host. */
static int sampled_culprit(struct vmmprof_timeline *tl, __u32 track,
			   const struct vmmprof_rec_sample *s,
			   const struct vmmprof_where *w, __u32 *ret)
{
	if (track == VMMPROF_NONE && !s->tid)
		return vmmprof_culprit_plain(&tl->culprits, VMMPROF_BY_NOBODY,
					     0, 0, ret);
	if (track == VMMPROF_NONE && !w->key.guest &&
	    w->key.proc != VMMPROF_NONE)
		return process_culprit(tl, s, w, ret);
	if (track != VMMPROF_NONE &&
	    tl->tracks[track]->culprit != VMMPROF_NONE) {
		*ret = tl->tracks[track]->culprit;
		return 0;
	}
	return named_culprit(tl, s, w, ret);
}

/* A VMCS stays current on its CPU when its vCPU's thread has left. */
static void note_exit(struct vmmprof_timeline *tl, __u32 track,
		      const struct vmmprof_rec_sample *s)
{
	const __u32 own = VMMPROF_S_VCPU | VMMPROF_S_VMCS | VMMPROF_S_OWN;

	if (!(s->hdr.flags & VMMPROF_S_VMCS))
		return;
	if ((s->hdr.flags & own) != own) {
		if (!s->vpid)
			return;
		track = vmmprof_hash_get(&tl->by_vpid, s->vpid);
	}
	if (track != VMMPROF_NONE)
		tl->blanks.blanks[track].exit = s->exit_reason & 0xffff;
}

int vmmprof_blanks_sample(struct vmmprof_timeline *tl, __u32 track, __u32 pcpu,
			  const struct vmmprof_rec_sample *s,
			  const struct vmmprof_where *w)
{
	bool own = track != VMMPROF_NONE &&
		   (!tl->blanks.guest_only || w->key.guest);
	struct vmmprof_blank *b;
	__u32 i, culprit = VMMPROF_NONE;
	int err = 0;

	if (!tl->period)
		return 0;
	if (own)
		err = close_gap(tl, track, s->hdr.tsc, true);
	note_exit(tl, track, s);
	for (i = tl->pcpus[pcpu].blank; i != VMMPROF_NONE && !err;
	     i = b->next) {
		b = &tl->blanks.blanks[i];
		if (own && i == track)
			continue;
		if (culprit == VMMPROF_NONE)
			err = sampled_culprit(tl, track, s, w, &culprit);
		b->seen++;
		if (!err)
			err = count(tl, i, 1, culprit);
	}
	if (err || !own)
		return err;
	tl->blanks.blanks[track].own++;
	move(tl, track, pcpu);
	return 0;
}

int vmmprof_blanks_end(struct vmmprof_timeline *tl)
{
	__u32 i;
	int err = 0;

	for (i = 0; i < tl->blanks.nr && tl->period && !err; i++)
		err = close_gap(tl, i, tl->end, false);
	return err;
}
