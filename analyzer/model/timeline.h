/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The host-time axis: from the records in the order of time to the state of
 * each vCPU at each instant, who had the CPU it waited for, and who is on each
 * CPU.  Memory is bounded by the number of vCPUs, CPUs and programs, whatever
 * the recording's length.
 *
 * Between the beginning and the end of the measurement each tick of a vCPU is
 * in exactly one state.
 */
#ifndef MODEL_TIMELINE_H
#define MODEL_TIMELINE_H

#include "model/analysis.h"
#include "model/sample_gaps.h"
#include "model/thief.h"
#include "model/losses.h"
#include "model/track.h"

#define TRACKS_MAX	16384

/*
 * vCPUs that wait for one CPU at once, and that were sampled last on one CPU:
 * of more it is not told who took their time.
 */
#define WAITERS_MAX	128
#define SAMPLE_GAPS_MAX 256

struct pcpu {
	__u32 cpu;
	__u32 running; /* track that is on it, VMMPROF_NONE: not known */
	__u32 waiting; /* first track that waits for it, VMMPROF_NONE */
	__u32 sampled; /* first track that was sampled here last */
	__u32 nr_waiting, nr_sampled;
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
};

/* Ticks of a vCPU on a CPU. */
struct cpu_residency {
	__u32 track, pcpu;
	__u64 ticks;
};

/*
 * A stretch of a vCPU in one state, in the order of its end; thief: with a
 * wait, else VMMPROF_NONE.  @from < @to.  Non-zero ends the pass.
 */
typedef int stretch_fn(void *arg, const struct track *t,
		       enum vmmprof_state state, __u64 from, __u64 to,
		       __u32 thief);

/* Records of two CPUs that cannot have been written in the order of their TSCs. */
struct tsc_disorder {
	__u64 pairs;
	__u32 cpu[2]; /* of the last pair */
};

struct timeline {
	struct analysis *a;
	stretch_fn *stretch; /* NULL: none */
	void *stretch_arg;
	struct track **tracks;
	struct pcpu *pcpus;
	struct cpu_residency *residency;
	size_t nr, cap, nr_pcpus, cap_pcpus, nr_residency, cap_residency;
	struct hash by_tid;  /* pid << 32 | tid -> track */
	struct hash by_vcpu; /* guest << 32 | vcpu_id -> track */
	struct hash by_vpid; /* VPID -> track */
	struct hash by_cpu;  /* CPU -> pcpu */
	struct hash by_residency;
	struct thieves thieves;
	struct losses losses;
	struct sample_gaps gaps;
	size_t next_loss;
	__u64 lossy_until;     /* the latest of all CPUs */
	bool started, bounded; /* begin known; from the STOP item */
	__u64 begin, end, now;
	__u64 khz;
	__u64 period; /* ticks between samples of .event, 0: not known */
	__u32 event;
	bool has_start, has_stop; /* there are VCPU_STATE items of that kind */
	struct tsc_disorder disorder;
	__u64 switch_records;
	__u64 crowded;	/* waits for a CPU beyond WAITERS_MAX */
	__u64 too_many; /* records of vCPUs beyond TRACKS_MAX */
};

/* A task as switch records name it. */
struct task_id {
	__u32 pid, tid;
	const char *comm; /* 16 bytes */
};

/*
 * Prepare for a pass over a.  @guest_only: the sample-only method counts
 * samples in guest mode alone as a vCPU's own, as published.  0 or -errno;
 * deinit is due in either case.
 */
int timeline_init(struct timeline *tl, struct analysis *a, bool guest_only);
void timeline_deinit(struct timeline *tl);

/* record_fn: arg is the timeline. */
int timeline_record(struct analysis *a, void *arg, const union rec *rec,
		    const struct resolved *where);

/*
 * After the pass: account for what is open, and tell the session's problems of
 * records in an impossible order.  0 or -ENOMEM.
 */
int timeline_finish(struct timeline *tl);

/* The measurement begins, before the first record.  0 or -errno. */
int timeline_begin(struct timeline *tl, __u64 tsc);

/*
 * For a pass that goes on while it is measured: all records until @tsc have
 * been; account for all tracks until then.  0 or -ENOMEM.
 */
int timeline_until(struct timeline *tl, __u64 tsc);

/* The thread is there no longer. */
void timeline_gone(struct timeline *tl, __u32 pid, __u32 tid);

/* LOST records of the files that come next.  0 or -errno. */
int timeline_losses(struct timeline *tl);

/*
 * The whole pass over the records of a timeline just made, and its end.  @keep:
 * as analysis_run()'s.  0 or -errno.
 */
int timeline_run(struct timeline *tl, unsigned int keep);

/* Ticks of the host's TSC in seconds; 0 if its frequency is not known. */
static inline double timeline_seconds(const struct timeline *tl, __u64 ticks)
{
	return tl->khz ? ticks / (tl->khz * 1000.0) : 0;
}

/* Are there switch records to go by? */
bool timeline_exact(const struct timeline *tl);

/* The cgroup's quota held the vCPU's VM back during the measurement. */
bool timeline_throttled(const struct timeline *tl, const struct track *t);

/*
 * What follows is for the files of this folder.
 *
 * The track of a vCPU's thread, made if there is none; vcpu_id may be
 * VMMPROF_NONE.  VMMPROF_NONE in *ret: there are too many.  0 or -ENOMEM.
 */
int track_get(struct timeline *tl, __u32 pid, __u32 tid, __u32 vcpu_id,
	      __u32 *ret);

/* The track of a thread, VMMPROF_NONE if it is no vCPU's. */
__u32 track_find(const struct timeline *tl, __u32 pid, __u32 tid);

/* Index of a CPU, made if there is none.  0 or -ENOMEM. */
int pcpu_get(struct timeline *tl, __u32 cpu, __u32 *ret);

/* The thief that a task is.  0 or -ENOMEM. */
int thief_of(struct timeline *tl, const struct task_id *id, __u32 *ret);

/*
 * Take note of an event of track i on a CPU, at a time within the measurement.
 * 0 or -errno.
 */
int account_event(struct timeline *tl, __u32 i, enum vcpu_event event,
		  __u32 pcpu, __u64 tsc);

/* @prev left the CPU: what waited for it did so because of him. */
int account_switch(struct timeline *tl, __u32 pcpu, __u64 tsc,
		   const struct task_id *prev, const struct task_id *next);

/* Something else than track @is (VMMPROF_NONE) has the CPU now. */
int account_taken(struct timeline *tl, __u32 pcpu, __u64 tsc, __u32 is);

/* Switch records of a CPU (VMMPROF_NONE: all) are missing from now on. */
int account_loss(struct timeline *tl, __u32 pcpu, __u64 from, __u64 to);

/*
 * SWITCH records of a CPU (VMMPROF_NONE: all) were left out from @from to @to:
 * whatever waits for it then, nobody knows for whom.
 */
int account_vcpu_nameless(struct timeline *tl, __u32 pcpu, __u64 from,
			  __u64 to);

/*
 * Look at the order of records: the event of t, not yet accounted for; @missing: one
 * had to come before.
 */
void note_order(struct timeline *tl, struct track *t, enum vcpu_event event,
		__u32 pcpu, __u64 tsc, bool missing);

/* Account for all tracks until the end of the measurement. */
int account_end(struct timeline *tl);

/* Account for all tracks until tl->end; they go on. */
int account_until(struct timeline *tl);

/* Track i has ended. */
void account_gone(struct timeline *tl, __u32 i);

#endif /* MODEL_TIMELINE_H */
