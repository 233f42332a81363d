/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Puts CHAIN records and the samples and OUT records that they belong to
 * together.  A record's chain follows it on its CPU with its time, in up to two
 * parts; what comes when is therefore only complete when the CPU's next sample
 * or OUT record comes, or the end.
 *
 * Memory: a sample and an OUT record with their parts for each CPU, and what
 * chain_ids.h says.
 */
#ifndef MODEL_CHAIN_JOIN_H
#define MODEL_CHAIN_JOIN_H

#include <stdbool.h>

#include "format/merge.h"
#include "model/chain_end.h"
#include "model/chain_ids.h"
#include "model/resolve.h"

/* What was recorded of the host's stacks, or of the guest's. */
struct chain_part {
	bool there; /* a record came */
	bool known; /* and so did what it refers to */
	struct vmmprof_rec_chain head;
	struct vmmprof_chain_regs regs; /* zeros without C_REGS */
	__u64 *data; /* nr_kernel, nr_user, then stack_size bytes */
	size_t cap;
};

struct chain_sample {
	struct vmmprof_rec_sample rec;
	struct resolved where;
	size_t bucket; /* of the profile */
	struct chain_part host, guest;
};

/* Called with each sample, once, in the order of time of its CPU. */
typedef int chain_fn(void *arg, const struct chain_sample *s);

/* A vCPU's thread that left its CPU. */
struct chain_out {
	struct vmmprof_rec_switch rec;
	struct vmmprof_chain_state state;
	bool has_state; /* .state: where its guest was */
	__u32 track;	/* of the timeline */
	struct chain_part host, guest;
};

/* The same with OUT records. */
typedef int chain_out_fn(void *arg, const struct chain_out *o);

struct chain_cpu;

struct chain_join {
	chain_fn *fn;
	void *arg;
	chain_out_fn *out_fn; /* NULL: OUT records' chains are not joined */
	void *out_arg;
	struct chain_cpu **cpus;
	size_t nr, cap;
	struct hash by_cpu;
	size_t bytes; /* of chain_ids */
	__u64 stray;  /* CHAIN records that no record was there for */
};

void chain_join_init(struct chain_join *j, chain_fn *fn, void *arg);

/* A sample of that CPU's file; @bucket: it was counted there.  0 or -errno. */
int chain_join_sample(struct chain_join *j, __u32 cpu,
		      const struct vmmprof_rec_sample *rec,
		      const struct resolved *where, size_t bucket);

/* An OUT record of that CPU's file, of a track.  0 or -errno. */
int chain_join_out(struct chain_join *j, __u32 cpu,
		   const struct vmmprof_rec_switch *rec, __u32 track);

/* The CPU's last OUT record has all that there is: it is wanted now. */
int chain_join_out_now(struct chain_join *j, __u32 cpu);

/* A CHAIN record of that CPU's file.  0 or -ENOMEM. */
int chain_join_chain(struct chain_join *j, __u32 cpu,
		     const struct rec_chain *rec);

/* Complete those before a time: all their records have come by then.  0 or as fn. */
int chain_join_before(struct chain_join *j, __u64 tsc);

/* There are no more records.  0 or what fn returned. */
int chain_join_end(struct chain_join *j);

void chain_join_deinit(struct chain_join *j);

#endif /* MODEL_CHAIN_JOIN_H */
