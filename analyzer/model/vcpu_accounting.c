// SPDX-License-Identifier: GPL-2.0-only
/*
 * Books each tick of a vCPU in one state, and each tick of its waiting on
 * whoever had the CPU it waited for.
 */

#include <stdlib.h>

#include "model/timeline.h"
#include "base/saturate.h"
#include "base/vec.h"

/* An idle wait of a woken vCPU under a quota: longer is no wake-up. */
#define WAKEUP_MS 1

static int presence(struct vmmprof_timeline *tl, __u32 i, __u32 pcpu,
		    __u64 ticks)
{
	__u64 key = (__u64)i << 32 | pcpu;
	__u32 p = vmmprof_hash_get(&tl->by_presence, key);
	int err;

	if (p == VMMPROF_NONE) {
		p = tl->nr_presence;
		err = vmmprof_vec_grow(&tl->presence, &tl->cap_presence, p,
				       sizeof(*tl->presence));
		if (!err)
			err = vmmprof_hash_set(&tl->by_presence, key, p);
		if (err)
			return err;
		tl->nr_presence++;
		tl->presence[p] = (struct vmmprof_presence){ .track = i,
							     .pcpu = pcpu };
	}
	vmmprof_sum(&tl->presence[p].ticks, ticks);
	vmmprof_sum(&tl->pcpus[pcpu].vcpus, ticks);
	return 0;
}

/* The state had by track i until now; culprit: of a wait, by index. */
static int spend(struct vmmprof_timeline *tl, __u32 i, unsigned int state,
		 __u64 until, __u32 culprit)
{
	struct vmmprof_track *t = tl->tracks[i];
	__u64 from = t->since;
	int err = 0;

	if (until <= from)
		return 0;
	vmmprof_sum(&t->ticks[state], until - from);
	t->since = until;
	if (vmmprof_state_waits(state))
		err = vmmprof_culprits_book(&tl->culprits, i, culprit,
					    state == VMMPROF_ST_WOKEN,
					    until - from);
	else if (state == VMMPROF_ST_UNKNOWN && t->cpu != VMMPROF_NONE)
		vmmprof_sum(&tl->pcpus[t->cpu].unknown, until - from);
	else if (state == VMMPROF_ST_ON_CPU)
		err = presence(tl, i, t->cpu, until - from);
	if (!err && tl->stretch)
		err = tl->stretch(tl->stretch_arg, t, state, from, until,
				  vmmprof_state_waits(state) ? culprit :
							       VMMPROF_NONE);
	return err;
}

static void unlink_waiter(struct vmmprof_timeline *tl, __u32 i)
{
	struct vmmprof_track *t = tl->tracks[i];

	t->crowded = false;
	if (!t->waits)
		return;
	t->waits = false;
	tl->pcpus[t->cpu].nr_waiting--;
	if (t->prev != VMMPROF_NONE)
		tl->tracks[t->prev]->next = t->next;
	else if (tl->pcpus[t->cpu].waiting == i)
		tl->pcpus[t->cpu].waiting = t->next;
	if (t->next != VMMPROF_NONE)
		tl->tracks[t->next]->prev = t->prev;
	t->next = VMMPROF_NONE;
	t->prev = VMMPROF_NONE;
}

static void link_waiter(struct vmmprof_timeline *tl, __u32 i, __u32 pcpu)
{
	struct vmmprof_track *t = tl->tracks[i];

	/* Each switch goes through all of them. */
	if (tl->pcpus[pcpu].nr_waiting >= VMMPROF_WAITERS_MAX) {
		t->crowded = true;
		tl->crowded++;
		return;
	}
	t->waits = true;
	tl->pcpus[pcpu].nr_waiting++;
	t->prev = VMMPROF_NONE;
	t->next = tl->pcpus[pcpu].waiting;
	if (t->next != VMMPROF_NONE)
		tl->tracks[t->next]->prev = i;
	tl->pcpus[pcpu].waiting = i;
}

/* A CPU that idled while this vCPU was runnable. */
static int idle_culprit(struct vmmprof_timeline *tl,
			const struct vmmprof_track *t, __u64 until, __u32 *ret)
{
	unsigned int kind = t->state == VMMPROF_ST_WOKEN ? VMMPROF_BY_WAKEUP :
							   VMMPROF_BY_NOBODY;

	if (vmmprof_timeline_throttled(tl, t) &&
	    (kind == VMMPROF_BY_NOBODY ||
	     until - t->since > vmmprof_sat_mul(WAKEUP_MS, tl->khz)))
		kind = VMMPROF_BY_QUOTA;
	return vmmprof_culprit_plain(&tl->culprits, kind, 0, 0, ret);
}

