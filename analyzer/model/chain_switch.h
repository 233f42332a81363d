/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Is the user part of a chain that of the task whose kernel stack was found?  It
 * was read by the page table that the CPU had, which while tasks or programs
 * change is another one's than the task's.
 */
#ifndef MODEL_CHAIN_SWITCH_H
#define MODEL_CHAIN_SWITCH_H

#include "model/chain_frame.h"

/* Find the names that are looked for.  0 or -ENOMEM. */
int chain_switch_names(struct chain_names *n, struct resolver *r);

/*
 * The kernel's frames are those from number @first on.  VMMPROF_END_DONE: the user
 * part belongs to them; else why not.  *pc: where user mode was left does, though.
 */
unsigned int chain_switch_end(const struct chain_frames *f, size_t first,
			      const struct chain_names *n,
			      const struct resolve_space *in, bool *pc);

#endif /* MODEL_CHAIN_SWITCH_H */
