// SPDX-License-Identifier: GPL-2.0-only
/*
 * Counts each tick of a vCPU in one state, and each tick of waiting for the
 * thief that had the CPU.
 */

#include <stdlib.h>

#include "model/timeline.h"
#include "model/timeline_internal.h"
#include "base/saturate.h"
#include "base/vec.h"

/*
 * Under a quota, a longer wait of a woken vCPU for an idle CPU is throttling
 * and no wake-up latency.
 */
#define WAKEUP_MS 1

/* Where the ticks of a vCPU on a CPU are summed up.  0 or -ENOMEM. */
static int residency_of(struct timeline *tl, __u32 i, __u32 pcpu)
{
	__u64 key = (__u64)i << 32 | pcpu;
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
		tl->residency[p] = (struct cpu_residency){ .track = i,
							   .pcpu = pcpu };
	}
	tl->tracks[i]->on_pcpu = pcpu;
	tl->tracks[i]->on_residency = p;
	return 0;
}

static inline int residency(struct timeline *tl, __u32 i, __u32 pcpu,
			    __u64 ticks)
{
	const struct track *t = tl->tracks[i];
	int err = t->on_pcpu == pcpu ? 0 : residency_of(tl, i, pcpu);

	if (err)
		return err;
	sat_sum(&tl->residency[t->on_residency].ticks, ticks);
	sat_sum(&tl->pcpus[pcpu].vcpus, ticks);
	return 0;
}

/* A thief had the CPU that track i waited for, from then until then. */
static int steal(struct timeline *tl, __u32 i, __u32 thief, bool woken,
		 __u64 from, __u64 until)
{
	int err = thieves_add(&tl->thieves, i, thief, woken, until - from);

	return err ? err :
		     steal_times_add(&tl->times, tl->tracks[i]->guest,
				     tl->thieves.thieves[thief].owner, from,
				     until);
}

/* Ticks of a state that are counted. */
static __always_inline int spend_part(struct timeline *tl, __u32 i,
				      unsigned int state, __u64 from,
				      __u64 until, __u32 thief)
{
	struct track *t = tl->tracks[i];
	int err = 0;

	sat_sum(&t->ticks[state], until - from);
	if (state == STATE_ON_CPU) {
		err = residency(tl, i, t->cpu, until - from);
		sat_sum(&t->unsampled, until - from);
	} else if (state_waits(state)) {
		err = steal(tl, i, thief, state == STATE_WOKEN, from, until);
	} else if (state == STATE_UNKNOWN && t->cpu != VMMPROF_NONE) {
		sat_sum(&tl->pcpus[t->cpu].unknown, until - from);
	}
	if (!err && tl->stretch)
		err = tl->stretch(tl->stretch_arg, t, state, from, until,
				  state_waits(state) ? thief : VMMPROF_NONE);
	return err;
}

/* The state had by track i until now; thief: of a wait, by index. */
static __always_inline int spend_state(struct timeline *tl, __u32 i,
				       unsigned int state, __u64 until,
				       __u32 thief)
{
	struct track *t = tl->tracks[i];
	__u64 from = t->since;
	struct time_range part;
	int err = 0;

	if (until <= from)
		return 0;
	t->since = until;
	if (!tl->a->time)
		return spend_part(tl, i, state, from, until, thief);
	while (!err && time_ranges_cut(tl->a->time, &from, until, &part))
		err = spend_part(tl, i, state, part.from, part.to, thief);
	return err;
}

