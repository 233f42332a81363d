/* SPDX-License-Identifier: GPL-2.0-only */
/* The pass over a session whose counts are kept apart by time. */
#ifndef CMD_SLICE_PASS_H
#define CMD_SLICE_PASS_H

#include "model/slices.h"

/*
 * @tl: just initialised, for @a.  What cells keep is @keep, KEEP_*.
 * Slices are made wider rather than to have more than @max counts; 0: not.  0 or
 * -errno; slices_deinit() is due in either case, of zeroed @slices.
 */
int slice_pass(struct analysis *a, struct timeline *tl, struct slices *slices,
	       unsigned int keep, size_t max);

#endif /* CMD_SLICE_PASS_H */
