/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * When owners of thieves took time from a VM: of each pair what was taken in
 * each of up to 256 equal parts of the time, and the stretch of it in which
 * nearly all of it was taken.
 */
#ifndef MODEL_STEAL_TIMES_H
#define MODEL_STEAL_TIMES_H

#include <stdbool.h>

#include "base/hash.h"

#define STEAL_PARTS	256
#define STEAL_PAIRS_MAX 1024 /* more have no times */

struct steal_times {
	__u64 from;  /* host TSC, the beginning of the first part */
	__u64 end;   /* 0: not known */
	__u64 width; /* ticks of a part, 0: none yet; grows with the time */
	/* of a time that was looked at last: its part, and where that begins */
	size_t at;
	__u64 at_from;
	__u64 (*ticks)[STEAL_PARTS]; /* by pair */
	size_t nr, cap;
	struct hash by_pair; /* guest << 32 | owner -> pair */
};

/* From a beginning to an end that may be exceeded; 0: not known. */
void steal_times_init(struct steal_times *st, __u64 from, __u64 until);
void steal_times_deinit(struct steal_times *st);

/* An owner took from..to of a guest's vCPU.  0 or -ENOMEM. */
int steal_times_add(struct steal_times *st, __u32 guest, __u32 owner,
		    __u64 from, __u64 to);

/* The time ends there, as far as is known by now. */
void steal_times_end(struct steal_times *st, __u64 end);

/*
 * The stretch in which at least 90 % was taken, if that is at most 80 % of the
 * time; false: it was taken all along, in several pieces, or that is not known.
 * *from, *to: host TSC, exact to a part.
 */
bool steal_times_stretch(const struct steal_times *st, __u32 guest, __u32 owner,
			 __u64 *from, __u64 *to);

#endif /* MODEL_STEAL_TIMES_H */
