// SPDX-License-Identifier: GPL-2.0-only
/* Slices from a session's first to its last moment. */

#include <stdlib.h>

#include "cmd/slice_pass.h"
#include "model/pass.h"

struct pass {
	struct slices *s;
	size_t max;
	__u64 to;
};

/* With more counts than there may be, slices become wider. */
static bool too_many(const struct pass *p)
{
	return p->max && p->s->nr > p->max && slices_at(p->s, p->to);
}

static int widen(struct pass *p)
{
	int err = slices_trim(p->s);

	while (!err && too_many(p))
		err = slices_halve(p->s);
	return err;
}

static int record(struct analysis *a, void *arg, const union rec *rec,
		  const struct resolved *where)
{
	struct pass *p = arg;
	int ret = slices_record(a, p->s, rec, where);

	return ret || !too_many(p) ? ret : widen(p);
}

/* Without chains nobody asks for a sample's bucket at once. */
static int run_queued(struct pass *p, unsigned int keep)
{
	int ret, err;

	slices_queue_begin(p->s);
	ret = slices_run(p->s, keep, record, p);
	err = slices_queue_end(p->s);
	return ret ? ret : err;
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

int slice_pass_run(struct slices *slices, unsigned int keep, size_t max,
		   __u64 end, struct chain_pass *chains)
{
	struct pass p = { .s = slices, .max = max, .to = end };
	struct timeline *tl = slices->tl;
	int ret;

	if (chains) {
		chains->fn = record;
		chains->arg = &p;
		ret = chain_pass_run(chains, keep);
	} else {
		ret = run_queued(&p, keep);
	}
	if (!ret)
		ret = timeline_finish(tl);
	if (!ret)
		ret = slices_finish(slices, end);
	return ret ? ret : widen(&p);
}

int slice_pass(struct analysis *a, struct timeline *tl, struct slices *slices,
	       unsigned int keep, size_t max)
{
	__u64 end;
	int ret = slice_pass_begin(a, tl, slices, &end);

	return ret ? ret : slice_pass_run(slices, keep, max, end, NULL);
}
