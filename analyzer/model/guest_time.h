/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The time of vCPUs in their guests, spread over what was sampled there, so
 * that functions and processes have time, and all of it together is what the
 * switch records say.
 */
#ifndef MODEL_GUEST_TIME_H
#define MODEL_GUEST_TIME_H

#include "model/chain_tree.h"
#include "model/timeline.h"

/*
 * Set .ticks of the profile's buckets: a vCPU's ticks in a mode of its guest
 * (.on_ticks), in proportion to the samples of the timeline's event.  Where a
 * vCPU has none in that mode, the ticks are in its track's .bare.  Each bucket
 * is exact to a tick, and their sum to the tick.  After the pass; 0 or -ENOMEM.
 */
int guest_time_spread(struct timeline *tl);

/*
 * Then the same of the tree's leaves: a bucket's ticks by its samples.  0 or
 * -ENOMEM.
 */
int guest_time_leaves(struct chain_tree *tree, const struct profile *p);

#endif /* MODEL_GUEST_TIME_H */
