/* SPDX-License-Identifier: GPL-2.0-only */
/* The pass over a session that counts in slices of time. */
#ifndef CMD_SLICE_PASS_H
#define CMD_SLICE_PASS_H

#include "model/chain_pass.h"
#include "model/slices.h"

/*
 * @tl: just initialised, for @a.  @keep (KEEP_*): what buckets keep apart.  If
 * there would be more than @max counts, slices are made wider; 0: never.
 * @slices is zeroed before.  0 or -errno; slices_deinit() is due in either
 * case.
 */
int slice_pass(struct analysis *a, struct timeline *tl, struct slices *slices,
	       unsigned int keep, size_t max);

/*
 * The two halves of it, for who has more to count of each stretch of time:
 * between them tl->stretch is the slices' function, and may be wrapped.  @end:
 * of what is measured, host TSC.  @chains: just initialised, or NULL.
 */
int slice_pass_begin(struct analysis *a, struct timeline *tl,
		     struct slices *slices, __u64 *end);
int slice_pass_run(struct slices *slices, unsigned int keep, size_t max,
		   __u64 end, struct chain_pass *chains);

#endif /* CMD_SLICE_PASS_H */
