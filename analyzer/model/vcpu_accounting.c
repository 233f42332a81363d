// SPDX-License-Identifier: GPL-2.0-only
/* Counts each tick of a vCPU in one state. */

#include <stdlib.h>

#include "model/spend.h"
#include "model/timeline.h"
#include "model/timeline_internal.h"
#include "base/saturate.h"
#include "base/vec.h"

int account_residency(struct timeline *tl, struct track *t, __u32 pcpu)
{
	__u64 key = (__u64)t->index << 32 | pcpu;
	__u32 p = hash_get(&tl->by_residency, key);
	int err;

	if (p == VMMPROF_NONE) {
		p = tl->nr_residency;
		err = vec_grow(&tl->residency, &tl->cap_residency, p,
			       sizeof(*tl->residency));
		if (!err)
			err = hash_set(&tl->by_residency, key, p);
		if (err)
			return err;
		tl->nr_residency++;
		tl->residency[p] = (struct cpu_residency){ .track = t->index,
							   .pcpu = pcpu };
	}
	t->on_pcpu = pcpu;
	t->on_residency = p;
	return 0;
}

int account_stolen(struct timeline *tl, struct track *t, __u32 thief)
{
	int err = thieves_stolen(&tl->thieves, t->index, thief, &t->stolen);

	t->stolen_by = err ? VMMPROF_NONE : thief;
	return err;
}

int account_steal_pair(struct timeline *tl, const struct track *t, __u32 thief,
		       __u16 *ret)
{
	struct stolen_time *s = &tl->thieves.stolen[t->stolen];
	int err = steal_times_pair(&tl->times, t->guest,
				   tl->thieves.thieves[thief].owner, ret);

	/* one that stands for many thieves has no one pair */
	if (!err && s->thief == thief)
		s->pair = *ret;
	return err;
}

int spend(struct timeline *tl, struct track *t, unsigned int state, __u64 until,
	  __u32 thief)
{
	return spend_state(tl, t, state, until, thief);
}

/* What a vCPU had its CPU for since its own sample before is known. */
static inline int spend_class(struct timeline *tl, struct track *t,
			      unsigned int class)
{
	sat_sum(&t->on_ticks[class], t->unsampled);
	t->unsampled = 0;
	t->last_class = class;
	return tl->classed ? tl->classed(tl->class_arg, t, class) : 0;
}

/*
 * With HLT exiting off, a CPU that counts no cycles is idle in the guest: of
 * the time between two samples only one period was run.  A gap counts if no
 * busy CPU has one as long.
 */
static int idle_without_exit(const struct timeline *tl, struct track *t,
			     __u64 tsc)
{
	__u64 from = sat_add(t->last_own, tl->period), ticks;
	struct time_range part;
	int err = 0;

	if (!tl->period || tsc <= t->last_own ||
	    (!t->idles && tsc - t->last_own <= tl->idle_gap))
		from = tsc;
	t->last_own = tsc;
	t->idles = false;
	while (!err && time_ranges_cut(tl->a->time, &from, tsc, &part)) {
		ticks = part.to - part.from;
		if (ticks > t->unsampled)
			ticks = t->unsampled;
		sat_sum(&t->idle, ticks);
		t->unsampled -= ticks;
		if (tl->idle)
			err = tl->idle(tl->class_arg, t, part.to - ticks,
				       part.to);
	}
	return err;
}

static inline int idle_in_guest(const struct timeline *tl, struct track *t,
				__u64 tsc)
{
	if (t->hlt_native)
		return idle_without_exit(tl, t, tsc);
	t->last_own = tsc;
	return 0;
}

