// SPDX-License-Identifier: GPL-2.0-only
/* Interval after interval through one analysis. */

#include <stdlib.h>
#include <string.h>

#include "model/live.h"
#include "base/vec.h"

int vmmprof_live_init(struct vmmprof_live *l, __u64 from)
{
	int ret = vmmprof_timeline_init(&l->tl, &l->a, false);

	l->from = from;
	/* a vCPU that was not there at the beginning begins when it is met */
	l->tl.has_start = true;
	vmmprof_slices_init(&l->slices, &l->tl, from, from);
	return ret ? ret : vmmprof_timeline_begin(&l->tl, from);
}

void vmmprof_live_deinit(struct vmmprof_live *l)
{
	free(l->early);
	vmmprof_slices_deinit(&l->slices);
	vmmprof_timeline_deinit(&l->tl);
	vmmprof_analysis_close(&l->a);
	memset(l, 0, sizeof(*l));
}

static int feed_one(struct vmmprof_live *l, const union vmmprof_rec *rec,
		    __u32 cpu)
{
	return vmmprof_analysis_record(&l->a, l->keep | VMMPROF_KEEP_LAST, rec,
				       cpu, vmmprof_slices_record, &l->slices);
}

static int keep_early(struct vmmprof_live *l, const union vmmprof_rec *rec,
		      __u32 cpu)
{
	int ret = vmmprof_vec_grow(&l->early, &l->cap_early, l->nr_early,
				   sizeof(*l->early));

	if (ret)
		return ret;
	l->early[l->nr_early].cpu = cpu;
	l->early[l->nr_early++].rec = *rec;
	return 0;
}

/* What came too early last time, and the files, in the order of time. */
static int feed_files(struct vmmprof_live *l, __u64 until)
{
	struct vmmprof_live_early *was = l->early;
	size_t i = 0, nr = l->nr_early;
	const union vmmprof_rec *rec;
	struct vmmprof_merge m;
	int ret, more;

	l->early = NULL;
	l->nr_early = 0;
	l->cap_early = 0;
	ret = vmmprof_session_merge(&l->a.session, &m);
	if (ret) {
		free(was);
		return ret;
	}
	more = vmmprof_merge_next(&m, &rec);
	while (!ret && (more || i < nr)) {
		bool early = i < nr &&
			     (!more || was[i].rec.hdr.tsc <= rec->hdr.tsc);
		const union vmmprof_rec *next = early ? &was[i].rec : rec;
		__u32 cpu = early ? was[i].cpu : m.cpu;

		ret = next->hdr.tsc <= until ? feed_one(l, next, cpu) :
					       keep_early(l, next, cpu);
		if (early)
			i++;
		else
			more = vmmprof_merge_next(&m, &rec);
	}
	vmmprof_merge_deinit(&m);
	free(was);
	return ret;
}

static int feed(struct vmmprof_live *l, __u64 until)
{
	__u64 samples = l->a.books.samples;
	int ret;

	vmmprof_slices_clear(&l->slices, l->from);
	ret = vmmprof_timeline_losses(&l->tl);
	if (!ret)
		ret = feed_files(l, until);
	if (!ret)
		ret = vmmprof_timeline_until(&l->tl, until);
	if (!ret)
		ret = vmmprof_slices_finish(&l->slices, until);
	l->from = until;
	l->samples = l->a.books.samples - samples;
	return ret;
}

int vmmprof_live_feed(struct vmmprof_live *l, __u64 until, bool pause)
{
	struct vmmprof_slices *s = &l->slices, was = *s;
	struct vmmprof_profile profile = l->a.profile;
	int ret;

	if (!pause) {
		ret = feed(l, until);
		if (!ret)
			vmmprof_slices_apply(s, 0, 0);
		return ret;
	}
	/* what is shown is kept out of the way, and what comes is not shown */
	s->counts = NULL;
	s->nr = 0;
	s->cap = 0;
	memset(&l->a.profile, 0, sizeof(l->a.profile));
	ret = feed(l, until);
	free(s->counts);
	vmmprof_profile_deinit(&l->a.profile);
	s->counts = was.counts;
	s->nr = was.nr;
	s->cap = was.cap;
	s->from = was.from;
	s->span = was.span;
	l->a.profile = profile;
	vmmprof_slices_apply(s, 0, 0);
	return ret;
}
