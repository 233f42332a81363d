// SPDX-License-Identifier: GPL-2.0-only
/* Slices from a session's first to its last moment. */

#include <stdlib.h>

#include "cmd/slice_pass.h"

struct pass {
	struct slices *s;
	size_t max;
	__u64 to;
};

static int record(struct analysis *a, void *arg, const union rec *rec,
		  const struct resolved *where)
{
	struct pass *p = arg;
	int ret = slices_record(a, p->s, rec, where);

	if (ret || !p->max || p->s->nr <= p->max || !slices_at(p->s, p->to))
		return ret;
	return slices_halve(p->s);
}

int slice_pass_begin(struct analysis *a, struct timeline *tl,
		     struct slices *slices, __u64 *end)
{
	__u64 from;
	int ret = analysis_bounds(a, &from, end);

	if (a->time && a->time->nr) {
		from = a->time->at[0].from;
		*end = a->time->at[a->time->nr - 1].to;
	}
	/* an empty session has an axis, too */
	if (*end <= from)
		*end = from + 1;
	if (!ret)
		slices_init(slices, tl, from, *end);
	return ret;
}

int slice_pass_run(struct analysis *a, struct slices *slices, unsigned int keep,
		   size_t max, __u64 end, struct chain_pass *chains)
{
	struct pass p = { .s = slices, .max = max, .to = end };
	struct timeline *tl = slices->tl;
	int ret;

	if (chains) {
		chains->fn = record;
		chains->arg = &p;
		ret = chain_pass_run(chains, keep);
	} else {
		ret = analysis_run(a, keep | KEEP_LAST | KEEP_BARE, record, &p);
	}
	if (!ret)
		ret = timeline_finish(tl);
	return ret ? ret : slices_finish(slices, end);
}

int slice_pass(struct analysis *a, struct timeline *tl, struct slices *slices,
	       unsigned int keep, size_t max)
{
	__u64 end;
	int ret = slice_pass_begin(a, tl, slices, &end);

	return ret ? ret : slice_pass_run(a, slices, keep, max, end, NULL);
}
