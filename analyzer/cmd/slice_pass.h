/* SPDX-License-Identifier: GPL-2.0-only */
/* The pass over a session whose counts are kept apart by time. */
#ifndef VMMPROF_CMD_SLICEPASS_H
#define VMMPROF_CMD_SLICEPASS_H

#include "model/slices.h"

/*
 * @tl: just initialised, for @a.  What cells keep is @keep, VMMPROF_KEEP_*.
 * Slices are made wider rather than to have more than @max counts; 0: not.  0 or
 * -errno; vmmprof_slices_deinit() is due in either case, of zeroed @slices.
 */
int vmmprof_slice_pass(struct vmmprof_analysis *a, struct vmmprof_timeline *tl,
		       struct vmmprof_slices *slices, unsigned int keep,
		       size_t max);

#endif /* VMMPROF_CMD_SLICEPASS_H */
