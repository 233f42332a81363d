/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Who took the time that vCPUs waited for a CPU: one entry for each vCPU and
 * each program that did, and how much of whose time.
 */
#ifndef VMMPROF_MODEL_CULPRIT_H
#define VMMPROF_MODEL_CULPRIT_H

#include <stdbool.h>

#include <vmmprof/record.h>

#include "base/hash.h"
#include "base/saturate.h"
#include "sym/strings.h"

/* More programs than this are counted as one. */
#define VMMPROF_CULPRITS_MAX 4096
#define VMMPROF_THEFTS_MAX   1000000

enum vmmprof_culprit_kind {
	/*
	 * which CPU it waited for is not known, or the records that say who
	 * had it were left out; always entry number 0
	 */
	VMMPROF_BY_UNKNOWN = 0,
	VMMPROF_BY_VCPU,
	VMMPROF_BY_PROCESS,
	VMMPROF_BY_KTHREAD,
	VMMPROF_BY_IRQ, /* ksoftirqd, threads of interrupts */
	/* nobody: the CPU was idle */
	VMMPROF_BY_WAKEUP, /* it was woken, and the CPU had to wake up */
	VMMPROF_BY_QUOTA,  /* its cgroup had used up its quota */
	VMMPROF_BY_NOBODY, /* affinity, core scheduling, or not known */
	VMMPROF_NR_BY
};

struct vmmprof_culprit {
	__u8 kind;    /* enum vmmprof_culprit_kind */
	bool several; /* processes of that name */
	__u32 pid;    /* of the VM with BY_VCPU, else of the process */
	__u32 id;     /* BY_VCPU: track; with a name: string id */
};

/* Ticks that a culprit took from a vCPU. */
struct vmmprof_theft {
	__u32 track, culprit;
	__u64 preempted, woken; /* ticks, by the victim's state */
	__u64 longest;		/* stretch at one go */
};

struct vmmprof_culprits {
	struct vmmprof_culprit *culprits;
	struct vmmprof_theft *thefts;
	size_t nr, cap, nr_thefts, cap_thefts;
	struct vmmprof_hash by_key; /* kind << 32 | id -> culprit */
	struct vmmprof_hash pairs;  /* track << 32 | culprit -> theft */
	struct vmmprof_strings names;
};

/* A zeroed struct is empty. */
void vmmprof_culprits_deinit(struct vmmprof_culprits *cs);

/*
 * The entry of a kind that needs no name (BY_UNKNOWN, BY_WAKEUP and so on: id
 * 0) or of a vCPU (id: its track).  0 or -ENOMEM.
 */
int vmmprof_culprit_plain(struct vmmprof_culprits *cs, unsigned int kind,
			  __u32 pid, __u32 id, __u32 *ret);

/* The entry of a program: comm has 16 bytes.  0 or -ENOMEM. */
int vmmprof_culprit_named(struct vmmprof_culprits *cs, unsigned int kind,
			  __u32 pid, const char *comm, __u32 *ret);

/*
 * Book ticks of a wait in state @woken or preempted.  0 or -ENOMEM.
 */
int vmmprof_culprits_book(struct vmmprof_culprits *cs, __u32 track,
			  __u32 culprit, bool woken, __u64 ticks);

/*
 * What a kernel thread of that name does: BY_KTHREAD or BY_IRQ; BY_PROCESS for
 * a name that no kernel thread has.
 */
unsigned int vmmprof_culprit_kthread_kind(const char *comm);

/* What it took in either state. */
static inline __u64 vmmprof_theft_ticks(const struct vmmprof_theft *t)
{
	return vmmprof_sat_add(t->preempted, t->woken);
}

/* Is the kind one of "nobody"? */
static inline bool vmmprof_by_nobody(unsigned int kind)
{
	return kind >= VMMPROF_BY_WAKEUP;
}

/* One word, never NULL. */
const char *vmmprof_culprit_key(unsigned int kind);

#endif /* VMMPROF_MODEL_CULPRIT_H */
