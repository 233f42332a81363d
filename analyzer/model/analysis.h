/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A pass over a session (model/pass.h): every sample resolved and counted, and the
 * counts that say whether every one was.
 */
#ifndef MODEL_ANALYSIS_H
#define MODEL_ANALYSIS_H

#include "base/small_numbers.h"
#include "model/resolve.h"
#include "model/time_ranges.h"

/*
 * What buckets tell apart in addition to machine, process, function and vCPU.
 */
#define KEEP_CPU  0x1
#define KEEP_EXIT 0x2
#define KEEP_ADDR 0x4
#define KEEP_TID  0x10
/* profile.last is set to the bucket of each sample, for fn */
#define KEEP_LAST 0x8
/*
 * Of where it was, fn looks at the context alone, which takes less time; or
 * calls resolved_key()
 */
#define KEEP_BARE 0x20
/* samples by address are counted in .code, apart from .profile */
#define KEEP_CODE 0x40

struct cpu_counts {
	__u32 cpu;
	__u64 samples; /* read, in the time that is counted */
	__u64 outside; /* read, not in it */
	__u64 lost;    /* by LOST records, of any time */
	__u64 written; /* as the module counted, with has_stat */
	__u64 module_lost;
	bool has_stat;
};

/*
 * Counts of samples and records, of the time that is counted; .written,
 * .vcpu_records, .chain_records and what is wrong with the files are of the whole session.
 */
struct sample_counts {
	__u64 samples;	   /* read */
	__u64 outside;	   /* read, not in the time that is counted */
	__u64 lost;	   /* per CPU the larger of LOST records and module */
	__u64 lost_other;  /* other records lost, with the next two */
	__u64 lost_names;  /* SWITCH records left out in rings half full */
	__u64 lost_chains; /* the same of CHAIN records */
	__u64 written;	   /* counted by the module, with has_stat */
	__u64 throttled;
	__u64 vcpu_records;
	__u64 chain_records;
	__u64 unknown_records;
	__u64 unordered;
	__u64 left_out; /* samples of before a WIDENED item, in no other count */
	__u64 contradictions[NR_CONTRAS];
	__u64 per_event[VMMPROF_MAX_EVENTS + 1]; /* the last: beyond */
	bool has_stat; /* the module's counts of all CPUs are there */
	bool damaged;  /* record files that end early */
	struct cpu_counts *cpus;
	size_t nr_cpus, cap_cpus;
	struct small_numbers by_cpu; /* CPU -> index in cpus */
};

struct analysis {
	struct session session;
	struct resolver resolver;
	struct profile profile;
	struct profile parts; /* of its buckets: model/profile.h */
	unsigned int keep;    /* that they were numbered by */
	/* by function's name, in one of the modules that have it: its part */
	struct function_place {
		__u32 module, place; /* VMMPROF_NONE: not numbered yet */
	} * places;
	size_t nr_places, cap_places;
	/* the same of addresses, with KEEP_ADDR; NULL: none yet */
	struct address_place *by_addr;
	/*
	 * Samples by address, with KEEP_CODE, and buckets by code_number(); with
	 * KEEP_ADDR these are parts, and nothing is counted.
	 */
	struct profile code;
	__u64 code_filled; /* the code_places.filled of those numbers */
	struct sample_counts counts;
	__u32 rec_cpu; /* during the pass: whose file the record is from */
	/* what is counted, lent; NULL: all of the time */
	const struct time_ranges *time;
	/* during the pass: of samples that are remembered nothing else is asked */
	bool known;
};

/* A session that was opened (cmd/analysis_open.h). */
void analysis_close(struct analysis *a);

/*
 * From the beginning to the end of the measurement, or, of a session that says
 * neither, from its first to its last record: read once more for that.  0 or
 * -errno.
 */
int analysis_bounds(struct analysis *a, __u64 *from, __u64 *to);

/* CLOCK_REALTIME at a time of the host's TSC, 0: not known. */
__u64 analysis_real_ns(const struct analysis *a, __u64 tsc);

/*
 * Called for each record in the order of time, also for those that .time does
 * not count; where is NULL but for samples.
 */
typedef int record_fn(struct analysis *a, void *arg, const union rec *rec,
		      const struct resolved *where);

/* Before the first record of a pass; keep: KEEP_*.  0 or -ENOMEM. */
int analysis_begin(struct analysis *a, unsigned int keep);

/*
 * One record of a CPU's file; fn may be NULL, and what it returns is returned.  @at: as
 * resolve_sample()'s.  Without KEEP_LAST what is counted is complete after
 * profile_flush().
 */
int analysis_record(struct analysis *a, unsigned int keep, const union rec *rec,
		    __u32 cpu, const struct resolve_ahead *at, record_fn *fn,
		    void *arg);

/* Who is told of the records of a merge. */
struct record_user {
	record_fn *fn; /* NULL: nobody */
	void *arg;     /* its */
	/* the same of samples that were counted before */
	record_fn *again;
	void *again_arg;
	/* NULL, or called before each record is resolved; non-zero ends the pass */
	int (*before)(void *arg, const union rec *rec, __u32 stream);
	void *before_arg;
};

/*
 * All records of @m, after analysis_begin(); those that were given back are counted
 * already.  0, -ENOMEM, or what a user returned.
 */
int analysis_records(struct analysis *a, struct merge *m,
		     const struct record_user *user);

/* After the last record of a pass over @m: all is counted.  0 or -ENOMEM. */
int analysis_end(struct analysis *a, const struct merge *m);

#endif /* MODEL_ANALYSIS_H */
