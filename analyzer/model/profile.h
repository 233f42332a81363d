/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The aggregated samples: how many had the same machine, vCPU, process,
 * function and so on.  Every sample is counted in exactly one cell; tables
 * and the account are sums over cells.
 */
#ifndef VMMPROF_MODEL_PROFILE_H
#define VMMPROF_MODEL_PROFILE_H

#include <stddef.h>
#include <linux/types.h>

enum vmmprof_mode {
	VMMPROF_MODE_KERNEL = 0,
	VMMPROF_MODE_USER = 1,
	VMMPROF_MODE_UNKNOWN = 2, /* guest whose CPL or vCPU is unknown */
	VMMPROF_NR_MODES
};

/* How the process of a guest's sample in kernel mode was found. */
enum vmmprof_who {
	VMMPROF_WHO_NOT_ASKED = 0, /* other samples */
	VMMPROF_WHO_IDLE,	   /* the idle task, by its function */
	VMMPROF_WHO_STACK,	   /* a process, by its kernel stack */
	VMMPROF_WHO_KTHREAD,	   /* a kernel thread, by its stack */
	VMMPROF_WHO_PTI,	   /* entry code, by the user half of its CR3 */
	VMMPROF_WHO_UNKNOWN,	   /* not; another stack, or stacks not known */
	VMMPROF_NR_WHOS
};

/* Why a sample has no function. */
enum vmmprof_cause {
	VMMPROF_CAUSE_NONE = 0, /* it has one */
	VMMPROF_CAUSE_VCPU_UNKNOWN,
	VMMPROF_CAUSE_NO_BUNDLE,
	VMMPROF_CAUSE_L2,
	VMMPROF_CAUSE_PROTECTED,
	VMMPROF_CAUSE_SMM,
	VMMPROF_CAUSE_UNPAGED,
	VMMPROF_CAUSE_NO_STATE,
	VMMPROF_CAUSE_CPL,
	VMMPROF_CAUSE_SHADOW,
	VMMPROF_CAUSE_CR3_UNKNOWN,
	VMMPROF_CAUSE_CR3_NOT_THEN,
	VMMPROF_CAUSE_CR3_SEVERAL,
	VMMPROF_CAUSE_NO_PROCESS,
	VMMPROF_CAUSE_NOT_MAPPED,
	VMMPROF_CAUSE_ANONYMOUS,
	VMMPROF_CAUSE_REMAPPED,
	VMMPROF_CAUSE_NO_SYMBOLS,
	VMMPROF_CAUSE_UNREADABLE,
	VMMPROF_CAUSE_NOT_COLLECTED,
	VMMPROF_CAUSE_CACHE_LOST,
	VMMPROF_CAUSE_GAP,
	VMMPROF_CAUSE_NO_KALLSYMS,
	VMMPROF_CAUSE_KERNEL_GAP,
	VMMPROF_NR_CAUSES
};

/* Words for a table, at most 31 characters; and one word.  Never NULL. */
const char *vmmprof_cause_text(unsigned int cause);
const char *vmmprof_cause_key(unsigned int cause);

#define VMMPROF_EXIT_NONE 0xffff /* no exit reason belongs to it */

/* No holes: cells are compared and hashed as bytes. */
struct vmmprof_cell_key {
	__u64 addr;   /* link address; 0 unless source lines are asked for */
	__u32 guest;  /* 0: host, else 1 + index of the guest */
	__u32 vcpu;   /* vCPU id, VMMPROF_NONE */
	__u32 proc;   /* process id of the name tables */
	__u32 func;   /* string id; VMMPROF_NONE: unresolved */
	__u32 module; /* string id; VMMPROF_NONE: none */
	__u32 cpu;
	__u32 file; /* for addr: file id of the machine; rows: container */
	__u16 exit; /* basic exit reason, VMMPROF_EXIT_NONE */
	__u8 event;
	__u8 mode;  /* enum vmmprof_mode */
	__u8 cause; /* enum vmmprof_cause */
	__u8 how;   /* enum vmmprof_owner_how, 0 on the host */
	__u8 who;   /* enum vmmprof_who */
	__u8 pad[5];
};
_Static_assert(sizeof(struct vmmprof_cell_key) == 48, "no holes");

struct vmmprof_cell {
	struct vmmprof_cell_key key;
	__u64 samples;
};

#define VMMPROF_PROFILE_QUEUE 16

struct vmmprof_profile {
	struct vmmprof_cell *cells;
	size_t nr, cap;
	__u32 *table; /* cell numbers, VMMPROF_NONE: free */
	size_t mask;
	__u64 samples; /* counted in all cells together */
	size_t last;   /* the cell that was counted last */
	/* to be counted: by then the memory to touch is in the cache */
	struct vmmprof_cell_key queue[VMMPROF_PROFILE_QUEUE];
	__u64 queue_hash[VMMPROF_PROFILE_QUEUE];
	unsigned int queued;
};

/* Count n samples.  A zeroed profile is empty.  Returns 0 or -ENOMEM. */
int vmmprof_profile_add(struct vmmprof_profile *p,
			const struct vmmprof_cell_key *key, __u64 n);

/*
 * Count one sample, at the latest when vmmprof_profile_flush() is called:
 * faster than one by one.  .last is then of no use.  Returns 0 or -ENOMEM.
 */
int vmmprof_profile_later(struct vmmprof_profile *p,
			  const struct vmmprof_cell_key *key);
int vmmprof_profile_flush(struct vmmprof_profile *p);

void vmmprof_profile_deinit(struct vmmprof_profile *p);

#endif /* VMMPROF_MODEL_PROFILE_H */
