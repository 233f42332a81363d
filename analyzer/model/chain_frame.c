// SPDX-License-Identifier: GPL-2.0-only
/* Adds frames to a chain. */

#include <string.h>

#include "model/chain_frame.h"

struct chain_frame *chain_push(struct chain_frames *f, unsigned int kind,
			       __u32 machine)
{
	/* there is room for all that the reader lets through */
	struct chain_frame
		*c = &f->frame[f->nr < CHAIN_FRAMES_MAX ? f->nr++ : f->nr - 1];

	memset(c, 0, sizeof(*c));
	c->kind = kind;
	c->machine = machine;
	c->func = VMMPROF_NONE;
	c->module = VMMPROF_NONE;
	c->file = VMMPROF_NONE;
	return c;
}

/* Frames are missing, or all there. */
void chain_gap(struct chain_frames *f, __u32 machine, unsigned int end)
{
	if (end == VMMPROF_END_DONE)
		return;
	chain_push(f, FRAME_BROKEN, machine)->what = end;
	if (f->end == VMMPROF_END_DONE)
		f->end = end;
}

int chain_push_code(struct chain_frames *f, struct resolver *r,
		    const struct resolve_space *in, bool user, __u64 addr)
{
	struct symbol_ref ref;
	struct chain_frame *c;
	int err;

	err = resolve_in(r, in, user, addr, &ref);
	if (err)
		return err;
	c = chain_push(f, FRAME_CODE, in->machine);
	c->addr = addr;
	c->link = ref.link;
	c->func = ref.func;
	c->module = ref.module;
	c->file = ref.file;
	c->mode = user ? MODE_USER : MODE_KERNEL;
	c->cause = ref.cause;
	return 0;
}
