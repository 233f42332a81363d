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
#include "base/saturate.h"

#define STEAL_PARTS	 256
#define STEAL_PAIRS_MAX	 1024 /* more have no times */

/* In place of a pair's number: it has no times, or it is not known yet. */
#define STEAL_PAIR_NONE	 0xffff
#define STEAL_PAIR_UNSET 0xfffe

struct steal_times {
	__u64 from;  /* host TSC, the beginning of the first part */
	__u64 end;   /* 0: not known */
	__u64 width; /* ticks of a part, 0: none yet; grows with the time */
	/* the part that time has come to, and where that begins */
	size_t at;
	__u64 at_from;
	/*
	 * Ticks by pair: what was taken in the part at hand, one beside the
	 * other as the next one may be of any pair; it comes to the others when
	 * that part is over.
	 */
	__u64 now[STEAL_PAIRS_MAX];
	__u64 (*ticks)[STEAL_PARTS];
	size_t nr, cap;
	struct hash by_pair; /* guest << 32 | owner -> pair */
};

/* From a beginning to an end that may be exceeded; 0: not known. */
void steal_times_init(struct steal_times *st, __u64 from, __u64 until);
void steal_times_deinit(struct steal_times *st);

/*
 * The number of a guest and an owner who takes time from it, the same each time;
 * STEAL_PAIR_NONE: there are too many.  0 or -ENOMEM.
 */
int steal_times_pair(struct steal_times *st, __u32 guest, __u32 owner,
		     __u16 *ret);

/* The same as steal_times_add(), from and to any part. */
void steal_times_add_parts(struct steal_times *st, __u16 pair, __u64 from,
			   __u64 to);

/*
 * The owner of a pair, which may be STEAL_PAIR_NONE, took @from to @to of one of
 * the guest's vCPUs, in ticks of the host's TSC; @from < @to.
 */
static inline void steal_times_add(struct steal_times *st, __u16 pair,
				   __u64 from, __u64 to)
{
	/* mostly it was all in the part at hand */
	if (from < st->at_from || to - st->at_from > st->width)
		steal_times_add_parts(st, pair, from, to);
	else if (pair != STEAL_PAIR_NONE)
		sat_sum(&st->now[pair], to - from);
}

/* The time ends there, as far as is known by now: it can be asked for. */
void steal_times_end(struct steal_times *st, __u64 end);

/*
 * The stretch in which at least 90 % was taken, if that is at most 80 % of the
 * time; false: it was taken all along, in several pieces, or that is not known.
 * *from, *to: host TSC, exact to a part.
 */
bool steal_times_stretch(const struct steal_times *st, __u32 guest, __u32 owner,
			 __u64 *from, __u64 *to);

#endif /* MODEL_STEAL_TIMES_H */
