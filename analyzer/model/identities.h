/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Tasks of guests that the module read from their memory: IDENTITY records, by the
 * numbers that samples of the same CPU have.  All of it is a guest's word.
 */
#ifndef MODEL_IDENTITIES_H
#define MODEL_IDENTITIES_H

#include <stdbool.h>
#include <stddef.h>

#include <vmmprof/record.h>

#include "base/hash.h"

#define IDENTITIES_MAX (4u << 20) /* others are left out, and counted */

struct identity {
	__u64 mm;
	__u64 start_ns; /* 0: not known */
	__u32 vmm;	/* tgid of the VMM */
	__u32 tgid;
	__u32 tid;
	__u32 leader; /* that of its tgid and mm, VMMPROF_NONE: not seen */
	bool kthread;
	char comm[16]; /* may lack a NUL */
};

struct identities {
	struct identity *all;
	size_t nr, cap;
	__u64 left_out;
	struct hash ids;     /* CPU << 32 | id -> the last one with it */
	struct hash leaders; /* VMM, tgid, mm -> the last one of tid == tgid */
};

void identities_deinit(struct identities *ids);

/* Remember a record of @cpu.  0 or -ENOMEM. */
int identities_add(struct identities *ids, __u32 cpu,
		   const struct vmmprof_rec_identity *rec);

/* Has a task on @cpu the number @id? */
static inline bool identities_has(const struct identities *ids, __u32 cpu,
				  __u32 id)
{
	return hash_get(&ids->ids, (__u64)cpu << 32 | id) != VMMPROF_NONE;
}

/* The task of a sample in .all, for ever; VMMPROF_NONE: it has none. */
__u32 identities_index(const struct identities *ids,
		       const struct vmmprof_rec_sample *s);

/* The same, NULL: it has none.  Valid until the next add. */
const struct identity *identities_find(const struct identities *ids,
				       const struct vmmprof_rec_sample *s);

/* The task that has the process's name, as far as seen: @i, or its leader. */
const struct identity *identities_leader(const struct identities *ids,
					 const struct identity *i);

#endif /* MODEL_IDENTITIES_H */
