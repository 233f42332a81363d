/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The host-time axis: from the records in the order of time to the state of
 * each vCPU at each instant, who had the CPU it waited for, and who is on each
 * CPU.  Memory is bounded by the number of vCPUs, CPUs and programs, whatever
 * the recording's length.
 *
 * Between the beginning and the end of the measurement each tick of a vCPU is
 * booked in exactly one state.
 */
#ifndef VMMPROF_MODEL_TIMELINE_H
#define VMMPROF_MODEL_TIMELINE_H

#include "model/analysis.h"
#include "model/sample_gaps.h"
#include "model/thief.h"
#include "model/losses.h"
#include "model/track.h"

#define VMMPROF_TRACKS_MAX  16384

/*
 * vCPUs that wait for one CPU at once, and that were sampled last on one CPU:
 * of more it is not told who took their time.
 */
#define VMMPROF_WAITERS_MAX 128
#define VMMPROF_BLANKS_MAX  256

struct vmmprof_pcpu {
	__u32 cpu;
	__u32 running; /* track that is on it, VMMPROF_NONE: not known */
	__u32 waiting; /* first track that waits for it, VMMPROF_NONE */
	__u32 blank;   /* first track that was sampled here last */
	__u32 nr_waiting, nr_blanks;
	/* who came in the last record of a switch on it */
	__u64 comer_tsc;
	__u32 comer_pid, comer_tid;
	char comer[16];
	__u64 lossy_until;    /* switch records are missing until then */
	__u64 nameless_until; /* who had the CPU is not known until then */
	__u64 lossy;	      /* ticks without switch records */
	__u64 unknown;	      /* ticks that vCPUs last on it are unknown */
	__u64 vcpus;	      /* ticks it had vCPUs on it */
	__u64 samples;	      /* of the host's other tasks, in ticks */
	__u64 nr_samples, idle_samples;
};

/* Ticks of a vCPU on a CPU. */
struct vmmprof_presence {
	__u32 track, pcpu;
	__u64 ticks;
};

/*
 * A stretch of a vCPU in one state, in the order of its end; culprit: with a
 * wait, else VMMPROF_NONE.  @from < @to.  Non-zero ends the pass.
 */
typedef int vmmprof_stretch_fn(void *arg, const struct vmmprof_track *t,
			       enum vmmprof_state state, __u64 from, __u64 to,
			       __u32 culprit);

/* Records of two CPUs that cannot have been written in the order of their TSCs. */
struct vmmprof_disorder {
	__u64 pairs;
	__u32 cpu[2]; /* of the last pair */
};

struct vmmprof_timeline {
	struct vmmprof_analysis *a;
	vmmprof_stretch_fn *stretch; /* NULL: none */
	void *stretch_arg;
	struct vmmprof_track **tracks;
	struct vmmprof_pcpu *pcpus;
	struct vmmprof_presence *presence;
	size_t nr, cap, nr_pcpus, cap_pcpus, nr_presence, cap_presence;
	struct vmmprof_hash by_tid;  /* pid << 32 | tid -> track */
	struct vmmprof_hash by_vcpu; /* guest << 32 | vcpu_id -> track */
	struct vmmprof_hash by_vpid; /* VPID -> track */
	struct vmmprof_hash by_cpu;  /* CPU -> pcpu */
	struct vmmprof_hash by_presence;
	struct vmmprof_culprits culprits;
	struct vmmprof_losses losses;
	struct vmmprof_blanks blanks;
	size_t next_loss;
	__u64 lossy_until;     /* the latest of all CPUs */
	bool started, bounded; /* begin known; from the STOP item */
	__u64 begin, end, now;
	__u64 khz;
	__u64 period; /* ticks between samples of .event, 0: not known */
	__u32 event;
	bool has_start, has_stop; /* there are VCPU_STATE items of that kind */
	struct vmmprof_disorder disorder;
	__u64 switch_records;
	__u64 crowded;	/* waits for a CPU beyond VMMPROF_WAITERS_MAX */
	__u64 too_many; /* records of vCPUs beyond VMMPROF_TRACKS_MAX */
};

/* A task as switch records name it. */
struct vmmprof_task_id {
	__u32 pid, tid;
	const char *comm; /* 16 bytes */
};

/*
 * Prepare for a pass over a.  @guest_only: the sample-only method counts
 * samples in guest mode alone as a vCPU's own, as published.  0 or -errno;
 * deinit is due in either case.
 */
int vmmprof_timeline_init(struct vmmprof_timeline *tl,
			  struct vmmprof_analysis *a, bool guest_only);
void vmmprof_timeline_deinit(struct vmmprof_timeline *tl);

/* vmmprof_record_fn: arg is the timeline. */
int vmmprof_timeline_record(struct vmmprof_analysis *a, void *arg,
			    const union vmmprof_rec *rec,
			    const struct vmmprof_where *where);

