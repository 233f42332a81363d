// SPDX-License-Identifier: GPL-2.0-only
/*
 * Finds records that cannot have been written in the order of their TSCs.  Two
 * cases: a thread comes in although it sleeps or runs elsewhere, and only then
 * another CPU has its wake-up or its leaving; or it is woken while it still
 * runs, then sleeps and comes in without a wake-up.  No record is missing then:
 * the CPUs' TSCs differ.
 */

#include "model/timeline_internal.h"

static void disorder(struct timeline *tl, __u32 a, __u32 b)
{
	if (a == b)
		return;
	tl->disorder.pairs++;
	tl->disorder.cpu[0] = a;
	tl->disorder.cpu[1] = b;
}

void note_order(struct timeline *tl, struct track *t, enum vcpu_event event,
		__u32 pcpu, __u64 tsc, bool missing)
{
	__u32 cpu = tl->pcpus[pcpu].cpu;

	switch (event) {
	case EV_IN:
		t->came_early = missing && tsc >= tl->lossy_until;
		t->early_from = t->state == STATE_ON_CPU ?
					tl->pcpus[t->cpu].cpu :
					VMMPROF_NONE;
		if (t->came_early && t->woken_early && state_sleeps(t->state)) {
			disorder(tl, t->early_waker, tl->pcpus[t->cpu].cpu);
			t->came_early = false;
		}
		t->woken_early = false;
		return;
	case EV_WAKE:
		if (t->came_early && t->early_from == VMMPROF_NONE)
			disorder(tl, tl->a->rec_cpu, cpu);
		t->woken_early = !t->came_early && t->state == STATE_ON_CPU;
		t->early_waker = tl->a->rec_cpu;
		t->came_early = false;
		return;
	case EV_SEEN:
		t->came_early &= cpu == t->early_from;
		return;
	case EV_OUT_PREEMPTED:
	case EV_OUT_HALT:
	case EV_OUT_BLOCKED:
		if (t->came_early && cpu == t->early_from)
			disorder(tl, cpu, tl->pcpus[t->cpu].cpu);
		t->came_early = false;
		return;
	default:
		return;
	}
}