/* Sets the state before the first event; false: the event changes nothing. */
static bool first_event(struct timeline *tl, __u32 i, enum vcpu_event event,
			__u32 pcpu, __u64 tsc)
{
	struct track *t = tl->tracks[i];

	if (event == EV_MIGRATE ||
	    (event == EV_WAKE && t->start && tsc >= t->start->tsc &&
	     t->start->state == VMMPROF_VCPU_RUNNABLE))
		return false;
	t->cpu = pcpu;
	if (t->start || !tl->has_start) {
		t->state = state_first(t->start, event, tsc);
		t->last_own = tl->begin;
		t->began_waiting = state_waits(t->state);
		if (t->state == STATE_ON_CPU)
			tl->pcpus[pcpu].running = i;
		return true;
	}
	/* The thread did not exist at the start: it begins now. */
	t->begin = tsc;
	t->since = tsc;
	t->wait_from = tsc;
	t->state = event == EV_IN   ? STATE_PREEMPTED :
		   event == EV_WAKE ? STATE_BLOCKED :
				      STATE_ON_CPU;
	return true;
}

/* A wait counts where it ends, as long as it was. */
static void wait_over(const struct timeline *tl, struct track *t, __u64 tsc)
{
	if (time_ranges_has(tl->a->time, tsc) &&
	    tsc - t->wait_from > t->longest) {
		t->longest = tsc - t->wait_from;
		t->longest_at = t->wait_from;
	}
}

/* While records are missing only a vCPU on another CPU is certain. */
static unsigned int certain(const struct timeline *tl, unsigned int state,
			    __u32 pcpu, __u64 tsc)
{
	if (pcpu != VMMPROF_NONE && tsc < tl->pcpus[pcpu].lossy_until)
		return STATE_UNKNOWN;
	if (tsc >= tl->lossy_until || state == STATE_ON_CPU)
		return state;
	return STATE_UNKNOWN;
}

static int enter(struct timeline *tl, __u32 i, unsigned int state, __u32 pcpu,
		 __u64 tsc)
{
	struct track *t = tl->tracks[i];
	int err = 0;

	if (state_waits(t->state))
		cpu_waiters_remove(tl, t);
	if (t->state == STATE_ON_CPU && tl->pcpus[t->cpu].running == i)
		tl->pcpus[t->cpu].running = VMMPROF_NONE;
	t->state = certain(tl, state, pcpu, tsc);
	t->cpu = pcpu;
	if (t->state != STATE_UNKNOWN)
		number_set_add(&tl->known, i);
	if (t->state == STATE_ON_CPU) {
		tl->pcpus[pcpu].running = i;
		t->last_own = tsc;
		t->idles = false;
	} else if (state_waits(t->state)) {
		err = cpu_waiters_add(tl, t, pcpu);
		t->wait_from = tsc;
	}
	return err;
}

/* A vCPU is seen on the CPU that it was on. */
static __always_inline int still_here(struct timeline *tl, struct track *t,
				      __u64 tsc)
{
	int err = spend_state(tl, t, STATE_ON_CPU, tsc, 0);

	return err ? err : idle_in_guest(tl, t, tsc);
}

/*
 * Handles an event that does not change the state: another CPU, or a
 * confirmation.
 */
static int no_change(struct timeline *tl, __u32 i, enum vcpu_event event,
		     __u32 pcpu, __u64 tsc)
{
	struct track *t = tl->tracks[i];
	int err = 0;

	if (event == EV_SEEN) {
		err = still_here(tl, t, tsc);
	} else if (event != EV_MIGRATE && event != EV_WAKE) {
		return 0;
	} else if (state_waits(t->state) && pcpu != t->cpu) {
		err = blame_next(tl, t, tsc);
		cpu_waiters_remove(tl, t);
		t->cpu = pcpu;
		err = err ?: cpu_waiters_add(tl, t, pcpu);
	} else if (t->state != STATE_ON_CPU) {
		t->cpu = pcpu;
	}
	return err;
}

