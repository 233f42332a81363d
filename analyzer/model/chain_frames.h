/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The whole chain of a sample: from the code that was hit outwards through the
 * kernel and the process that called it; of a sample taken while a VM exit was
 * handled, through KVM, "[exit: REASON]" and the guest's code that the exit came
 * from.  And of a vCPU that left its CPU, from the guest's code on.
 *
 * Frames are what was recorded and nothing else.  Where more must have been, a
 * frame says so and why; mostly it is the outermost one.  A user's chain that
 * gets as far as a function of the C library in which threads begin is complete.
 */
#ifndef MODEL_CHAIN_FRAMES_H
#define MODEL_CHAIN_FRAMES_H

#include "model/chain_frame.h"
#include "model/chain_join.h"

/*
 * Find the frames of a vCPU's thread that left its CPU: of the guest's code;
 * of @blocked inside of FRAME_STATE also what the host did for it, where that is
 * recorded.  @machine: its own.  0 or -ENOMEM.
 */
int chain_frames_out(struct chain_frames *f, struct resolver *r,
		     struct chain_names *names, const struct chain_out *o,
		     __u32 machine, bool blocked);

/* Find the frames of a sample.  0 or -ENOMEM. */
int chain_frames(struct chain_frames *f, struct resolver *r,
		 struct chain_names *names, const struct chain_sample *s);

#endif /* MODEL_CHAIN_FRAMES_H */
