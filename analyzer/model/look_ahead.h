/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Where the samples that a merge returns next are remembered, loaded into the CPU's
 * cache some records before their turn.
 */
#ifndef MODEL_LOOK_AHEAD_H
#define MODEL_LOOK_AHEAD_H

#include "format/merge.h"
#include "model/resolve_recent.h"

struct look_ahead {
	struct resolve_ahead of[MERGE_AHEAD]; /* by a record's place among all */
	struct resolve_ahead now;
};

/*
 * To be called after each merge_next(): of the record that it returned, until the
 * next call, NULL: not known.  What it says of one that is no sample is of no use.
 */
static inline const struct resolve_ahead *look_ahead(struct look_ahead *h,
						     const struct resolver *r,
						     const struct merge *m)
{
	const union rec *rec = merge_ahead(m);
	struct resolve_ahead *of = &h->of[m->at % MERGE_AHEAD];

	h->now = *of;
	if (rec && rec->hdr.type == VMMPROF_REC_SAMPLE)
		resolve_look_ahead(r, &rec->sample, of);
	return merge_was_ahead(m) ? &h->now : NULL;
}

#endif /* MODEL_LOOK_AHEAD_H */
