/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The time of model/chain_waits kept apart by slices of time, so that it is that
 * of any stretch of them.
 *
 * Memory: a count for each wait and slice that it has time in.
 */
#ifndef MODEL_WAIT_SLICES_H
#define MODEL_WAIT_SLICES_H

#include "model/chain_slices.h"
#include "model/chain_waits.h"

struct wait_slices {
	struct chain_waits *waits; /* lent */
	struct chain_slices counts;
};

/*
 * Before the pass, after chain_waits_init() and slices_init(); @waits counts
 * here.
 */
void wait_slices_init(struct wait_slices *w, struct chain_waits *waits,
		      const struct slices *s);
void wait_slices_deinit(struct wait_slices *w);

/* Set the ticks of all waits to those in slices @first to @last of @s. */
void wait_slices_apply(const struct wait_slices *w, const struct slices *s,
		       size_t first, size_t last);

#endif /* MODEL_WAIT_SLICES_H */