/* What a track waited while SWITCH records were left out. */
static int blame_unknown(struct vmmprof_timeline *tl, __u32 i, __u64 until)
{
	struct vmmprof_track *t = tl->tracks[i];
	__u64 nameless = tl->pcpus[t->cpu].nameless_until;

	if (nameless > until)
		nameless = until;
	return spend(tl, i, t->state, nameless, 0);
}

/* Book what the waiters of a CPU waited because of one task. */
static int blame(struct vmmprof_timeline *tl, __u32 i, __u64 until,
		 const struct vmmprof_task_id *who)
{
	struct vmmprof_track *t = tl->tracks[i];
	__u32 culprit;
	int err;

	/* One that leaves did not wait: its IN is missing. */
	if (until <= t->since || (who->tid == t->tid && who->pid == t->pid))
		return 0;
	err = blame_unknown(tl, i, until);
	if (err || until <= t->since)
		return err;
	if (!who->tid)
		err = idle_culprit(tl, t, until, &culprit);
	else
		err = vmmprof_culprit_of(tl, who, &culprit);
	return err ? err : spend(tl, i, t->state, until, culprit);
}

/*
 * A wait that ends without a switch on the CPU: the last one who came there
 * since it began has the CPU still.
 */
static int blame_comer(struct vmmprof_timeline *tl, __u32 i, __u64 until)
{
	struct vmmprof_track *t = tl->tracks[i];
	const struct vmmprof_pcpu *p;
	struct vmmprof_task_id id;

	if (t->cpu == VMMPROF_NONE || t->crowded)
		return spend(tl, i, t->state, until, 0);
	p = &tl->pcpus[t->cpu];
	id.pid = p->comer_pid;
	id.tid = p->comer_tid;
	id.comm = p->comer;
	if (p->running != VMMPROF_NONE) {
		id.pid = tl->tracks[p->running]->pid;
		id.tid = tl->tracks[p->running]->tid;
	} else if (p->comer_tsc < t->since || !p->comer_tsc ||
		   p->comer_tsc < p->nameless_until) {
		return spend(tl, i, t->state, until, 0);
	}
	/* It came itself, but its IN is missing. */
	if (id.tid == t->tid && id.pid == t->pid)
		return spend(tl, i, VMMPROF_ST_UNKNOWN, until, 0);
	return blame(tl, i, until, &id);
}

int vmmprof_book_switch(struct vmmprof_timeline *tl, __u32 pcpu, __u64 tsc,
			const struct vmmprof_task_id *leaver,
			const struct vmmprof_task_id *comer)
{
	struct vmmprof_pcpu *p = &tl->pcpus[pcpu];
	__u32 i;
	int err = 0;

	for (i = p->waiting; i != VMMPROF_NONE && !err; i = tl->tracks[i]->next)
		err = blame(tl, i, tsc, leaver);
	p->comer_tsc = tsc;
	p->comer_pid = comer->pid;
	p->comer_tid = comer->tid;
	__builtin_memcpy(p->comer, comer->comm, sizeof(p->comer));
	return err;
}

int vmmprof_book_taken(struct vmmprof_timeline *tl, __u32 pcpu, __u64 tsc,
		       __u32 is)
{
	__u32 i = tl->pcpus[pcpu].running;

	if (i == VMMPROF_NONE || i == is)
		return 0;
	return vmmprof_book_event(tl, i, VMMPROF_EV_NOT_HERE, pcpu, tsc);
}

/*
 * With HLT exiting off, a CPU that counts no cycles is idle in the guest: of
 * the time between two samples only one period was run.  A gap counts from
 * one and a half periods on.
 */
static void idle_in_guest(const struct vmmprof_timeline *tl,
			  struct vmmprof_track *t, __u64 tsc)
{
	if (t->hlt_native && tl->period && tsc > t->last_own &&
	    tsc - t->last_own > tl->period + tl->period / 2)
		vmmprof_sum(&t->idle, tsc - t->last_own - tl->period);
	t->last_own = tsc;
}

/* What was before the first event; false: it changes nothing. */
static bool first_event(struct vmmprof_timeline *tl, __u32 i,
			enum vmmprof_vcpu_event event, __u32 pcpu, __u64 tsc)
{
	struct vmmprof_track *t = tl->tracks[i];

	if (event == VMMPROF_EV_MIGRATE ||
	    (event == VMMPROF_EV_WAKE && t->start && tsc >= t->start->tsc &&
	     t->start->state == VMMPROF_VCPU_RUNNABLE))
		return false;
	t->cpu = pcpu;
	t->next = VMMPROF_NONE;
	t->prev = VMMPROF_NONE;
	if (t->start || !tl->has_start) {
		t->state = vmmprof_state_first(t->start, event, tsc);
		t->last_own = tl->begin;
		t->began_waiting = vmmprof_state_waits(t->state);
		if (t->state == VMMPROF_ST_ON_CPU)
			tl->pcpus[pcpu].running = i;
		return true;
	}
	/* It was not there at the start: it begins now. */
	t->begin = tsc;
	t->since = tsc;
	t->wait_from = tsc;
	t->state = event == VMMPROF_EV_IN   ? VMMPROF_ST_PREEMPTED :
		   event == VMMPROF_EV_WAKE ? VMMPROF_ST_BLOCKED :
					      VMMPROF_ST_ON_CPU;
	return true;
}

