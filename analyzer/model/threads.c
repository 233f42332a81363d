// SPDX-License-Identifier: GPL-2.0-only
/* Finds the vCPU of a thread, and the thief that a task is. */

#include <stdlib.h>
#include <string.h>

#include "model/sample_gaps.h"
#include "model/timeline.h"
#include "model/timeline_internal.h"
#include "base/vec.h"

static int track_new(struct timeline *tl, __u32 pid, __u32 tid, __u32 guest,
		     __u32 *ret)
{
	struct track *t;
	int err;

	*ret = VMMPROF_NONE;
	if (tl->nr >= TRACKS_MAX) {
		tl->too_many++;
		return 0;
	}
	err = vec_grow(&tl->tracks, &tl->cap, tl->nr, sizeof(*tl->tracks));
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
	t->state = STATE_FIRST;
	t->cpu = VMMPROF_NONE;
	t->thief = VMMPROF_NONE;
	t->last_class = NR_ON_CPU;
	t->on_pcpu = VMMPROF_NONE;
	t->stolen_by = VMMPROF_NONE;
	t->begin = tl->begin;
	t->since = tl->begin;
	t->wait_from = tl->begin;
	*ret = tl->nr;
	number_set_add(&tl->known, tl->nr);
	tl->tracks[tl->nr++] = t;
	return sample_gaps_track(tl, *ret);
}

/* The thread of a vCPU that had another one before, or none known. */
static int track_thread(struct timeline *tl, __u32 i, __u32 tid)
{
	struct track *t = tl->tracks[i];

	t->tid = tid;
	tl->names++;
	return hash_set(&tl->by_tid, (__u64)t->pid << 32 | tid, i);
}

static int track_name(struct timeline *tl, __u32 i, __u32 vcpu_id)
{
	struct track *t = tl->tracks[i];

	t->vcpu_id = vcpu_id;
	tl->names++;
	return hash_set(&tl->by_vcpu, (__u64)t->guest << 32 | vcpu_id, i);
}

int track_get(struct timeline *tl, __u32 pid, __u32 tid, __u32 vcpu_id,
	      __u32 *ret)
{
	__u32 i = track_find(tl, pid, tid), guest;
	int err;

	if (i != VMMPROF_NONE &&
	    (vcpu_id == VMMPROF_NONE || tl->tracks[i]->vcpu_id == vcpu_id)) {
		*ret = i;
		return 0;
	}
	err = guests_get(&tl->a->resolver.guests, pid, &guest);
	if (err)
		return err;
	*ret = vcpu_id == VMMPROF_NONE ?
		       VMMPROF_NONE :
		       hash_get(&tl->by_vcpu, (__u64)guest << 32 | vcpu_id);
	if (*ret != VMMPROF_NONE)
		return track_thread(tl, *ret, tid);
	/* The thread had records before one named its vCPU. */
	if (i != VMMPROF_NONE && tl->tracks[i]->vcpu_id == VMMPROF_NONE) {
		*ret = i;
		return track_name(tl, i, vcpu_id);
	}
	err = track_new(tl, pid, tid, guest, ret);
	if (err || *ret == VMMPROF_NONE)
		return err;
	tl->names++;
	err = hash_set(&tl->by_tid, (__u64)pid << 32 | tid, *ret);
	if (!err && vcpu_id != VMMPROF_NONE)
		err = track_name(tl, *ret, vcpu_id);
	return err;
}

int pcpu_new(struct timeline *tl, __u32 cpu, __u32 *ret)
{
	struct pcpu *p;
	int err;

	err = vec_grow(&tl->pcpus, &tl->cap_pcpus, tl->nr_pcpus, sizeof(*p));
	if (!err)
		err = small_numbers_set(&tl->by_cpu, cpu, tl->nr_pcpus);
	if (err)
		return err;
	*ret = tl->nr_pcpus++;
	p = &tl->pcpus[*ret];
	memset(p, 0, sizeof(*p));
	p->cpu = cpu;
	p->running = VMMPROF_NONE;
	p->sampled = VMMPROF_NONE;
	p->stream = VMMPROF_NONE;
	return 0;
}

/*
 * What the host's map file says of a task's process at that time, NULL: nothing;
 * *when: for these times.
 */
static const struct image *task_image(const struct timeline *tl,
				      const struct task_id *id,
				      struct holds *when)
{
	const struct machine *m = timeline_host(tl);

	holds_all(when);
	return m ? procs_find_held(&m->procs, id->pid,
				   clock_to_ns(&m->clock, id->tsc), when) :
		   NULL;
}

/* A task has been looked for before: would the answer be the same now? */
static bool same_image(const struct timeline *tl, const struct holds *when,
		       __u64 tsc)
{
	const struct machine *m = timeline_host(tl);

	/* nearly always: the time need not be known then */
	return (!when->from && !~when->last) ||
	       (m && holds_at(when, clock_to_ns(&m->clock, tsc)));
}

/*
 * By the host's map file; a task that it lacks, by its name: one that calls
 * itself like a kernel thread is then taken for one.
 */
static unsigned int task_kind(const struct task_id *id, const struct image *im)
{
	unsigned int kind;
	char comm[17];

	if (id->pid != id->tid)
		return BY_PROCESS;
	memcpy(comm, id->comm, 16);
	comm[16] = '\0';
	kind = thief_kthread_kind(comm);
	if (!im)
		return kind;
	if (!im->kthread)
		return BY_PROCESS;
	return kind == BY_IRQ ? BY_IRQ : BY_KTHREAD;
}

/* Of a task that is no vCPU's thread; *when: for these times, in ns. */
static int thief_new(struct timeline *tl, const struct task_id *id,
		     struct holds *when, __u32 *ret)
{
	const struct image *im = task_image(tl, id, when);
	unsigned int kind = task_kind(id, im);
	__u32 owner;
	int err = owner_of(tl, kind, id, im, &owner);

	return err ? err :
		     thief_named(&tl->thieves, kind, owner, id->pid, id->comm,
				 ret);
}

static int thief_of_task(struct timeline *tl, const struct task_id *id,
			 __u32 *ret)
{
	/* a process may turn out to be a VM */
	const __u64 names = tl->names + tl->a->resolver.guests.nr;
	struct thief_name *n = &tl->thief_names[id->tid % THIEF_NAMES];
	struct holds when;
	int err;

	*ret = n->thief;
	if (n->names == names && n->pid == id->pid && n->tid == id->tid &&
	    !memcmp(n->comm, id->comm, sizeof(n->comm)) &&
	    same_image(tl, &n->when, id->tsc))
		return 0;
	err = thief_new(tl, id, &when, ret);
	if (err)
		return err;
	/* with too many, even a name that is known is not told apart */
	n->names = tl->thieves.nr < THIEVES_MAX ? names : 0;
	n->pid = id->pid;
	n->tid = id->tid;
	memcpy(n->comm, id->comm, sizeof(n->comm));
	n->when = when;
	n->thief = *ret;
	return 0;
}

int thief_of(struct timeline *tl, const struct task_id *id, __u32 *ret)
{
	__u32 i = track_find(tl, id->pid, id->tid);
	struct track *t;
	int err;

	if (i == VMMPROF_NONE)
		return thief_of_task(tl, id, ret);
	t = tl->tracks[i];
	if (t->thief == VMMPROF_NONE) {
		err = thief_vcpu(&tl->thieves, t->pid, t->guest, i, &t->thief);
		if (err)
			return err;
	}
	*ret = t->thief;
	return 0;
}
