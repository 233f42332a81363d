/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Finds whose address space a CR3 was at a given time.  The CR3 alone does not
 * identify it: kernels reuse a freed page table within milliseconds.  So each
 * key (CR3 & mask) has intervals from the birth of a page table to its end,
 * built from the MM items of a guest's bundle.
 */
#ifndef MODEL_ADDRESS_SPACE_H
#define MODEL_ADDRESS_SPACE_H

#include <stdbool.h>

#include <vmmprof/maps.h>

#include "base/hash.h"
#include "model/holds.h"

/* A page table runs this long at most before its exec is recorded. */
#define EXEC_WINDOW_NS 5000000ull

struct space {
	__u64 key;
	__u64 birth;   /* ns, inclusive */
	__u64 end;     /* ns, exclusive */
	__u64 snap;    /* known by a snapshot of this ns; 0: by its birth */
	__u32 pid;     /* 0: not known (only its end was seen) */
	__u32 proc;    /* for users of the model; VMMPROF_NONE at first */
	bool kernel;   /* init_mm */
	char comm[16]; /* last name; may lack a NUL */
};

struct address_space {
	struct space *spaces; /* sorted by key, birth */
	size_t nr, cap;
	struct hash keys; /* key -> first index in spaces */
	__u64 mask;	  /* of a CR3 */
	bool exact_first; /* mask not known: try bit 12 both ways */
	__u64 watched_from, watched_until; /* ns; all births and ends between */
	bool snapshot_only;		   /* no births or ends were watched */
};

/* How an owner was found. */
enum owner_how {
	OWNER_INTERVAL = 0, /* the interval holds the time */
	OWNER_EXEC,	    /* born up to 5 ms later */
	OWNER_SNAPSHOT,	    /* a snapshot at another time says so */
	OWNER_UNIQUE,	    /* no common clock, but only one owner */
	OWNER_KERNEL,	    /* init_mm */
	/* and why none was */
	OWNER_UNKNOWN,	/* the key was never seen */
	OWNER_NOT_THEN, /* nobody had it at that time */
	OWNER_SEVERAL,	/* several owners, no common clock */
	OWNER_NOT_READ, /* what readings of the memory found is of other times */
};

/*
 * Build from MM items sorted by ns.  phys_mask: as in the bundle, 0 if it has
 * none.  watched: the bundle comes from watch, so births and ends are known;
 * the caller sets watched_from and watched_until, which are 0 and the end of
 * time at first.
 * Returns 0 or -ENOMEM; address_space_deinit() is due in either case.
 */
int address_space_init(struct address_space *as,
		       const struct vmmprof_maps_mm *const *mms, size_t nr,
		       __u64 phys_mask, bool watched);
void address_space_deinit(struct address_space *as);

/*
 * The owner of cr3 (unmasked) at ns (guest's CLOCK_MONOTONIC, or
 * TIME_UNKNOWN).  *ret is the space, or NULL with the last three.
 */
enum owner_how address_space_find(const struct address_space *as, __u64 cr3,
				  __u64 ns, struct space **ret);
/* *h is narrowed to times of the same answer. */
enum owner_how address_space_find_held(const struct address_space *as,
				       __u64 cr3, __u64 ns, struct holds *h,
				       struct space **ret);

#endif /* MODEL_ADDRESS_SPACE_H */
