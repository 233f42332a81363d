// SPDX-License-Identifier: GPL-2.0-only
/* Slices from a session's first to its last moment, as far as they are known. */

#include <stdlib.h>

#include "cmd/slice_pass.h"

/* First and last time of the records of a session whose end nobody wrote. */
static int find_bounds(struct vmmprof_analysis *a, __u64 *from, __u64 *to)
{
	struct vmmprof_problems *p = &a->session.problems;
	const union vmmprof_rec *rec;
	struct vmmprof_merge m;
	size_t nr = p->nr;
	int ret;

	ret = vmmprof_session_merge(&a->session, &m);
	if (ret)
		return ret;
	while (vmmprof_merge_next(&m, &rec)) {
		if (!*from)
			*from = rec->hdr.tsc;
		*to = rec->hdr.tsc;
	}
	vmmprof_merge_deinit(&m);
	/* the pass itself will say it again */
	while (p->nr > nr)
		free(p->line[--p->nr]);
	return 0;
}

struct pass {
	struct vmmprof_slices *s;
	size_t max;
	__u64 to;
};

static int record(struct vmmprof_analysis *a, void *arg,
		  const union vmmprof_rec *rec,
		  const struct vmmprof_where *where)
{
	struct pass *p = arg;
	int ret = vmmprof_slices_record(a, p->s, rec, where);

	if (ret || !p->max || p->s->nr <= p->max ||
	    !vmmprof_slices_at(p->s, p->to))
		return ret;
	return vmmprof_slices_halve(p->s);
}

int vmmprof_slice_pass(struct vmmprof_analysis *a, struct vmmprof_timeline *tl,
		       struct vmmprof_slices *slices, unsigned int keep,
		       size_t max)
{
	struct pass p = { .s = slices, .max = max };
	__u64 from = tl->begin, to = tl->end;
	int ret = 0;

	if (!tl->bounded) {
		from = 0;
		to = 0;
		ret = find_bounds(a, &from, &to);
	}
	if (ret)
		return ret;
	/* even an empty session has an axis */
	vmmprof_slices_init(slices, tl, from, to > from ? to : from + 1);
	p.to = to;
	ret = vmmprof_analysis_run(a, keep | VMMPROF_KEEP_LAST, record, &p);
	if (!ret)
		ret = vmmprof_timeline_finish(tl);
	return ret ? ret : vmmprof_slices_finish(slices, tl->end);
}
