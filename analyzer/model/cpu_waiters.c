// SPDX-License-Identifier: GPL-2.0-only
/* The vCPUs that wait for a CPU, and what was sampled there meanwhile. */

#include <string.h>

#include "model/timeline.h"
#include "model/timeline_internal.h"
#include "base/vec.h"

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

void cpu_waiters_remove(struct timeline *tl, struct track *t)
{
	struct pcpu *p;
	__u32 k;

	t->crowded = false;
	if (!t->waits)
		return;
	cpu_waiters_count(tl, t);
	t->waits = false;
	p = &tl->pcpus[t->cpu];
	for (k = 0; k + 1 < p->nr_waiting && p->waiting[k] != t; k++)
		;
	p->nr_waiting--;
	memmove(&p->waiting[k], &p->waiting[k + 1],
		(p->nr_waiting - k) * sizeof(*p->waiting));
}

int cpu_waiters_add(struct timeline *tl, struct track *t, __u32 pcpu)
{
	struct pcpu *p = &tl->pcpus[pcpu];
	int err;

	/* Bounded, because each switch visits all of them. */
	if (p->nr_waiting >= WAITERS_MAX) {
		t->crowded = true;
		tl->crowded++;
		return 0;
	}
	err = vec_grow(&p->waiting, &p->cap_waiting, p->nr_waiting,
		       sizeof(*p->waiting));
	if (err)
		return err;
	t->waits = true;
	t->here_from = t->since;
	t->seen_from = p->seen;
	t->seen_irq_from = p->seen_irq;
	p->waiting[p->nr_waiting++] = t;
	if (p->blamed > t->since)
		p->blamed = t->since;
	return 0;
}

/* Fewer are not worth it. */
#define EXPECT_FROM 5

void cpu_waiters_expect(const struct timeline *tl, const struct pcpu *p,
			const struct task_id *next)
{
	__u32 i, k, thief;

	if (p->nr_waiting < EXPECT_FROM)
		return;
	i = track_find(tl, next->pid, next->tid);
	if (i == VMMPROF_NONE || tl->tracks[i]->thief == VMMPROF_NONE)
		return;
	thief = tl->tracks[i]->thief;
	for (k = 0; k < p->nr_waiting; k++)
		__builtin_prefetch(
			hash_place(&tl->thieves.pairs,
				   stolen_key(p->waiting[k]->index, thief)));
}
