// SPDX-License-Identifier: GPL-2.0-only
/* Fields of CHAIN records: how much they hold and why it ends. */

#include <stdio.h>

#include "model/chain_end.h"
#include "view/record_text_internal.h"

const struct vmmprof_rec_chain *line_chain(const struct line *l)
{
	return l->rec->hdr.type == VMMPROF_REC_CHAIN ? &l->rec->chain.head :
						       NULL;
}

bool line_state(const struct line *l, struct vmmprof_chain_state *ret)
{
	return line_chain(l) && rec_chain_state(&l->rec->chain, ret);
}

void field_chain(struct line *l)
{
	const struct vmmprof_rec_chain *c = line_chain(l);

	if (c)
		PUT(l, "%u", c->id);
}

void field_kernel(struct line *l)
{
	const struct vmmprof_rec_chain *c = line_chain(l);

	if (c)
		PUT(l, "%u:%s", c->nr_kernel,
		    chain_end_key(chain_end_of(c->end_kernel)));
}

void field_user(struct line *l)
{
	const struct vmmprof_rec_chain *c = line_chain(l);

	if (c)
		PUT(l, "%u:%s", c->nr_user,
		    chain_end_key(chain_end_of(c->end_user)));
}

void field_stack(struct line *l)
{
	const struct vmmprof_rec_chain *c = line_chain(l);

	if (c && c->stack_size)
		PUT(l, "%u", c->stack_size);
}
