/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The part of a chain in a process: by the rules of its code over a copy of the
 * stack where there is one, else by frame pointers.
 */
#ifndef MODEL_CHAIN_USER_H
#define MODEL_CHAIN_USER_H

#include "model/chain_frame.h"
#include "model/chain_join.h"

/* Find the names of functions in which threads begin.  0 or -ENOMEM. */
int chain_entry_names(struct chain_names *n, struct resolver *r);

/*
 * Add the code at @pc, where user mode was left; or a gap, if nothing is mapped
 * there.  1, in the latter case 0, or -ENOMEM.
 */
int chain_push_left(struct chain_frames *f, struct resolver *r,
		    const struct resolve_space *in, __u64 pc);

/*
 * Add the user part: @pc was hit, or left for the @kernel, whose frames are there
 * already; then it is the part's own first frame.  0 or -ENOMEM.
 */
int chain_push_user(struct chain_frames *f, struct resolver *r,
		    const struct chain_names *n, const struct resolve_space *in,
		    const struct chain_part *p, __u64 pc, bool kernel);

#endif /* MODEL_CHAIN_USER_H */