static void wait_over(struct vmmprof_track *t, __u64 tsc)
{
	if (tsc - t->wait_from > t->longest) {
		t->longest = tsc - t->wait_from;
		t->longest_at = t->wait_from;
	}
}

/* While records are missing only a vCPU on another CPU is certain. */
static unsigned int certain(const struct vmmprof_timeline *tl,
			    unsigned int state, __u32 pcpu, __u64 tsc)
{
	if (tsc >= tl->lossy_until)
		return state;
	if (state == VMMPROF_ST_ON_CPU && tsc >= tl->pcpus[pcpu].lossy_until)
		return state;
	return VMMPROF_ST_UNKNOWN;
}

static void enter(struct vmmprof_timeline *tl, __u32 i, unsigned int state,
		  __u32 pcpu, __u64 tsc)
{
	struct vmmprof_track *t = tl->tracks[i];

	if (vmmprof_state_waits(t->state))
		unlink_waiter(tl, i);
	if (t->state == VMMPROF_ST_ON_CPU && tl->pcpus[t->cpu].running == i)
		tl->pcpus[t->cpu].running = VMMPROF_NONE;
	t->state = certain(tl, state, pcpu, tsc);
	t->cpu = pcpu;
	if (t->state == VMMPROF_ST_ON_CPU) {
		tl->pcpus[pcpu].running = i;
		t->last_own = tsc;
	} else if (vmmprof_state_waits(t->state)) {
		link_waiter(tl, i, pcpu);
		t->wait_from = tsc;
	}
}

/* The same state on another CPU, or one more proof of it. */
static int no_change(struct vmmprof_timeline *tl, __u32 i,
		     enum vmmprof_vcpu_event event, __u32 pcpu, __u64 tsc)
{
	struct vmmprof_track *t = tl->tracks[i];
	int err = 0;

	if (event == VMMPROF_EV_SEEN) {
		err = spend(tl, i, t->state, tsc, 0);
		idle_in_guest(tl, t, tsc);
	} else if (event != VMMPROF_EV_MIGRATE && event != VMMPROF_EV_WAKE) {
		return 0;
	} else if (vmmprof_state_waits(t->state) && pcpu != t->cpu) {
		err = blame_comer(tl, i, tsc);
		unlink_waiter(tl, i);
		t->cpu = pcpu;
		link_waiter(tl, i, pcpu);
	} else if (t->state != VMMPROF_ST_ON_CPU) {
		t->cpu = pcpu;
	}
	return err;
}

int vmmprof_book_event(struct vmmprof_timeline *tl, __u32 i,
		       enum vmmprof_vcpu_event event, __u32 pcpu, __u64 tsc)
{
	struct vmmprof_track *t = tl->tracks[i];
	struct vmmprof_step step;
	int err = 0;

	if (t->state == VMMPROF_ST_FIRST &&
	    !first_event(tl, i, event, pcpu, tsc))
		return 0;
	if (tsc < t->since) {
		t->late++;
		return 0;
	}
	step = vmmprof_state_step(t->state, event, pcpu == t->cpu);
	t->missing += step.missing;
	vmmprof_note_order(tl, t, event, pcpu, tsc, step.missing);
	if (step.before == step.after && step.before == t->state)
		return no_change(tl, i, event, pcpu, tsc);
	/* Came in elsewhere: who had that CPU is not known. */
	if (vmmprof_state_waits(step.before) && pcpu != t->cpu)
		t->missing++;
	err = spend(tl, i, step.before, tsc, 0);
	if (step.before == VMMPROF_ST_ON_CPU)
		idle_in_guest(tl, t, tsc);
	if (event == VMMPROF_EV_IN && vmmprof_state_waits(step.before))
		wait_over(t, tsc);
	if (event == VMMPROF_EV_IN && step.before == VMMPROF_ST_WOKEN)
		vmmprof_loghist_add(&t->latency, tsc - t->wait_from);
	if (!err)
		enter(tl, i, step.after, pcpu, tsc);
	return err;
}

static void lose(struct vmmprof_pcpu *p, __u64 from, __u64 to)
{
	if (to <= p->lossy_until)
		return;
	if (from < p->lossy_until)
		from = p->lossy_until;
	vmmprof_sum(&p->lossy, to - from);
	p->lossy_until = to;
}

