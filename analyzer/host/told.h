/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The module tells of a vCPU, and of a guest's task, once on each CPU.  Whoever does
 * not have all records from the first one on needs what was told before: it is
 * remembered here while rings are emptied.
 */
#ifndef HOST_TOLD_H
#define HOST_TOLD_H

#include <vmmprof/record.h>

#include "format/ring_drain.h"

#define TOLD_TASKS 256 /* as many as the module refers to, on a CPU */
#define TOLD_VCPUS 512 /* four times as many as it knows */

struct told_cpu {
	uint64_t tsc;			    /* of the last record */
	struct vmmprof_rec_identity *tasks; /* by told_place(); NULL: none */
	struct vmmprof_rec_vcpu *vcpus;	    /* told here last, in that order */
	size_t nr_vcpus, cap_vcpus;
};

struct told {
	struct told_cpu *cpus;
	size_t nr, cap;
	uint64_t until; /* the caller's: all records until then were looked at */
	uint64_t lost;	/* records of vCPUs and tasks that may live */
};

void told_deinit(struct told *t);

/*
 * Remembers what is in the ring of number @i from its tail up to @head.  What there
 * is no room for is counted.
 */
void told_look(struct told *t, unsigned int i, const struct mapped_ring *ring,
	       uint64_t head);

/*
 * What records behind those of ring @i that were looked at may refer to, as records
 * of the time of the last of these, or t->until.  To be freed; NULL with *bytes 0:
 * nothing, else: no memory.
 */
void *told_records(const struct told *t, unsigned int i, size_t *bytes);

#endif /* HOST_TOLD_H */
