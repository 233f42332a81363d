/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The chains of a table's rows of time: of [steal], [halt] and [blocked], as far
 * as they are from switch records.  They are weighed in ticks and sum to those
 * of their row.
 */
#ifndef VIEW_CHAIN_TIME_H
#define VIEW_CHAIN_TIME_H

#include "model/chain_waits.h"
#include "view/chain_view.h"
#include "view/report_time.h"

struct chain_time {
	const struct chain_waits *waits;
	struct groups by_row; /* of .waits->waits; the last group: of no row */
};

/*
 * Of the rows of a guest (index) and, unless VMMPROF_NONE, one vCPU.  0 or
 * -ENOMEM; deinit is due in either case.
 */
int chain_time_init(struct chain_time *c, const struct chain_waits *w,
		    const struct time_rows *rows, __u32 guest, __u32 vcpu);
void chain_time_deinit(struct chain_time *c);

/* The chains of a row, children most ticks first.  Init is due before. */
int chain_time_row(struct chain_view *v, const struct chain_time *c, size_t row,
		   bool callee);

#endif /* VIEW_CHAIN_TIME_H */
