// SPDX-License-Identifier: GPL-2.0-only
/* The vCPUs that wait for a CPU, and what was sampled there meanwhile. */

#include "model/timeline_internal.h"

void cpu_waiters_sample(struct timeline *tl, __u32 i, __u32 pcpu, bool irq)
{
	struct track *t = i == VMMPROF_NONE ? NULL : tl->tracks[i];

	tl->pcpus[pcpu].seen++;
	tl->pcpus[pcpu].seen_irq += irq;
	if (t && t->waits && t->cpu == pcpu) {
		t->seen_from++;
		t->seen_irq_from += irq;
	}
}

void cpu_waiters_count(const struct timeline *tl, struct track *t)
{
	const struct pcpu *p;

	if (!t->waits)
		return;
	p = &tl->pcpus[t->cpu];
	t->nr_waiting_samples += p->seen - t->seen_from;
	t->nr_waiting_irq += p->seen_irq - t->seen_irq_from;
	t->seen_from = p->seen;
	t->seen_irq_from = p->seen_irq;
}

void cpu_waiters_remove(struct timeline *tl, __u32 i)
{
	struct track *t = tl->tracks[i];

	t->crowded = false;
	if (!t->waits)
		return;
	cpu_waiters_count(tl, t);
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

void cpu_waiters_add(struct timeline *tl, __u32 i, __u32 pcpu)
{
	struct track *t = tl->tracks[i];
	struct pcpu *p = &tl->pcpus[pcpu];

	/* Bounded, because each switch visits all of them. */
	if (p->nr_waiting >= WAITERS_MAX) {
		t->crowded = true;
		tl->crowded++;
		return;
	}
	t->waits = true;
	t->seen_from = p->seen;
	t->seen_irq_from = p->seen_irq;
	p->nr_waiting++;
	if (p->blamed > t->since)
		p->blamed = t->since;
	t->prev = VMMPROF_NONE;
	t->next = p->waiting;
	if (t->next != VMMPROF_NONE)
		tl->tracks[t->next]->prev = i;
	p->waiting = i;
}