static int spend(struct timeline *tl, __u32 i, unsigned int state, __u64 until,
		 __u32 thief)
{
	return spend_state(tl, i, state, until, thief);
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

/* The thief where the CPU idled while this vCPU was runnable. */
static int thief_of_idle(struct timeline *tl, const struct track *t,
			 __u64 until, __u32 *ret)
{
	unsigned int kind = t->state == STATE_WOKEN ? BY_WAKEUP : BY_NOBODY;

	if (timeline_throttled(tl, t) &&
	    (kind == BY_NOBODY ||
	     until - t->since > sat_mul(WAKEUP_MS, tl->khz)))
		kind = BY_QUOTA;
	return thief_plain(&tl->thieves, kind, ret);
}

/* What a track waited while SWITCH records were left out. */
static int blame_unknown(struct timeline *tl, __u32 i, __u64 until)
{
	struct track *t = tl->tracks[i];
	__u64 nameless = tl->pcpus[t->cpu].nameless_until;

	if (nameless > until)
		nameless = until;
	return spend(tl, i, t->state, nameless, 0);
}

/*
 * Accounts for the wait of a vCPU for the CPU that one task had, as @thief;
 * VMMPROF_NONE: it is found and set.
 */
static int blame(struct timeline *tl, __u32 i, __u64 until,
		 const struct task_id *who, __u32 *thief)
{
	struct track *t = tl->tracks[i];
	__u32 idle;
	int err;

	err = blame_unknown(tl, i, until);
	if (err || until <= t->since)
		return err;
	if (!who->tid) {
		thief = &idle; /* what it means differs from wait to wait */
		err = thief_of_idle(tl, t, until, thief);
	} else if (*thief == VMMPROF_NONE) {
		err = thief_of(tl, who, thief);
	}
	return err ? err : spend(tl, i, t->state, until, *thief);
}

static bool is_track(const struct task_id *who, const struct track *t)
{
	return who->tid == t->tid && who->pid == t->pid;
}

/*
 * A wait that ends without a switch on the CPU: the task that came there last
 * still has it.
 */
static int blame_next(struct timeline *tl, __u32 i, __u64 until)
{
	struct track *t = tl->tracks[i];
	__u32 thief = VMMPROF_NONE;
	const struct pcpu *p;
	struct task_id id;

	if (t->cpu == VMMPROF_NONE || t->crowded)
		return spend(tl, i, t->state, until, 0);
	p = &tl->pcpus[t->cpu];
	id.pid = p->next_pid;
	id.tid = p->next_tid;
	id.comm = p->next;
	if (p->running != VMMPROF_NONE) {
		id.pid = tl->tracks[p->running]->pid;
		id.tid = tl->tracks[p->running]->tid;
	} else if (p->next_tsc < t->since || !p->next_tsc ||
		   p->next_tsc < p->nameless_until) {
		return spend(tl, i, t->state, until, 0);
	}
	/* It is the task that came: its IN record is missing. */
	if (is_track(&id, t))
		return spend(tl, i, STATE_UNKNOWN, until, 0);
	return until > t->since ? blame(tl, i, until, &id, &thief) : 0;
}

/* All that wait for a CPU waited for @prev, which leaves it. */
static int blame_prev(struct timeline *tl, struct pcpu *p, __u64 tsc,
		      const struct task_id *prev)
{
	__u32 thief = VMMPROF_NONE, i;
	const struct track *t;
	int err = 0;

	p->blamed = tsc;
	cpu_waiters_prefetch(tl, p, prev);
	for (i = p->waiting; i != VMMPROF_NONE && !err; i = t->next) {
		t = tl->tracks[i];
		/* It leaves, so it cannot have waited: its IN is missing. */
		if (is_track(prev, t))
			p->blamed = 0;
		else if (tsc > t->since)
			err = blame(tl, i, tsc, prev, &thief);
	}
	return err;
}

int account_switch(struct timeline *tl, __u32 pcpu, __u64 tsc,
		   const struct task_id *prev, const struct task_id *next)
{
	struct pcpu *p = &tl->pcpus[pcpu];
	int err = 0;

	/* OUT and IN of one switch have one time */
	if (tsc > p->blamed && p->nr_waiting)
		err = blame_prev(tl, p, tsc, prev);
	p->next_tsc = tsc;
	p->next_pid = next->pid;
	p->next_tid = next->tid;
	__builtin_memcpy(p->next, next->comm, sizeof(p->next));
	return err;
}

/*
 * With HLT exiting off, a CPU that counts no cycles is idle in the guest: of
 * the time between two samples only one period was run.  A gap counts from
 * one and a half periods on.
 */
static int idle_without_exit(const struct timeline *tl, struct track *t,
			     __u64 tsc)
{
	__u64 from = sat_add(t->last_own, tl->period), ticks;
	struct time_range part;
	int err = 0;

	if (!tl->period || tsc <= t->last_own ||
	    tsc - t->last_own <= tl->period + tl->period / 2)
		from = tsc;
	t->last_own = tsc;
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
	t->next = VMMPROF_NONE;
	t->prev = VMMPROF_NONE;
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
	if (tsc >= tl->lossy_until)
		return state;
	if (state == STATE_ON_CPU && tsc >= tl->pcpus[pcpu].lossy_until)
		return state;
	return STATE_UNKNOWN;
}

static void enter(struct timeline *tl, __u32 i, unsigned int state, __u32 pcpu,
		  __u64 tsc)
{
	struct track *t = tl->tracks[i];

	if (state_waits(t->state))
		cpu_waiters_remove(tl, i);
	if (t->state == STATE_ON_CPU && tl->pcpus[t->cpu].running == i)
		tl->pcpus[t->cpu].running = VMMPROF_NONE;
	t->state = certain(tl, state, pcpu, tsc);
	t->cpu = pcpu;
	if (t->state != STATE_UNKNOWN)
		number_set_add(&tl->known, i);
	if (t->state == STATE_ON_CPU) {
		tl->pcpus[pcpu].running = i;
		t->last_own = tsc;
	} else if (state_waits(t->state)) {
		cpu_waiters_add(tl, i, pcpu);
		t->wait_from = tsc;
	}
}

/* A vCPU is seen on the CPU that it was on. */
static __always_inline int still_here(struct timeline *tl, struct track *t,
				      __u64 tsc)
{
	int err = spend_state(tl, t->index, STATE_ON_CPU, tsc, 0);

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
		err = blame_next(tl, i, tsc);
		cpu_waiters_remove(tl, i);
		t->cpu = pcpu;
		cpu_waiters_add(tl, i, pcpu);
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
	err = spend(tl, i, step.before, tsc, 0);
	if (!err && step.before == STATE_ON_CPU && t->state == STATE_ON_CPU)
		err = idle_in_guest(tl, t, tsc);
	if (event == EV_IN && state_waits(step.before))
		wait_over(tl, t, tsc);
	if (event == EV_IN && step.before == STATE_WOKEN &&
	    time_ranges_has(tl->a->time, tsc))
		log_histogram_add(&t->latency, tsc - t->wait_from);
	if (!err)
		enter(tl, i, step.after, pcpu, tsc);
	return err;
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
		if (t->state == STATE_FIRST && t->start &&
		    (from > t->start->tsc || t->start->tsc <= tl->begin))
			t->state = state_first(t->start, EV_WAKE, from);
		if (t->state == STATE_FIRST)
			t->state = STATE_UNKNOWN;
		if (t->state == STATE_UNKNOWN)
			number_set_remove(&tl->known, i);
		if (t->state == certain(tl, t->state, t->cpu, from))
			continue;
		if (state_waits(t->state))
			err = blame_next(tl, i, from);
		else
			err = spend(tl, i, t->state, from, 0);
		if (!err)
			enter(tl, i, STATE_UNKNOWN, t->cpu, from);
		number_set_remove(&tl->known, i);
	}
	return err;
}

