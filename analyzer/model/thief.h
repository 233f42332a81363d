/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Who took the time that vCPUs waited for a CPU: one entry for each vCPU and
 * each program that did, and how much of whose time.
 */
#ifndef MODEL_THIEF_H
#define MODEL_THIEF_H

#include <stdbool.h>

#include <vmmprof/record.h>

#include "base/groups.h"
#include "base/hash.h"
#include "base/saturate.h"
#include "model/owner.h"
#include "model/steal_times.h"
#include "sym/strings.h"

/* More programs than this are counted as one. */
#define THIEVES_MAX	 4096
#define STOLEN_TIMES_MAX 1000000

enum thief_kind {
	/*
	 * which CPU it waited for is not known, or the records that say who
	 * had it were left out; always entry number 0
	 */
	BY_UNKNOWN = 0,
	BY_VCPU,
	BY_PROCESS,
	BY_KTHREAD,
	BY_IRQ, /* ksoftirqd, threads of interrupts */
	/* nobody: the CPU was idle */
	BY_WAKEUP, /* it was woken, and the CPU had to wake up */
	BY_QUOTA,  /* its cgroup had used up its quota */
	BY_NOBODY, /* affinity, core scheduling, or not known */
	NR_BY
};

struct thief {
	__u8 kind;    /* enum thief_kind */
	bool several; /* processes of that name */
	__u32 pid;    /* of the VM with BY_VCPU, else of the process */
	__u32 id;     /* BY_VCPU: track; with a name: string id */
	__u32 owner;  /* index in .owners */
};

/* Ticks that a thief took from a vCPU: half a cache line of the CPU's. */
struct stolen_time {
	__u16 track;
	__u16 pair; /* in steal_times, of the timeline's; STEAL_PAIR_UNSET */
	__u32 thief;
	__u64 preempted, woken; /* ticks, by the victim's state */
	__u64 longest;		/* stretch at one go */
};

struct thieves {
	struct thief *thieves;
	struct stolen_time *stolen;
	size_t nr, cap, nr_stolen, cap_stolen;
	struct hash by_key; /* kind << 56 | owner << 32 | id -> thief */
	struct hash pairs;  /* track << 32 | thief -> stolen_time */
	struct strings names;
	struct owners owners;
	struct groups by_track; /* of .stolen, after the pass */
};

/* A zeroed struct is empty. */
void thieves_deinit(struct thieves *cs);

/* The entry of BY_UNKNOWN or of a kind of nobody.  0 or -ENOMEM. */
int thief_plain(struct thieves *cs, unsigned int kind, __u32 *ret);

/* The entry of a vCPU: of which VM, its track.  0 or -ENOMEM. */
int thief_vcpu(struct thieves *cs, __u32 pid, __u32 guest, __u32 track,
	       __u32 *ret);

/* The entry of the host's hardirqs or softirqs.  0 or -ENOMEM. */
int thief_irq(struct thieves *cs, bool soft, __u32 *ret);

/* The entry of an owner's program: comm has 16 bytes.  0 or -ENOMEM. */
int thief_named(struct thieves *cs, unsigned int kind, __u32 owner, __u32 pid,
		const char *comm, __u32 *ret);

static inline __u64 stolen_key(__u32 track, __u32 thief)
{
	return (__u64)track << 32 | thief;
}

/*
 * The number in .stolen of what a thief takes from a track, made if there is none;
 * with too many it is that of BY_UNKNOWN.  The same each time.  0 or -ENOMEM.
 */
int thieves_stolen(struct thieves *cs, __u32 track, __u32 thief, __u32 *ret);

/* Add ticks of a wait in state @woken or preempted. */
static inline void stolen_add(struct stolen_time *t, bool woken, __u64 ticks)
{
	sat_sum(woken ? &t->woken : &t->preempted, ticks);
	if (ticks > t->longest)
		t->longest = ticks;
}

/* Both.  0 or -ENOMEM. */
int thieves_add(struct thieves *cs, __u32 track, __u32 thief, bool woken,
		__u64 ticks);

/* After the pass over @nr_tracks tracks: make .by_track.  0 or -ENOMEM. */
int thieves_group(struct thieves *cs, size_t nr_tracks);

/*
 * What a kernel thread of that name does: BY_KTHREAD or BY_IRQ; BY_PROCESS for
 * a name that no kernel thread has.
 */
unsigned int thief_kthread_kind(const char *comm);

/* What it took in either state. */
static inline __u64 stolen_ticks(const struct stolen_time *t)
{
	return sat_add(t->preempted, t->woken);
}

/* Is the kind one of "nobody"? */
static inline bool by_nobody(unsigned int kind)
{
	return kind >= BY_WAKEUP;
}

/* One word, never NULL. */
const char *thief_key(unsigned int kind);

#endif /* MODEL_THIEF_H */