int account_event(struct timeline *tl, __u32 i, enum vcpu_event event,
		  __u32 pcpu, __u64 tsc)
{
	struct track *t = tl->tracks[i];
	struct step step;
	int err = 0;

	if (t->state == STATE_FIRST && !first_event(tl, i, event, pcpu, tsc))
		return 0;
	if (tsc < t->since) {
		t->late++;
		return 0;
	}
	step = state_step(t->state, event, pcpu == t->cpu);
	t->missing += step.missing;
	note_order(tl, t, event, pcpu, tsc, step.missing);
	if (step.before == step.after && step.before == t->state)
		return no_change(tl, i, event, pcpu, tsc);
	/* Came in elsewhere: who had that CPU is not known. */
	if (state_waits(step.before) && pcpu != t->cpu)
		t->missing++;
	err = spend(tl, t, step.before, tsc, 0);
	if (!err && step.before == STATE_ON_CPU && t->state == STATE_ON_CPU)
		err = idle_in_guest(tl, t, tsc);
	if (event == EV_IN && state_waits(step.before))
		wait_over(tl, t, tsc);
	if (event == EV_IN && step.before == STATE_WOKEN &&
	    time_ranges_has(tl->a->time, tsc))
		log_histogram_add(&t->latency, tsc - t->wait_from);
	return err ? err : enter(tl, i, step.after, pcpu, tsc);
}

int account_own(struct timeline *tl, struct track *t, unsigned int class,
		__u32 pcpu, __u64 tsc)
{
	/* what nearly all are, with no other effect than account_event()'s */
	const bool here = t->state == STATE_ON_CPU && t->cpu == pcpu &&
			  tsc >= t->since && !t->came_early;
	int err = here ? still_here(tl, t, tsc) :
			 account_event(tl, t->index, EV_SEEN, pcpu, tsc);

	return err ? err : spend_class(tl, t, class);
}

static void lose(const struct timeline *tl, struct pcpu *p, __u64 from,
		 __u64 to)
{
	if (to <= p->lossy_until)
		return;
	if (from < p->lossy_until)
		from = p->lossy_until;
	sat_sum(&p->lossy, time_ranges_ticks(tl->a->time, from, to));
	p->lossy_until = to;
}

static int make_unknown(struct timeline *tl, __u32 i, __u64 from)
{
	struct track *t = tl->tracks[i];
	int err = state_waits(t->state) ? blame_next(tl, t, from) :
					  spend(tl, t, t->state, from, 0);

	if (!err)
		err = enter(tl, i, STATE_UNKNOWN, t->cpu, from);
	number_set_remove(&tl->known, i);
	return err;
}

/* Of a thread without a record yet: what it did until then; false: unknown. */
static bool known_until(const struct timeline *tl, struct track *t, __u64 from)
{
	if (t->state == STATE_FIRST && t->start &&
	    (from > t->start->tsc || t->start->tsc <= tl->begin))
		t->state = state_first(t->start, EV_WAKE, from);
	if (t->state == STATE_FIRST)
		t->state = STATE_UNKNOWN;
	return t->state != STATE_UNKNOWN;
}

int account_cut(struct timeline *tl, __u32 pcpu, __u64 from)
{
	struct track *t;
	size_t i;
	int err = 0;

	lose(tl, &tl->pcpus[pcpu], from, tl->end);
	for (i = number_set_next(&tl->known, 0); i < tl->nr && !err;
	     i = number_set_next(&tl->known, i + 1)) {
		t = tl->tracks[i];
		if (t->state != STATE_FIRST && t->cpu != pcpu)
			continue;
		if (known_until(tl, t, from))
			err = make_unknown(tl, i, from);
		else
			number_set_remove(&tl->known, i);
	}
	return err;
}

int account_loss(struct timeline *tl, __u32 pcpu, __u64 from, __u64 to)
{
	struct track *t;
	size_t i;
	int err = 0;

	if (pcpu != VMMPROF_NONE)
		lose(tl, &tl->pcpus[pcpu], from, to);
	for (i = 0; pcpu == VMMPROF_NONE && i < tl->nr_pcpus; i++)
		lose(tl, &tl->pcpus[i], from, to);
	if (to > tl->lossy_until)
		tl->lossy_until = to;
	/* Many losses and many vCPUs: each is made unknown once. */
	for (i = number_set_next(&tl->known, 0); i < tl->nr && !err;
	     i = number_set_next(&tl->known, i + 1)) {
		t = tl->tracks[i];
		if (!known_until(tl, t, from))
			number_set_remove(&tl->known, i);
		if (t->state == certain(tl, t->state, t->cpu, from))
			continue;
		err = make_unknown(tl, i, from);
	}
	return err;
}

