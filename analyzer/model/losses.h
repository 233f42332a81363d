/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Stretches of a CPU in which switch records were lost, found by a pass before
 * the main one: a LOST record comes when the stretch is over, and by then the
 * main pass has used other CPUs' records of that time.
 */
#ifndef MODEL_LOSSES_H
#define MODEL_LOSSES_H

#include "format/session.h"

#define LOSSES_MAX 65536

struct loss {
	__u64 from; /* the record before it on this CPU, or earlier; 0: none */
	__u64 to;   /* when the LOST record was written */
	__u64 nr;
	__u32 cpu;
	/* SWITCH records alone, from the first to the last of them */
	bool names;
	bool cut; /* all that would have been in the CPU's file behind .from */
};

struct losses {
	struct loss *loss; /* by from */
	size_t nr, cap;
};

/* 0 or -errno; deinit is due in either case. */
int losses_init(struct losses *l, struct session *s);

/*
 * The files of the session have other records now; those of before from number @next
 * on are still to come.  One without a record before it is from @begin on.  0 or -errno.
 */
int losses_renew(struct losses *l, size_t next, __u64 begin, struct session *s);
void losses_deinit(struct losses *l);

/* A file's records end too early, at a time; behind the first @next.  0 or -ENOMEM. */
int losses_cut(struct losses *l, size_t next, const struct merge_cut *cut);

#endif /* MODEL_LOSSES_H */
