/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * VM exits as the module counted them (`record --exits`), by guest or vCPU and
 * exit reason; and from samples, which guest functions caused them.
 */
#ifndef MODEL_EXIT_STATS_H
#define MODEL_EXIT_STATS_H

#include "model/analysis.h"

#define EXIT_ALL 0xfffffffeu /* in place of a reason: all of them */

struct exit_stat {
	__u32 guest;  /* index */
	__u32 vcpu;   /* its id; VMMPROF_NONE: all of the guest */
	__u32 reason; /* basic exit reason, VMMPROF_NONE: not read, EXIT_ALL */
	__u64 nr;
	__u64 total, min, max; /* ticks */
	__u64 not_ended;       /* exits that had no entry until the end */
	__u64 open;	       /* ticks of the longest of them */
	__u64 count[VMMPROF_EXIT_COUNTS];
	/* its functions, in struct exit_stats.functions */
	size_t first, functions;
	__u64 samples; /* of all of them */
};

enum exit_order { ORDER_EXITS, ORDER_TIME, ORDER_MAX };

struct exit_stats {
	/* by guest and vCPU; of each the row of all reasons first */
	struct exit_stat *rows;
	size_t nr;
	struct profile profile; /* of the samples, with event and reason */
	struct bucket *functions;
	size_t nr_functions;
	bool by_vcpu;
};

/*
 * The counts of a session.  0 or -ENOMEM; deinit is due in either case.
 */
int exit_stats_init(struct exit_stats *s, struct analysis *a, bool by_vcpu);
void exit_stats_deinit(struct exit_stats *s);

/*
 * A record of the pass: a sample that was taken while an exit was handled is
 * counted for the guest's function that it came from.  0 or -ENOMEM.
 */
int exit_stats_record(struct exit_stats *s, struct analysis *a,
		      const union rec *rec);

/*
 * After the pass: rows of one vCPU by order, largest first, and to each its
 * functions by samples of that event.  0 or -ENOMEM.
 */
int exit_stats_finish(struct exit_stats *s, enum exit_order order, __u32 event);

/*
 * The ticks that part of whole exits did not exceed, as the upper end of the
 * histogram's step, at most the largest; 0 without exits.
 */
__u64 exit_stats_quantile(const struct exit_stat *r, unsigned int part,
			  unsigned int whole);

/* The mean in ticks, 0 of none. */
__u64 exit_stats_mean(const struct exit_stat *r);

/* The shortest time that counts[i] counts. */
__u64 exit_stats_from(unsigned int i);

#endif /* MODEL_EXIT_STATS_H */