int account_vcpu_nameless(struct timeline *tl, __u32 pcpu, __u64 from, __u64 to)
{
	__u32 i, w;
	int err = 0;

	for (i = pcpu == VMMPROF_NONE ? 0 : pcpu; i < tl->nr_pcpus && !err;
	     i++) {
		if (pcpu != VMMPROF_NONE && i != pcpu)
			break;
		for (w = tl->pcpus[i].waiting; w != VMMPROF_NONE && !err;
		     w = tl->tracks[w]->next)
			err = blame_next(tl, w, from);
		if (to > tl->pcpus[i].nameless_until)
			tl->pcpus[i].nameless_until = to;
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
	return spend(tl, i, t->state, tl->end, 0);
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
			err = blame_next(tl, i, tl->end);
			cpu_waiters_count(tl, t);
			wait_over(tl, t, tl->end);
			t->waits_still = tl->end - t->wait_from;
		} else {
			err = spend(tl, i, t->state, tl->end, 0);
			if (!err && t->state == STATE_ON_CPU)
				err = idle_in_guest(tl, t, tl->end);
		}
		/* Without any own sample it stays unknown. */
		if (!err && t->last_class < NR_ON_CPU)
			err = spend_class(tl, t, t->last_class);
	}
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
			err = blame_next(tl, i, tl->end);
			cpu_waiters_count(tl, t);
		} else {
			err = spend(tl, i, t->state, tl->end, 0);
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
		cpu_waiters_remove(tl, i);
	if (t->cpu != VMMPROF_NONE && tl->pcpus[t->cpu].running == i)
		tl->pcpus[t->cpu].running = VMMPROF_NONE;
	t->state = STATE_FIRST;
	number_set_add(&tl->known, i);
	t->start = NULL;
	/* a new thread of that number begins with its first record */
	tl->has_start = true;
}
