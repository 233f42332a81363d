/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Samples of which the timeline is told in runs, instead of one by one in the order
 * of all CPUs' records.  They say nothing new: a vCPU is seen on the CPU that it has
 * anyway, or another task where no vCPU is.  So it is enough to tell of them before a
 * record that concerns their CPU or their vCPU.
 *
 * Which samples are such is presumed when a CPU's records are looked at alone.
 * Should a record of another CPU show that it is otherwise, then those that come
 * after it are given back to the merge, and told of one by one.
 */
#ifndef MODEL_SAMPLE_RUNS_H
#define MODEL_SAMPLE_RUNS_H

#include "format/merge.h"
#include "model/resolve_recent.h"
#include "model/timeline_internal.h"

/* Instead of a track: of a CPU, it is not known which; of a sample, the same. */
#define RUN_UNKNOWN  (VMMPROF_NONE - 1)
#define RUN_NO_TRACK (VMMPROF_NONE - 2)

#define RUN_CLOSED   2

/* Samples of one thread, with no other record of their CPU between them. */
struct sample_run {
	__u32 track; /* VMMPROF_NONE: another task's */
	__u16 from;  /* the first one */
	__u16 after; /* how many other records of the CPU come before it */
	bool busy;   /* not the idle task's */
	bool other;  /* of an event that does not count time */
};

/* One CPU's, of the records that come next. */
struct cpu_runs {
	__u32 cpu, pcpu;
	__u32 nr, done;	       /* samples; told of */
	__u32 nr_runs, at_run; /* runs; the first that is not done */
	__u32 others, passed;  /* other records; those that were returned */
	__u8 open; /* .other of the run the next sample may belong to, or RUN_CLOSED */
	/* while the CPU's records are looked at */
	__u32 here; /* track that has the CPU; VMMPROF_NONE, RUN_UNKNOWN */
	/* of its last sample: thread, vCPU or VMMPROF_NONE, and track */
	__u64 thread;
	__u32 vcpu_id, track;
	__u64 tsc[MERGE_READ];
	__u8 class[MERGE_READ];	    /* enum on_cpu */
	__u16 irqs[MERGE_READ + 1]; /* how many before it are in an interrupt */
	__u8 place[MERGE_READ]; /* among the stream's, for merge_give_back() */
	struct sample_run run[MERGE_READ];
};

struct sample_runs {
	struct timeline *tl;
	struct merge *m;
	struct cpu_runs *cpus; /* of each stream of the merge */
	size_t nr;
	__u64 names; /* the timeline's */
	/* the record that was returned last */
	__u32 stream;
	__u64 tsc;
	/* CPUs that it concerns, by stream */
	__u32 concerns[4];
	unsigned int nr_concerns;
};

/* Is this timeline one that can be told of samples in runs? */
bool sample_runs_may(const struct timeline *tl);

/* Before a pass over @m, lent as .tl is.  0 or -ENOMEM; deinit in either case. */
int sample_runs_init(struct sample_runs *r, struct merge *m);
void sample_runs_deinit(struct sample_runs *r);

/*
 * Tell of all that is left, and begin with the records with times from @first to
 * @last.  *may: may any of them be put into runs?  0 or -ENOMEM.
 */
int sample_runs_begin(struct sample_runs *r, __u64 first, __u64 last,
		      bool *may);

/* Look up whose sample this is: .track, RUN_NO_TRACK: not known. */
void cpu_runs_thread(const struct timeline *tl, struct cpu_runs *c,
		     const struct vmmprof_rec_sample *s);

static inline __u64 cpu_runs_pid_tid(const struct vmmprof_rec_sample *s)
{
	return (__u64)s->tid << 32 | s->pid;
}

/* VMMPROF_NONE: none is loaded, or of no number; all bits of it are set. */
static inline __u32 cpu_runs_vcpu(const struct vmmprof_rec_sample *s)
{
	return s->vcpu_id |
	       ((s->hdr.flags & VMMPROF_S_VCPU) / VMMPROF_S_VCPU - 1);
}

/* Look for whose sample this is, mostly the same as the one before. */
static inline __u32 cpu_runs_track(const struct timeline *tl,
				   struct cpu_runs *c,
				   const struct vmmprof_rec_sample *s)
{
	if (((cpu_runs_pid_tid(s) ^ c->thread) |
	     (cpu_runs_vcpu(s) ^ c->vcpu_id)))
		cpu_runs_thread(tl, c, s);
	return c->track;
}

/* A record of the CPU that is not put into a run. */
void cpu_runs_other(const struct timeline *tl, struct cpu_runs *c,
		    const union rec *rec);

/*
 * Put a sample of the CPU, of which that is remembered, into a run.  False: it says
 * something new, and is to be told of in its turn.
 */
static inline bool cpu_runs_add(const struct timeline *tl, struct cpu_runs *c,
				const struct vmmprof_rec_sample *s,
				const struct recent_context *recent, __u8 place)
{
	const __u32 track = cpu_runs_track(tl, c, s);
	const bool other = s->event != tl->event;
	struct sample_run *run;

	if (track != c->here)
		return false;
	if (c->open != other) {
		run = &c->run[c->nr_runs++];
		run->track = track;
		run->from = c->nr;
		run->after = c->others;
		run->busy = s->tid;
		run->other = other;
		c->open = other;
	}
	c->tsc[c->nr] = s->hdr.tsc;
	c->class[c->nr] = recent->class;
	c->irqs[c->nr + 1] = c->irqs[c->nr] + recent->irq;
	c->place[c->nr++] = place;
	return true;
}

/*
 * A record is returned, of this stream: tell of its CPU's samples before it (@arg is
 * the sample_runs).  Then of those of the CPU that the record is about and of the CPU
 * that a track is on (VMMPROF_NONE: none), before either is changed.  0 or -ENOMEM.
 */
int sample_runs_record(void *arg, const union rec *rec, __u32 stream);
int sample_runs_concern(struct sample_runs *r, __u32 pcpu, __u32 track);

/* The timeline was told of the record: is all still as presumed?  0 or -ENOMEM. */
int sample_runs_check(struct sample_runs *r);

#endif /* MODEL_SAMPLE_RUNS_H */