/*
 * After the pass: book what is open, and tell the session's problems of
 * records in an impossible order.  0 or -ENOMEM.
 */
int vmmprof_timeline_finish(struct vmmprof_timeline *tl);

/* The measurement begins, before the first record.  0 or -errno. */
int vmmprof_timeline_begin(struct vmmprof_timeline *tl, __u64 tsc);

/*
 * For a pass that goes on while it is measured: all records until @tsc have
 * been; book all tracks until then.  0 or -ENOMEM.
 */
int vmmprof_timeline_until(struct vmmprof_timeline *tl, __u64 tsc);

/* The thread is there no longer. */
void vmmprof_timeline_gone(struct vmmprof_timeline *tl, __u32 pid, __u32 tid);

/* LOST records of the files that come next.  0 or -errno. */
int vmmprof_timeline_losses(struct vmmprof_timeline *tl);

/*
 * The whole pass over the records of a timeline just made, and its end.  @keep:
 * as vmmprof_analysis_run()'s.  0 or -errno.
 */
int vmmprof_timeline_run(struct vmmprof_timeline *tl, unsigned int keep);

/* Ticks of the host's TSC in seconds; 0 if its frequency is not known. */
static inline double vmmprof_timeline_seconds(const struct vmmprof_timeline *tl,
					      __u64 ticks)
{
	return tl->khz ? ticks / (tl->khz * 1000.0) : 0;
}

/* Are there switch records to go by? */
bool vmmprof_timeline_exact(const struct vmmprof_timeline *tl);

/* The cgroup's quota held the vCPU's VM back during the measurement. */
bool vmmprof_timeline_throttled(const struct vmmprof_timeline *tl,
				const struct vmmprof_track *t);

/*
 * What follows is for the files of this folder.
 *
 * The track of a vCPU's thread, made if there is none; vcpu_id may be
 * VMMPROF_NONE.  VMMPROF_NONE in *ret: there are too many.  0 or -ENOMEM.
 */
int vmmprof_track_get(struct vmmprof_timeline *tl, __u32 pid, __u32 tid,
		      __u32 vcpu_id, __u32 *ret);

/* The track of a thread, VMMPROF_NONE if it is no vCPU's. */
__u32 vmmprof_track_find(const struct vmmprof_timeline *tl, __u32 pid,
			 __u32 tid);

/* Index of a CPU, made if there is none.  0 or -ENOMEM. */
int vmmprof_pcpu_get(struct vmmprof_timeline *tl, __u32 cpu, __u32 *ret);

/* The culprit that a task is.  0 or -ENOMEM. */
int vmmprof_culprit_of(struct vmmprof_timeline *tl,
		       const struct vmmprof_task_id *id, __u32 *ret);

/*
 * Take note of an event of track i on a CPU, at a time within the measurement.
 * 0 or -errno.
 */
int vmmprof_book_event(struct vmmprof_timeline *tl, __u32 i,
		       enum vmmprof_vcpu_event event, __u32 pcpu, __u64 tsc);

/* @leaver left the CPU: what waited for it did so because of him. */
int vmmprof_book_switch(struct vmmprof_timeline *tl, __u32 pcpu, __u64 tsc,
			const struct vmmprof_task_id *leaver,
			const struct vmmprof_task_id *comer);

/* Something else than track @is (VMMPROF_NONE) has the CPU now. */
int vmmprof_book_taken(struct vmmprof_timeline *tl, __u32 pcpu, __u64 tsc,
		       __u32 is);

/* Switch records of a CPU (VMMPROF_NONE: all) are missing from now on. */
int vmmprof_book_loss(struct vmmprof_timeline *tl, __u32 pcpu, __u64 from,
		      __u64 to);

/*
 * SWITCH records of a CPU (VMMPROF_NONE: all) were left out from @from to @to:
 * whatever waits for it then, nobody knows for whom.
 */
int vmmprof_book_nameless(struct vmmprof_timeline *tl, __u32 pcpu, __u64 from,
			  __u64 to);

/*
 * Look at the order of records: the event of t, not yet booked; @missing: one
 * had to come before.
 */
void vmmprof_note_order(struct vmmprof_timeline *tl, struct vmmprof_track *t,
			enum vmmprof_vcpu_event event, __u32 pcpu, __u64 tsc,
			bool missing);

/* Book all tracks until the end of the measurement. */
int vmmprof_book_end(struct vmmprof_timeline *tl);

/* Book all tracks until tl->end; they go on. */
int vmmprof_book_until(struct vmmprof_timeline *tl);

/* Track i has ended. */
void vmmprof_book_gone(struct vmmprof_timeline *tl, __u32 i);

#endif /* VMMPROF_MODEL_TIMELINE_H */
