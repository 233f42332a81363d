// SPDX-License-Identifier: GPL-2.0-only
/* Finds the thief for each tick that a vCPU waits for a CPU. */

#include "model/spend.h"
#include "model/timeline.h"
#include "model/timeline_internal.h"
#include "base/saturate.h"

/*
 * Under a quota, a longer wait of a woken vCPU for an idle CPU is throttling
 * and no wake-up latency.
 */
#define WAKEUP_MS 1

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

/*
 * Where what that thief stole from each of these tracks is summed up, if it is
 * known: the sums are asked for here, as they are far apart.
 */
static void find_stolen(const struct timeline *tl, struct track *const *waits,
			__u32 nr, __u32 thief)
{
	const struct thieves *cs = &tl->thieves;
	struct track *t;
	__u32 k, at;

	for (k = 0; k < nr; k++) {
		t = waits[k];
		if (t->stolen_by != thief) {
			at = hash_get(&cs->pairs, stolen_key(t->index, thief));
			if (at == VMMPROF_NONE)
				continue;
			t->stolen = at;
			t->stolen_by = thief;
		}
		__builtin_prefetch(&cs->stolen[t->stolen], 1);
	}
}

/*
 * Accounts for the waits for a CPU, all of which began before @until, that one
 * task had.
 */
static int blame(struct timeline *tl, struct track *const *waits, __u32 nr,
		 const struct pcpu *p, __u64 until, const struct task_id *who)
{
	/* what they waited while SWITCH records were left out: for whom? */
	const __u64 nameless = p->nameless_until < until ? p->nameless_until :
							   until;
	__u32 thief = 0, k;
	struct track *t;
	int err = 0;

	if (who->tid && nameless < until) {
		err = thief_of(tl, who, &thief);
		find_stolen(tl, waits, nr, thief);
	}
	for (k = 0; k < nr && !err; k++) {
		t = waits[k];
		if (t->since < nameless)
			err = spend(tl, t, t->state, nameless, 0);
		/* what idling means differs from wait to wait */
		if (!err && !who->tid && nameless < until)
			err = thief_of_idle(tl, t, until, &thief);
		if (!err)
			err = spend_state(tl, t, t->state, until, thief);
	}
	return err;
}

static bool is_track(const struct task_id *who, const struct track *t)
{
	return who->tid == t->tid && who->pid == t->pid;
}

int blame_next(struct timeline *tl, struct track *t, __u64 until)
{
	const struct pcpu *p;
	struct task_id id;

	if (t->cpu == VMMPROF_NONE || t->crowded)
		return spend(tl, t, t->state, until, 0);
	p = &tl->pcpus[t->cpu];
	id.pid = p->next_pid;
	id.tid = p->next_tid;
	id.comm = p->next;
	id.tsc = until;
	if (p->running != VMMPROF_NONE) {
		id.pid = tl->tracks[p->running]->pid;
		id.tid = tl->tracks[p->running]->tid;
	} else if (p->next_tsc < t->here_from || !p->next_tsc ||
		   p->next_tsc < p->nameless_until) {
		return spend(tl, t, t->state, until, 0);
	}
	/* It is the task that came: its IN record is missing. */
	if (is_track(&id, t))
		return spend(tl, t, STATE_UNKNOWN, until, 0);
	return until > t->since ? blame(tl, &t, 1, p, until, &id) : 0;
}

/* All that wait for a CPU waited for @prev, which leaves it. */
static int blame_prev(struct timeline *tl, struct pcpu *p, __u64 tsc,
		      const struct task_id *prev)
{
	struct track *t, *waits[WAITERS_MAX];
	__u32 i, nr = 0;

	p->blamed = tsc;
	for (i = p->nr_waiting; i--;) {
		t = p->waiting[i];
		/* It leaves, so it cannot have waited: its IN is missing. */
		if (is_track(prev, t))
			p->blamed = 0;
		else if (tsc > t->since)
			waits[nr++] = t;
	}
	return nr ? blame(tl, waits, nr, p, tsc, prev) : 0;
}

int account_switch(struct timeline *tl, __u32 pcpu, __u64 tsc,
		   const struct task_id *prev, const struct task_id *next)
{
	struct pcpu *p = &tl->pcpus[pcpu];
	int err = 0;

	/* OUT and IN of one switch have one time */
	if (tsc > p->blamed && p->nr_waiting) {
		err = blame_prev(tl, p, tsc, prev);
		cpu_waiters_expect(tl, p, next);
	}
	p->next_tsc = tsc;
	p->next_pid = next->pid;
	p->next_tid = next->tid;
	__builtin_memcpy(p->next, next->comm, sizeof(p->next));
	return err;
}

int account_vcpu_nameless(struct timeline *tl, __u32 pcpu, __u64 from, __u64 to)
{
	struct pcpu *p;
	__u32 i, k;
	int err = 0;

	for (i = pcpu == VMMPROF_NONE ? 0 : pcpu; i < tl->nr_pcpus && !err;
	     i++) {
		if (pcpu != VMMPROF_NONE && i != pcpu)
			break;
		p = &tl->pcpus[i];
		for (k = p->nr_waiting; k-- && !err;)
			err = blame_next(tl, p->waiting[k], from);
		if (to > p->nameless_until)
			p->nameless_until = to;
	}
	return err;
}
