// SPDX-License-Identifier: GPL-2.0-only
/* The vCPUs that wait for a CPU, and what was sampled there meanwhile. */

#include "model/timeline.h"
#include "model/timeline_internal.h"

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

/* Fewer are not worth it. */
#define PREFETCH_FROM 5

void cpu_waiters_prefetch(const struct timeline *tl, const struct pcpu *p,
			  const struct task_id *prev)
{
	__u32 i, n = 0, prev_thief, waiting[WAITERS_MAX];

	if (p->nr_waiting < PREFETCH_FROM)
		return;
	i = track_find(tl, prev->pid, prev->tid);
	if (i == VMMPROF_NONE || tl->tracks[i]->thief == VMMPROF_NONE)
		return;
	prev_thief = tl->tracks[i]->thief;
	for (i = p->waiting; i != VMMPROF_NONE; i = tl->tracks[i]->next)
		waiting[n++] = i;
	thieves_prefetch(&tl->thieves, waiting, n, prev_thief);
}
