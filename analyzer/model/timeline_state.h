/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a timeline (model/timeline.h) holds: CPUs, vCPUs' threads (tracks), the
 * gaps in their samples (model/sample_gaps.h), and the sums of all.
 */
#ifndef MODEL_TIMELINE_STATE_H
#define MODEL_TIMELINE_STATE_H

#include "base/number_set.h"
#include "base/small_numbers.h"
#include "model/analysis.h"
#include "model/holds.h"
#include "model/losses.h"
#include "model/steal_times.h"
#include "model/thief.h"
#include "model/track.h"
#include "sym/exits.h"

#define TRACKS_MAX	16384

/*
 * vCPUs that wait for one CPU at once, and that were sampled last on one CPU:
 * beyond that the thief is unknown.
 */
#define WAITERS_MAX	128
#define SAMPLE_GAPS_MAX 256

/* A thread as a record names it, and its track, until .names changes. */
struct track_name {
	__u64 names; /* 0: none yet */
	__u32 pid, tid, vcpu_id, track;
	bool loaded; /* a vCPU is, as the record says */
};

/* A task as switch records name it, and the thief that it is. */
struct thief_name {
	__u64 names; /* 0: none yet */
	__u32 pid, tid;
	char comm[16];
	struct holds when; /* ns: as long as its process is the same program */
	__u32 thief;
};

#define THIEF_NAMES 256 /* that are remembered */

struct pcpu {
	__u32 cpu;
	__u32 running; /* track that is on it, VMMPROF_NONE: not known */
	__u32 sampled; /* first track that was sampled here last */
	__u32 nr_waiting, nr_sampled;
	struct track **waiting; /* those that wait for it, the last came last */
	size_t cap_waiting;
	/* samples of what vCPUs wait for here, and of them in its interrupts */
	__u64 seen, seen_irq;
	/* all that wait are accounted at least until then */
	__u64 blamed;
	/* who came in the last record of a switch on it */
	__u64 next_tsc;
	__u32 next_pid, next_tid;
	char next[16];
	__u64 lossy_until;    /* switch records are missing until then */
	__u64 nameless_until; /* who had the CPU is not known until then */
	__u64 lossy;	      /* ticks without switch records */
	__u64 unknown;	      /* ticks that vCPUs last on it are unknown */
	__u64 vcpus;	      /* ticks it had vCPUs on it */
	__u64 samples;	      /* of the host's other tasks, in ticks */
	__u64 nr_samples, idle_samples;
	struct track_name last; /* of its last sample */
	__u32 stream; /* with sample runs: of the merge; VMMPROF_NONE */
};

/* Ticks of a vCPU on a CPU. */
struct cpu_residency {
	__u32 track, pcpu;
	__u64 ticks;
};

/* Gaps in the samples of a vCPU. */
struct vcpu_gaps {
	__u64 last; /* its last sample */
	__u64 seen; /* samples of others since then on its CPU */
	__u64 excess; /* samples of others beyond the virtual samples of earlier gaps */
	__u32 pcpu; /* VMMPROF_NONE: not sampled yet */
	__u32 next, prev;
	bool crowded; /* beyond SAMPLE_GAPS_MAX on its CPU */
	__u16 exit;   /* the last exit reason known, EXIT_NONE */
	/* sums, in virtual samples */
	__u64 own, steal, halt;
	__u64 unknown;		       /* before any exit reason is known */
	__u64 exits[EXIT_REASONS + 1]; /* by exit reason, of steal */
};

struct sample_gaps {
	bool on; /* else nothing is counted */
	bool guest_only;
	__u64 looked;		    /* at samples */
	struct vcpu_gaps *by_track; /* by track */
	size_t nr, cap;
	struct thieves stolen; /* its entries are the timeline's */
	/* by process of the resolver, others and main threads: VMMPROF_NONE */
	__u32 (*by_proc)[2];
	size_t nr_procs, cap_procs;
	__u64 crowded; /* times one was beyond SAMPLE_GAPS_MAX */
};

/*
 * A stretch of a vCPU in one state, in the order of its end, or the part of it
 * that is counted; thief: with a wait, else VMMPROF_NONE.  @from < @to.
 * Non-zero ends the pass.
 */
typedef int stretch_fn(void *arg, const struct track *t, enum vcpu_state state,
		       __u64 from, __u64 to, __u32 thief);

/*
 * Of the time on a CPU in the stretches so far: @from to @to was idle in the
 * guest; and what is of no class yet is of @class.  Non-zero ends the pass.
 */
typedef int idle_fn(void *arg, const struct track *t, __u64 from, __u64 to);
typedef int class_fn(void *arg, const struct track *t, unsigned int class);

/*
 * A vCPU has so many own samples of @class, the last one at @tsc of the host.  Non-zero
 * ends the pass.
 */
typedef int own_fn(void *arg, const struct track *t, unsigned int class,
		   __u64 tsc, __u32 nr);

/*
 * Records of two CPUs that cannot have been written in the order of their TSCs.
 */
struct tsc_disorder {
	__u64 pairs;
	__u32 cpu[2]; /* of the last pair */
};

struct timeline {
	struct analysis *a;
	stretch_fn *stretch; /* NULL: none */
	idle_fn *idle;	     /* NULL: none */
	class_fn *classed;   /* NULL: none */
	own_fn *own;	     /* NULL: none */
	void *stretch_arg;
	void *class_arg; /* of .idle, .classed and .own */
	struct track **tracks;
	struct pcpu *pcpus;
	struct cpu_residency *residency;
	size_t nr, cap, nr_pcpus, cap_pcpus, nr_residency, cap_residency;
	struct hash by_tid;	     /* pid << 32 | tid -> track */
	struct hash by_vcpu;	     /* guest << 32 | vcpu_id -> track */
	struct hash by_vpid;	     /* VPID -> track */
	struct small_numbers by_cpu; /* CPU -> pcpu */
	struct hash by_residency;
	struct number_set known; /* tracks of a known state, or of none yet */
	struct groups by_guest;	 /* of .tracks, after the pass */
	__u64 names; /* changes when a thread or task may have become another */
	struct thief_name thief_names[THIEF_NAMES];
	struct thieves thieves;
	struct steal_times times; /* of thieves, by switch records */
	struct losses losses;
	struct sample_gaps gaps;
	/* lent; NULL: samples are told of one by one, in the order of time */
	struct sample_runs *runs;
	size_t next_loss, nr_cuts;
	__u64 lossy_until;     /* the latest of all CPUs */
	bool started, bounded; /* begin known; from the STOP item */
	__u64 begin, end, now;
	__u64 khz;
	__u64 period;	/* ticks between samples of .event, 0: not known */
	__u64 idle_gap; /* longer ones between samples are idle time in a guest */
	__u32 event;
	bool has_start, has_stop; /* there are VCPU_STATE items of that kind */
	struct tsc_disorder disorder;
	__u64 switch_records;
	__u64 crowded;	/* waits for a CPU beyond WAITERS_MAX */
	__u64 too_many; /* records of vCPUs beyond TRACKS_MAX */
};

/* The track of a thread, VMMPROF_NONE if it is no vCPU's. */
static inline __u32 track_find(const struct timeline *tl, __u32 pid, __u32 tid)
{
	return hash_get(&tl->by_tid, (__u64)pid << 32 | tid);
}

#endif /* MODEL_TIMELINE_STATE_H */