int vmmprof_book_loss(struct vmmprof_timeline *tl, __u32 pcpu, __u64 from,
		      __u64 to)
{
	struct vmmprof_track *t;
	__u32 i;
	int err = 0;

	if (pcpu != VMMPROF_NONE)
		lose(&tl->pcpus[pcpu], from, to);
	for (i = 0; pcpu == VMMPROF_NONE && i < tl->nr_pcpus; i++)
		lose(&tl->pcpus[i], from, to);
	if (to > tl->lossy_until)
		tl->lossy_until = to;
	for (i = 0; i < tl->nr && !err; i++) {
		t = tl->tracks[i];
		if (t->state == VMMPROF_ST_FIRST && t->start &&
		    (from > t->start->tsc || t->start->tsc <= tl->begin))
			t->state = vmmprof_state_first(t->start,
						       VMMPROF_EV_WAKE, from);
		if (t->state == VMMPROF_ST_FIRST)
			t->state = VMMPROF_ST_UNKNOWN;
		if (t->state == certain(tl, t->state, t->cpu, from))
			continue;
		if (vmmprof_state_waits(t->state))
			err = blame_comer(tl, i, from);
		else
			err = spend(tl, i, t->state, from, 0);
		if (!err)
			enter(tl, i, VMMPROF_ST_UNKNOWN, t->cpu, from);
	}
	return err;
}

int vmmprof_book_nameless(struct vmmprof_timeline *tl, __u32 pcpu, __u64 from,
			  __u64 to)
{
	__u32 i, w;
	int err = 0;

	for (i = pcpu == VMMPROF_NONE ? 0 : pcpu; i < tl->nr_pcpus && !err;
	     i++) {
		if (pcpu != VMMPROF_NONE && i != pcpu)
			break;
		for (w = tl->pcpus[i].waiting; w != VMMPROF_NONE && !err;
		     w = tl->tracks[w]->next)
			err = blame_comer(tl, w, from);
		if (to > tl->pcpus[i].nameless_until)
			tl->pcpus[i].nameless_until = to;
	}
	return err;
}

/* The thread is gone: /proc had none of it at the end. */
static bool gone(const struct vmmprof_timeline *tl,
		 const struct vmmprof_track *t)
{
	return tl->has_stop && !t->stop && vmmprof_state_sleeps(t->state);
}

static int end_first(struct vmmprof_timeline *tl, __u32 i)
{
	struct vmmprof_track *t = tl->tracks[i];

	if (!t->start && tl->has_start) {
		t->begin = tl->end;
		t->since = tl->end;
	}
	/* Without any record it stayed as it was. */
	t->state = vmmprof_state_first(t->start, VMMPROF_EV_WAKE, tl->end);
	return spend(tl, i, t->state, tl->end, 0);
}

int vmmprof_book_end(struct vmmprof_timeline *tl)
{
	struct vmmprof_track *t;
	__u32 i;
	int err = 0;

	for (i = 0; i < tl->nr && !err; i++) {
		t = tl->tracks[i];
		t->end = tl->end;
		if (t->state == VMMPROF_ST_FIRST) {
			err = end_first(tl, i);
		} else if (gone(tl, t)) {
			t->end = t->since;
		} else if (vmmprof_state_waits(t->state)) {
			err = blame_comer(tl, i, tl->end);
			wait_over(t, tl->end);
			t->waits_still = tl->end - t->wait_from;
		} else {
			err = spend(tl, i, t->state, tl->end, 0);
			if (t->state == VMMPROF_ST_ON_CPU)
				idle_in_guest(tl, t, tl->end);
		}
	}
	return err;
}

int vmmprof_book_until(struct vmmprof_timeline *tl)
{
	struct vmmprof_track *t;
	__u32 i;
	int err = 0;

	for (i = 0; i < tl->nr && !err; i++) {
		t = tl->tracks[i];
		t->end = tl->end;
		if (t->state == VMMPROF_ST_FIRST && !t->start &&
		    tl->has_start) {
			t->begin = tl->end; /* not met yet */
			t->since = tl->end;
		} else if (t->state == VMMPROF_ST_FIRST) {
			err = end_first(tl, i);
		} else if (vmmprof_state_waits(t->state)) {
			err = blame_comer(tl, i, tl->end);
		} else {
			err = spend(tl, i, t->state, tl->end, 0);
		}
	}
	return err;
}

void vmmprof_book_gone(struct vmmprof_timeline *tl, __u32 i)
{
	struct vmmprof_track *t = tl->tracks[i];

	if (t->state == VMMPROF_ST_FIRST)
		return;
	if (vmmprof_state_waits(t->state))
		unlink_waiter(tl, i);
	if (t->cpu != VMMPROF_NONE && tl->pcpus[t->cpu].running == i)
		tl->pcpus[t->cpu].running = VMMPROF_NONE;
	t->state = VMMPROF_ST_FIRST;
	t->start = NULL;
	tl->has_start = true; /* one of that number begins when it is met */
}
