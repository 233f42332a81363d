/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * One vCPU in time: what state it is in, and the sums of the time it spent in
 * each.  A vCPU is (pid of its VMM, vcpu_id); its thread is found by tid, and
 * tids and VPIDs are used again.
 */
#ifndef MODEL_TRACK_H
#define MODEL_TRACK_H

#include "model/log_histogram.h"
#include "model/resolve.h"
#include "model/vcpu_state.h"
#include "sym/exits.h"

/* Classes of a vCPU's own samples; VMM_EXIT + n: handling of exit reason n. */
enum on_cpu {
	ON_GUEST_KERNEL,
	ON_GUEST_USER,
	ON_GUEST_OTHER, /* neither by its CPL, or not readable */
	ON_VMM_USER,	/* QEMU */
	ON_POLL,	/* halt-polling: host kernel, reason HLT */
	ON_VMM_NONE,	/* host kernel, outside of KVM_RUN */
	ON_VMM_HARDIRQ, /* interrupts of the host, on the vCPU's thread */
	ON_VMM_SOFTIRQ,
	ON_VMM_EXIT,
};

#define NR_ON_CPU (ON_VMM_EXIT + EXIT_REASONS) /* exit_place() */

struct track {
	/* each switch on a CPU changes these of all vCPUs that wait for it */
	__u32 index; /* in the timeline */
	__u32 pid;
	__u32 tid;
	__u32 guest;	    /* index in resolver.guests */
	__u8 state;	    /* enum vcpu_state */
	bool waits;	    /* one of its CPU's list */
	bool crowded;	    /* waits, but there were too many in that list */
	bool hlt_native;    /* HLT makes no exit (cpu-pm=on) */
	bool idles;	    /* in its guest: the gap counts, and goes on */
	bool replaced;	    /* another thread is this vCPU now */
	bool began_waiting; /* it waited already when the measurement began */
	__u32 cpu;	    /* it is on, waits for, or was on; VMMPROF_NONE */
	/* the last thief of what it waited for, VMMPROF_NONE, and its entry */
	__u32 stolen_by, stolen;
	__u64 since;		/* accounted up to here */
	__u64 ticks[NR_STATES]; /* in each, of the host TSC */

	__u32 vcpu_id; /* VMMPROF_NONE: not known */
	__u32 thief;   /* as one, VMMPROF_NONE: not yet */
	/* what /proc said at the start and at the end; NULL: nothing */
	const struct vmmprof_info_vcpu_state *start, *stop;
	__u64 wait_from;
	__u64 here_from; /* waits for its CPU: switches there are known */
	__u64 seen_from, seen_irq_from; /* of its CPU: counted up to here */
	__u64 last_own;	  /* its own last sample or the time it came in */
	__u64 unsampled;  /* ticks on a CPU since its own last sample */
	__u16 last_class; /* of that sample, NR_ON_CPU: none yet */
	__u32 on_pcpu, on_residency; /* where it had a CPU last, and its sum */
	/* for the order of records: what came before it could */
	bool came_early;	       /* in, from early_from (NONE: asleep) */
	bool woken_early;	       /* woken by early_waker while it ran */
	__u32 early_from, early_waker; /* CPUs' numbers */

	/* sums, in ticks of the host TSC */
	__u64 begin, end; /* it was there from, until */
	__u64 idle;	  /* of ON_CPU: idle in guest with hlt_native */
	__u64 longest;	  /* wait; from longest_at on */
	__u64 longest_at;
	__u64 waits_still;	  /* at the end: the wait that is not over */
	__u64 switches;		  /* OUT records */
	__u64 missing;		  /* times a record must be missing */
	__u64 late;		  /* records older than what is accounted */
	__u64 nr_waiting_samples; /* of others on the CPU it waited for */
	__u64 nr_waiting_irq;	  /* of them in interrupts of the host */
	__u64 on_cpu[NR_ON_CPU];  /* own samples by class */
	__u64 own_samples;
	/*
	 * Of ON_CPU, without .idle: each tick is of the class of the next own
	 * sample, after the last one of that one's.
	 */
	__u64 on_ticks[NR_ON_CPU];
	/* of them in the guest, by enum mode, that no bucket has: guest_time.h */
	__u64 bare[NR_MODES];
	struct log_histogram latency; /* woken to run */
};

/* What of the host a sample interrupted. */
enum sample_irq { IRQ_NONE, IRQ_HARD, IRQ_SOFT };

static inline enum sample_irq sample_irq(const struct vmmprof_rec_sample *s)
{
	if ((s->preempt >> VMMPROF_PREEMPT_HARDIRQ_SHIFT & 0xf) > 1)
		return IRQ_HARD;
	return s->preempt & VMMPROF_PREEMPT_SOFTIRQ ? IRQ_SOFT : IRQ_NONE;
}

/* The class of a vCPU's own sample in the host. */
unsigned int track_host_class(const struct bucket_key *key, bool loaded,
			      enum sample_irq irq);

/*
 * Parts of whole in proportion to counts[0..nr), exact: their sum is whole,
 * unless all counts are 0; then all parts are.
 */
void split_ticks(__u64 whole, const __u64 *counts, size_t nr, __u64 *parts);

/* Without switch records: its ticks on a CPU, in proportion to its samples. */
void track_by_samples(struct track *t);

/* What a vCPU's line says; the first six sum to end - begin. */
struct track_sum {
	__u64 guest, vmm, steal, halt, blocked, unknown;
	/* parts of them */
	__u64 preempted, woken;	  /* steal */
	__u64 asleep, poll, idle; /* halt */
	__u64 not_sampled;	  /* unknown: on a CPU, but without a sample */
	__u64 on[NR_ON_CPU];	  /* guest, vmm and poll by class */
};

void track_sum(const struct track *t, struct track_sum *ret);
void track_sum_add(struct track_sum *to, const struct track_sum *from);

#endif /* MODEL_TRACK_H */
