// SPDX-License-Identifier: GPL-2.0-only
/* One analysis over one interval after the other. */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "model/live.h"
#include "model/look_ahead.h"
#include "base/vec.h"

int live_init(struct live *l, __u64 from)
{
	int ret = timeline_init(&l->tl, &l->a, GAPS_WITHOUT_SWITCHES);

	l->from = from;
	/*
	 * a vCPU that was not there at the beginning begins with its first
	 * record
	 */
	l->tl.has_start = true;
	slices_init(&l->slices, &l->tl, from, from);
	return ret ? ret : timeline_begin(&l->tl, from);
}

static void free_early(struct live_early *early, size_t nr)
{
	size_t i;

	for (i = 0; i < nr; i++)
		free(early[i].rest);
	free(early);
}

void live_deinit(struct live *l)
{
	free_early(l->early, l->nr_early);
	slices_deinit(&l->slices);
	timeline_deinit(&l->tl);
	analysis_close(&l->a);
	memset(l, 0, sizeof(*l));
}

int live_chains(struct live *l, struct chain_pass *p)
{
	int ret = chain_pass_init(p, &l->a, slices_record, &l->slices);

	l->chains = p;
	chain_pass_time(p, &l->tl);
	return ret;
}

static int feed_one(struct live *l, const union rec *rec, __u32 cpu,
		    const struct resolve_ahead *at)
{
	return l->chains ? analysis_record(&l->a, l->keep | KEEP_LAST, rec, cpu,
					   at, chain_pass_record, l->chains) :
			   analysis_record(&l->a, l->keep | KEEP_BARE, rec, cpu,
					   at, slices_record, &l->slices);
}

/* What follows a CHAIN record, which is the merge's for a moment only. */
static int keep_rest(struct live_early *e)
{
	const struct rec_chain *c = &e->rec.chain;
	size_t size = c->head.hdr.size - sizeof(c->head);

	e->rest = NULL;
	if (e->rec.hdr.type != VMMPROF_REC_CHAIN)
		return 0;
	e->rest = malloc(size + 1);
	if (!e->rest)
		return -ENOMEM;
	if (size)
		memcpy(e->rest, c->rest, size);
	e->rec.chain.rest = e->rest;
	return 0;
}

static int keep_early(struct live *l, const union rec *rec, __u32 cpu)
{
	int ret;

	if (rec->hdr.type == VMMPROF_REC_CHAIN && !l->chains)
		return 0;
	ret = vec_grow(&l->early, &l->cap_early, l->nr_early,
		       sizeof(*l->early));
	if (ret)
		return ret;
	l->early[l->nr_early].cpu = cpu;
	l->early[l->nr_early].rec = *rec;
	return keep_rest(&l->early[l->nr_early++]);
}

/* Merges the records kept from the last interval with those in the files. */
static int feed_files(struct live *l, __u64 until)
{
	struct live_early *was = l->early;
	size_t i = 0, nr = l->nr_early;
	const struct resolve_ahead *at = NULL;
	struct look_ahead ahead = { 0 };
	const union rec *rec = NULL;
	struct merge m;
	int ret, more;

	l->early = NULL;
	l->nr_early = 0;
	l->cap_early = 0;
	ret = session_merge(&l->a.session, &m);
	if (ret) {
		free_early(was, nr);
		return ret;
	}
	more = merge_next(&m, &rec);
	if (more)
		at = look_ahead(&ahead, &l->a.resolver, &m);
	while (!ret && (more || i < nr)) {
		bool early = i < nr &&
			     (!more || was[i].rec.hdr.tsc <= rec->hdr.tsc);
		const union rec *next = early ? &was[i].rec : rec;
		__u32 cpu = early ? was[i].cpu : m.cpu;

		ret = next->hdr.tsc <= until ?
			      feed_one(l, next, cpu, early ? NULL : at) :
			      keep_early(l, next, cpu);
		if (early) {
			i++;
			continue;
		}
		more = merge_next(&m, &rec);
		if (more)
			at = look_ahead(&ahead, &l->a.resolver, &m);
	}
	merge_deinit(&m);
	free_early(was, nr);
	return ret;
}

/* The same, of samples whose buckets nobody asks for at once. */
static int feed_queued(struct live *l, __u64 until)
{
	int ret, err;

	slices_queue_begin(&l->slices);
	ret = feed_files(l, until);
	if (!ret)
		ret = profile_flush(&l->a.profile, &l->a.parts);
	err = slices_queue_end(&l->slices);
	return ret ? ret : err;
}

static int use_files(struct live *l, __u64 until)
{
	__u64 samples = l->a.counts.samples;
	int ret;

	if (!l->begun) {
		slices_clear(&l->slices, l->from);
		l->samples = 0;
	}
	timeline_forget_names(&l->tl);
	ret = timeline_losses(&l->tl);
	if (!ret && l->chains && !l->chains->no_tree)
		ret = chain_waits_clear(&l->chains->waits);
	if (!ret)
		ret = l->chains ? feed_files(l, until) : feed_queued(l, until);
	if (!ret && l->chains)
		ret = chain_pass_end(l->chains);
	if (!ret)
		ret = timeline_until(&l->tl, until);
	l->samples += l->a.counts.samples - samples;
	return ret;
}

static int feed(struct live *l, __u64 until)
{
	int ret = use_files(l, until);

	if (!ret)
		ret = slices_finish(&l->slices, until);
	l->from = until;
	l->begun = false;
	return ret;
}

int live_more(struct live *l, __u64 until)
{
	int ret = use_files(l, until);

	l->begun = true;
	return ret;
}

int live_feed(struct live *l, __u64 until, bool pause)
{
	struct slices *s = &l->slices, was = *s;
	struct profile profile = l->a.profile;
	int ret;

	/* chains of an interval that is not shown are not made */
	if (l->chains) {
		l->chains->no_tree = pause;
		l->chains->waits.still = pause;
	}
	if (!pause) {
		ret = feed(l, until);
		if (!ret)
			slices_apply(s, 0, 0);
		return ret;
	}
	/* keep what is shown, and count the new interval without showing it */
	s->counts = NULL;
	s->nr = 0;
	s->cap = 0;
	memset(&l->a.profile, 0, sizeof(l->a.profile));
	ret = feed(l, until);
	free(s->counts);
	profile_deinit(&l->a.profile);
	s->counts = was.counts;
	s->nr = was.nr;
	s->cap = was.cap;
	s->from = was.from;
	s->span = was.span;
	l->a.profile = profile;
	slices_apply(s, 0, 0);
	return ret;
}