/* The thread is gone: /proc had none of it at the end. */
static bool gone(const struct timeline *tl, const struct track *t)
{
	return tl->has_stop && !t->stop && state_sleeps(t->state);
}

static int end_first(struct timeline *tl, __u32 i)
{
	struct track *t = tl->tracks[i];

	if (!t->start && tl->has_start) {
		t->begin = tl->end;
		t->since = tl->end;
	}
	/* Without any record its state did not change. */
	t->state = state_first(t->start, EV_WAKE, tl->end);
	return spend(tl, t, t->state, tl->end, 0);
}

int account_end(struct timeline *tl)
{
	struct track *t;
	__u32 i;
	int err = 0;

	for (i = 0; i < tl->nr && !err; i++) {
		t = tl->tracks[i];
		t->end = tl->end;
		if (t->state == STATE_FIRST) {
			err = end_first(tl, i);
		} else if (gone(tl, t)) {
			t->end = t->since;
		} else if (state_waits(t->state)) {
			err = blame_next(tl, t, tl->end);
			cpu_waiters_count(tl, t);
			wait_over(tl, t, tl->end);
			t->waits_still = tl->end - t->wait_from;
		} else {
			err = spend(tl, t, t->state, tl->end, 0);
			if (!err && t->state == STATE_ON_CPU)
				err = idle_in_guest(tl, t, tl->end);
		}
		/* Without any own sample it stays unknown. */
		if (!err && t->last_class < NR_ON_CPU)
			err = spend_class(tl, t, t->last_class);
	}
	return err;
}

/*
 * A gap in the samples of a vCPU that has its CPU may go on after this.  Of one that
 * is long enough to count, all that follows is idle, too; of another that is not
 * known yet.
 */
static int idle_until(struct timeline *tl, struct track *t)
{
	const __u64 last_own = t->last_own, idle = t->idle;
	const bool idles = t->idles;
	int err = idle_without_exit(tl, t, tl->end);

	t->idles = idles || t->idle != idle;
	t->last_own = t->idle != idle ? tl->end - tl->period : last_own;
	return err;
}

int account_until(struct timeline *tl)
{
	struct track *t;
	__u32 i;
	int err = 0;

	for (i = 0; i < tl->nr && !err; i++) {
		t = tl->tracks[i];
		t->end = tl->end;
		if (t->state == STATE_FIRST && !t->start && tl->has_start) {
			t->begin = tl->end; /* no record of it yet */
			t->since = tl->end;
		} else if (t->state == STATE_FIRST) {
			err = end_first(tl, i);
		} else if (state_waits(t->state)) {
			err = blame_next(tl, t, tl->end);
			cpu_waiters_count(tl, t);
		} else {
			err = spend(tl, t, t->state, tl->end, 0);
			if (!err && t->state == STATE_ON_CPU && t->hlt_native)
				err = idle_until(tl, t);
		}
	}
	return err;
}

void account_gone(struct timeline *tl, __u32 i)
{
	struct track *t = tl->tracks[i];

	if (t->state == STATE_FIRST)
		return;
	if (state_waits(t->state))
		cpu_waiters_remove(tl, t);
	if (t->cpu != VMMPROF_NONE && tl->pcpus[t->cpu].running == i)
		tl->pcpus[t->cpu].running = VMMPROF_NONE;
	t->state = STATE_FIRST;
	number_set_add(&tl->known, i);
	t->start = NULL;
	/* a new thread of that number begins with its first record */
	tl->has_start = true;
}
