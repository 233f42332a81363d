/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The parts of a timeline: vCPUs' threads and CPUs (threads.c), the state of
 * each vCPU (vcpu_accounting.c), those that wait for a CPU (cpu_waiters.c), the
 * order of records (tsc_order.c).
 */
#ifndef MODEL_TIMELINE_INTERNAL_H
#define MODEL_TIMELINE_INTERNAL_H

#include "model/timeline_state.h"

/* A task as switch records name it. */
struct task_id {
	__u32 pid, tid;
	const char *comm; /* 16 bytes */
	__u64 tsc; /* when: its pid may be another process's at another time */
};

/* The machine of the host, NULL: it has none (yet). */
static inline const struct machine *timeline_host(const struct timeline *tl)
{
	const struct resolver *r = &tl->a->resolver;

	return r->nr_machines ? r->machines[0] : NULL;
}

/*
 * The track of a vCPU's thread, made if there is none; vcpu_id may be
 * VMMPROF_NONE.  VMMPROF_NONE in *ret: there are too many.  0 or -ENOMEM.
 */
int track_get(struct timeline *tl, __u32 pid, __u32 tid, __u32 vcpu_id,
	      __u32 *ret);

int pcpu_new(struct timeline *tl, __u32 cpu, __u32 *ret);

/* Index of a CPU, made if there is none.  0 or -ENOMEM. */
static inline int pcpu_get(struct timeline *tl, __u32 cpu, __u32 *ret)
{
	*ret = small_numbers_get(&tl->by_cpu, cpu);
	return *ret != VMMPROF_NONE ? 0 : pcpu_new(tl, cpu, ret);
}

/*
 * A track waits for that CPU from now on.  With very many others it is not one of
 * the CPU's list: it is .crowded.  0 or -ENOMEM.
 */
int cpu_waiters_add(struct timeline *tl, struct track *t, __u32 pcpu);

/* It waits no longer. */
void cpu_waiters_remove(struct timeline *tl, struct track *t);

/*
 * A sample of what a CPU does, maybe while vCPUs wait for it: of track @i, which may
 * be one of them, or another task (VMMPROF_NONE).  @counts: it does.
 */
static inline void cpu_waiters_sample(struct timeline *tl, __u32 i, __u32 pcpu,
				      bool counts, bool irq)
{
	struct track *t;

	/* without asking for waiters, who look at differences */
	tl->pcpus[pcpu].seen += counts;
	tl->pcpus[pcpu].seen_irq += counts & irq;
	if (i == VMMPROF_NONE)
		return;
	t = tl->tracks[i];
	if (t->waits && t->cpu == pcpu) {
		t->seen_from += counts;
		t->seen_irq_from += counts & irq;
	}
}

/*
 * Those who wait for a CPU will mostly have waited for @next, which comes there
 * now: what tells where that is summed up is in the CPU's cache by then.
 */
void cpu_waiters_expect(const struct timeline *tl, const struct pcpu *p,
			const struct task_id *next);

/* Such samples until now are in the sums of a track, if it waits. */
void cpu_waiters_count(const struct timeline *tl, struct track *t);

/* The thief that a task is.  0 or -ENOMEM. */
int thief_of(struct timeline *tl, const struct task_id *id, __u32 *ret);

/*
 * The owner of a task that is no vCPU's; kind: as a thief; @im: what the host's
 * map file says of its process then, NULL: nothing.  0 or -ENOMEM.
 */
int owner_of(struct timeline *tl, unsigned int kind, const struct task_id *id,
	     const struct image *im, __u32 *ret);

/*
 * Take note of an event of track i on a CPU, at a time within the measurement.
 * 0 or -errno.
 */
int account_event(struct timeline *tl, __u32 i, enum vcpu_event event,
		  __u32 pcpu, __u64 tsc);

/*
 * @prev left the CPU for @next: vCPUs that waited for it waited because of
 * @prev.
 */
int account_switch(struct timeline *tl, __u32 pcpu, __u64 tsc,
		   const struct task_id *prev, const struct task_id *next);

/*
 * A wait that ends without a switch on the CPU: the task that came there last
 * still has it.  0 or -errno.
 */
int blame_next(struct timeline *tl, struct track *t, __u64 until);

/*
 * An own sample found a vCPU on its CPU: what it was there for since the one
 * before is known.  0 or -errno.
 */
int account_own(struct timeline *tl, struct track *t, unsigned int class,
		__u32 pcpu, __u64 tsc);

/*
 * Nothing else than track @is (VMMPROF_NONE) has the CPU now, if the record is a
 * @proof of that, which is asked last: mostly no other track is there.
 */
static inline int account_taken(struct timeline *tl, __u32 pcpu, __u64 tsc,
				__u32 is, bool proof)
{
	const __u32 i = tl->pcpus[pcpu].running;

	return i == VMMPROF_NONE || i == is || !proof ?
		       0 :
		       account_event(tl, i, EV_NOT_HERE, pcpu, tsc);
}

/* Switch records of a CPU (VMMPROF_NONE: all) are missing from now on. */
int account_loss(struct timeline *tl, __u32 pcpu, __u64 from, __u64 to);
/* From there on the CPU has no records: vCPUs are unknown until one elsewhere. */
int account_cut(struct timeline *tl, __u32 pcpu, __u64 from);

/*
 * SWITCH records of a CPU (VMMPROF_NONE: all) were left out from @from to @to:
 * the thief of a vCPU that waits for it then is unknown.
 */
int account_vcpu_nameless(struct timeline *tl, __u32 pcpu, __u64 from,
			  __u64 to);

/*
 * Check the order of records at an event of t, before it is accounted for.
 * @missing: a record before it must be missing.
 */
void note_order(struct timeline *tl, struct track *t, enum vcpu_event event,
		__u32 pcpu, __u64 tsc, bool missing);

/* Account for all tracks until the end of the measurement. */
int account_end(struct timeline *tl);

/* Account for all tracks until tl->end; they go on. */
int account_until(struct timeline *tl);

/* Track i has ended. */
void account_gone(struct timeline *tl, __u32 i);

#endif /* MODEL_TIMELINE_INTERNAL_H */
