// SPDX-License-Identifier: GPL-2.0-only
/* Which row of time has which chains. */

#include <string.h>

#include "view/chain_time.h"

struct finder {
	const struct chain_waits *w;
	const struct time_rows *rows;
	__u32 guest, vcpu;
};

static __u32 find_row(const struct time_rows *rows, const char *function,
		      const char *module)
{
	__u32 i;

	for (i = 0; i < rows->nr; i++)
		if (!strcmp(rows->row[i].function, function) &&
		    !strcmp(rows->row[i].module, module))
			break;
	return i;
}

/* groups_init(): .rows->nr is no row. */
static __u32 row_of(const void *arg, size_t i)
{
	const struct finder *f = arg;
	const struct chain_wait *c = &f->w->waits[i];
	const struct track *t = f->w->tl->tracks[c->track];
	const struct stolen_time st = { .track = c->track, .thief = c->thief };
	char module[24];
	__u32 row;

	if (t->guest != f->guest ||
	    (f->vcpu != VMMPROF_NONE && t->vcpu_id != f->vcpu))
		return f->rows->nr;
	if (c->state == STATE_HALT)
		return find_row(f->rows, "[halt]", "(asleep)");
	if (c->state == STATE_BLOCKED)
		return find_row(f->rows, "[blocked]", "(asleep)");
	time_thief(f->w->tl, &st, module, sizeof(module));
	row = find_row(f->rows, "[steal]", module);
	return row < f->rows->nr ? row :
				   find_row(f->rows, "[steal]", "(others)");
}

int chain_time_init(struct chain_time *c, const struct chain_waits *w,
		    const struct time_rows *rows, __u32 guest, __u32 vcpu)
{
	const struct finder f = { w, rows, guest, vcpu };

	memset(c, 0, sizeof(*c));
	c->waits = w;
	return groups_init(&c->by_row, rows->nr + 1, w->nr, row_of, &f);
}

void chain_time_deinit(struct chain_time *c)
{
	groups_deinit(&c->by_row);
}

int chain_time_row(struct chain_view *v, const struct chain_time *c, size_t row,
		   bool callee)
{
	const struct chain_wait *w;
	const __u32 *of;
	size_t i, nr;
	int err = 0;

	if (!c->waits)
		return 0;
	of = groups_of(&c->by_row, row, &nr);
	for (i = 0; i < nr && !err; i++) {
		w = &c->waits->waits[of[i]];
		/* none in the time that is looked at */
		if (!w->ticks)
			continue;
		/* whole chains, from either of their ends */
		err = chain_view_weigh(v, c->waits->tree, w->node, w->ticks,
				       callee ? ~0u : 0, callee);
	}
	return err ? err : chain_view_sort(v);
}
