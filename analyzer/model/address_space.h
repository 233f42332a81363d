/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Whose address space a CR3 was at a time.  A CR3 without a time is not an
 * identity: kernels reuse a freed page table within milliseconds.  So each
 * key (CR3 & mask) has intervals from the birth of a page table to its end,
 * built from the MM items of a guest's bundle.
 */
#ifndef VMMPROF_MODEL_ADDRSPACE_H
#define VMMPROF_MODEL_ADDRSPACE_H

#include <stdbool.h>

#include <vmmprof/maps.h>

#include "base/hash.h"

/* A page table runs this long at most before its exec is recorded. */
#define VMMPROF_EXEC_WINDOW_NS 5000000ull

struct vmmprof_space {
	__u64 key;
	__u64 birth;   /* ns, inclusive */
	__u64 end;     /* ns, exclusive */
	__u64 snap;    /* known by a snapshot of this ns; 0: by its birth */
	__u32 pid;     /* 0: not known (only its end was seen) */
	__u32 proc;    /* for users of the model; VMMPROF_NONE at first */
	bool kernel;   /* init_mm */
	char comm[16]; /* last name; may lack a NUL */
};

struct vmmprof_addrspace {
	struct vmmprof_space *spaces; /* sorted by key, birth */
	size_t nr, cap;
	struct vmmprof_hash keys; /* key -> first index in spaces */
	__u64 mask;		  /* of a CR3 */
	bool exact_first;	  /* mask not known: try bit 12 both ways */
	__u64 watched_from, watched_until; /* ns; births and ends of between */
	bool snapshot_only;		   /* no births or ends were watched */
};

/* How an owner was found. */
enum vmmprof_owner_how {
	VMMPROF_OWNER_INTERVAL = 0, /* the interval holds the time */
	VMMPROF_OWNER_EXEC,	    /* born up to 5 ms later */
	VMMPROF_OWNER_SNAPSHOT,	    /* a snapshot at another time says so */
	VMMPROF_OWNER_UNIQUE,	    /* no common clock, but only one owner */
	VMMPROF_OWNER_KERNEL,	    /* init_mm */
	/* and why none was */
	VMMPROF_OWNER_UNKNOWN,	/* the key was never seen */
	VMMPROF_OWNER_NOT_THEN, /* nobody had it at that time */
	VMMPROF_OWNER_SEVERAL,	/* several owners, no common clock */
};

/*
 * Build from MM items sorted by ns.  phys_mask: as in the bundle, 0 if it has
 * none.  watched: the bundle comes from watch, so births and ends are known;
 * the caller sets watched_from and watched_until, which are 0 and the end of
 * time at first.
 * Returns 0 or -ENOMEM; vmmprof_addrspace_deinit() is due in either case.
 */
int vmmprof_addrspace_init(struct vmmprof_addrspace *as,
			   const struct vmmprof_maps_mm *const *mms, size_t nr,
			   __u64 phys_mask, bool watched);
void vmmprof_addrspace_deinit(struct vmmprof_addrspace *as);

/*
 * The owner of cr3 (unmasked) at ns (guest's CLOCK_MONOTONIC, or
 * VMMPROF_TIME_UNKNOWN).  *ret is the space, or NULL with the last three.
 */
enum vmmprof_owner_how
vmmprof_addrspace_find(const struct vmmprof_addrspace *as, __u64 cr3, __u64 ns,
		       struct vmmprof_space **ret);

#endif /* VMMPROF_MODEL_ADDRSPACE_H */
