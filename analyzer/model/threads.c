// SPDX-License-Identifier: GPL-2.0-only
/* Which vCPU a thread is, and which culprit a task. */

#include <stdlib.h>
#include <string.h>

#include "model/timeline.h"
#include "base/vec.h"

__u32 vmmprof_track_find(const struct vmmprof_timeline *tl, __u32 pid,
			 __u32 tid)
{
	return vmmprof_hash_get(&tl->by_tid, (__u64)pid << 32 | tid);
}

static int track_new(struct vmmprof_timeline *tl, __u32 pid, __u32 tid,
		     __u32 guest, __u32 *ret)
{
	struct vmmprof_track *t;
	int err;

	*ret = VMMPROF_NONE;
	if (tl->nr >= VMMPROF_TRACKS_MAX) {
		tl->too_many++;
		return 0;
	}
	err = vmmprof_vec_grow(&tl->tracks, &tl->cap, tl->nr,
			       sizeof(*tl->tracks));
	if (err)
		return err;
	t = calloc(1, sizeof(*t));
	if (!t)
		return -ENOMEM;
	t->index = tl->nr;
	t->pid = pid;
	t->tid = tid;
	t->vcpu_id = VMMPROF_NONE;
	t->guest = guest;
	t->state = VMMPROF_ST_FIRST;
	t->cpu = VMMPROF_NONE;
	t->culprit = VMMPROF_NONE;
	t->next = VMMPROF_NONE;
	t->prev = VMMPROF_NONE;
	t->begin = tl->begin;
	t->since = tl->begin;
	t->wait_from = tl->begin;
	*ret = tl->nr;
	tl->tracks[tl->nr++] = t;
	return vmmprof_blanks_track(tl, *ret);
}

/* The thread of a vCPU that had another one before, or none known. */
static int track_thread(struct vmmprof_timeline *tl, __u32 i, __u32 tid)
{
	struct vmmprof_track *t = tl->tracks[i];

	t->tid = tid;
	return vmmprof_hash_set(&tl->by_tid, (__u64)t->pid << 32 | tid, i);
}

static int track_name(struct vmmprof_timeline *tl, __u32 i, __u32 vcpu_id)
{
	struct vmmprof_track *t = tl->tracks[i];

	t->vcpu_id = vcpu_id;
	return vmmprof_hash_set(&tl->by_vcpu, (__u64)t->guest << 32 | vcpu_id,
				i);
}

int vmmprof_track_get(struct vmmprof_timeline *tl, __u32 pid, __u32 tid,
		      __u32 vcpu_id, __u32 *ret)
{
	__u32 i = vmmprof_track_find(tl, pid, tid), guest;
	int err;

	if (i != VMMPROF_NONE &&
	    (vcpu_id == VMMPROF_NONE || tl->tracks[i]->vcpu_id == vcpu_id)) {
		*ret = i;
		return 0;
	}
	err = vmmprof_guests_get(&tl->a->resolver.guests, pid, &guest);
	if (err)
		return err;
	*ret = vcpu_id == VMMPROF_NONE ?
		       VMMPROF_NONE :
		       vmmprof_hash_get(&tl->by_vcpu,
					(__u64)guest << 32 | vcpu_id);
	if (*ret != VMMPROF_NONE)
		return track_thread(tl, *ret, tid);
	/* A thread that was met before it had told which vCPU it is. */
	if (i != VMMPROF_NONE && tl->tracks[i]->vcpu_id == VMMPROF_NONE) {
		*ret = i;
		return track_name(tl, i, vcpu_id);
	}
	err = track_new(tl, pid, tid, guest, ret);
	if (err || *ret == VMMPROF_NONE)
		return err;
	err = vmmprof_hash_set(&tl->by_tid, (__u64)pid << 32 | tid, *ret);
	if (!err && vcpu_id != VMMPROF_NONE)
		err = track_name(tl, *ret, vcpu_id);
	return err;
}

int vmmprof_pcpu_get(struct vmmprof_timeline *tl, __u32 cpu, __u32 *ret)
{
	struct vmmprof_pcpu *p;
	int err;

	*ret = vmmprof_hash_get(&tl->by_cpu, cpu);
	if (*ret != VMMPROF_NONE)
		return 0;
	err = vmmprof_vec_grow(&tl->pcpus, &tl->cap_pcpus, tl->nr_pcpus,
			       sizeof(*p));
	if (!err)
		err = vmmprof_hash_set(&tl->by_cpu, cpu, tl->nr_pcpus);
	if (err)
		return err;
	*ret = tl->nr_pcpus++;
	p = &tl->pcpus[*ret];
	memset(p, 0, sizeof(*p));
	p->cpu = cpu;
	p->running = VMMPROF_NONE;
	p->waiting = VMMPROF_NONE;
	p->blank = VMMPROF_NONE;
	return 0;
}

/*
 * By the host's map file; a task that it lacks, by its name: one that calls
 * itself like a kernel thread is then taken for one.
 */
static unsigned int task_kind(const struct vmmprof_timeline *tl,
			      const struct vmmprof_task_id *id)
{
	const struct vmmprof_resolver *r = &tl->a->resolver;
	const struct vmmprof_image *im = NULL;
	unsigned int kind;
	char comm[17];

	if (id->pid != id->tid)
		return VMMPROF_BY_PROCESS;
	memcpy(comm, id->comm, 16);
	comm[16] = '\0';
	kind = vmmprof_culprit_kthread_kind(comm);
	if (r->nr_machines && r->machines[0])
		im = vmmprof_procs_find(&r->machines[0]->procs, id->pid,
					VMMPROF_TIME_UNKNOWN);
	if (!im)
		return kind;
	if (!im->kthread)
		return VMMPROF_BY_PROCESS;
	return kind == VMMPROF_BY_IRQ ? VMMPROF_BY_IRQ : VMMPROF_BY_KTHREAD;
}

int vmmprof_culprit_of(struct vmmprof_timeline *tl,
		       const struct vmmprof_task_id *id, __u32 *ret)
{
	__u32 i = vmmprof_track_find(tl, id->pid, id->tid);
	struct vmmprof_track *t;
	int err;

	if (i == VMMPROF_NONE)
		return vmmprof_culprit_named(&tl->culprits, task_kind(tl, id),
					     id->pid, id->comm, ret);
	t = tl->tracks[i];
	if (t->culprit == VMMPROF_NONE) {
		err = vmmprof_culprit_plain(&tl->culprits, VMMPROF_BY_VCPU,
					    t->pid, i, &t->culprit);
		if (err)
			return err;
	}
	*ret = t->culprit;
	return 0;
}
