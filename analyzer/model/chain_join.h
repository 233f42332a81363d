/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Puts CHAIN records and the samples that they belong to together.  A record's
 * chain follows it on its CPU with its time, in up to two parts; what comes when
 * is therefore only complete when the CPU's next sample comes, or the end.
 *
 * Memory: a sample with its parts for each CPU, and what chain_ids.h says.
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

struct chain_cpu;

struct chain_join {
	chain_fn *fn;
	void *arg;
	struct chain_cpu **cpus;
	size_t nr, cap;
	struct hash by_cpu;
	size_t bytes; /* of chain_ids */
	__u64 stray;  /* CHAIN records that no sample was there for */
};

void chain_join_init(struct chain_join *j, chain_fn *fn, void *arg);

/* A sample of that CPU's file; @bucket: it was counted there.  0 or -errno. */
int chain_join_sample(struct chain_join *j, __u32 cpu,
		      const struct vmmprof_rec_sample *rec,
		      const struct resolved *where, size_t bucket);

/* A CHAIN record of that CPU's file.  0 or -ENOMEM. */
int chain_join_chain(struct chain_join *j, __u32 cpu,
		     const struct rec_chain *rec);

/* There are no more records.  0 or what fn returned. */
int chain_join_end(struct chain_join *j);

void chain_join_deinit(struct chain_join *j);

#endif /* MODEL_CHAIN_JOIN_H */
