/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The answer in words: of each VM how much of its time it lost, to whom and
 * when.  "web lost 24.9 % of its time (3.04 s of 12.19 s): 98.8 % to noisy, from
 * 6.2 s on; longest 16.0 ms".
 */
#ifndef VIEW_VERDICT_H
#define VIEW_VERDICT_H

#include "model/steal_matrix.h"

#define VERDICT_THIEVES 3    /* named at most */
#define VERDICT_TEXT	1536 /* bytes that any verdict has room in */

struct verdict {
	__u32 guest;	  /* index */
	__u64 time, lost; /* ticks of all its vCPUs */
	__u64 longest;	  /* wait of a vCPU, 0: not known */
	__u64 longest_at; /* ticks since the beginning */
	unsigned int nr;  /* thieves that are named */
	struct verdict_thief {
		__u32 owner; /* index in the timeline's owners */
		__u64 took;
		bool once;	/* nearly all of that from .from to .to */
		__u64 from, to; /* ticks since the beginning */
	} thieves[VERDICT_THIEVES];
};

struct verdicts {
	const struct timeline *tl;
	bool exact;
	struct steal_matrix matrix; /* VMs by owners */
	struct verdict *verdicts;   /* of each VM, who lost most first */
	size_t nr;
	__u32 *by_guest; /* number of a VM's, VMMPROF_NONE: it has none */
};

/*
 * From a finished timeline; @exact: by switch records, else by samples alone.
 * 0 or -ENOMEM; deinit is due in either case.
 */
int verdicts_init(struct verdicts *v, const struct timeline *tl, bool exact);
void verdicts_deinit(struct verdicts *v);

/* Of verdict number i, safe to print; size: VERDICT_TEXT is enough. */
void verdict_text(const struct verdicts *v, size_t i, char *buf, size_t size);

#endif /* VIEW_VERDICT_H */
