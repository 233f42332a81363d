// SPDX-License-Identifier: GPL-2.0-only
/* From records to a tree of chains. */

#include <stdlib.h>
#include <string.h>

#include "model/chain_pass.h"
#include "model/resolve_parts.h"
#include "model/pass.h"

/* chain_fn */
static int add_sample(void *arg, const struct chain_sample *s)
{
	struct chain_pass *p = arg;
	int err;

	if (p->no_tree && !p->each)
		return 0;
	err = chain_frames(&p->frames, &p->a->resolver, &p->names, s);
	if (!err && p->expand)
		err = chain_inlines_expand(p->expand, &p->frames);
	if (!err && p->each)
		err = p->each(p->each_arg, s, &p->frames);
	if (err || p->no_tree)
		return err;
	err = chain_tree_add(&p->tree, &p->frames, s->bucket);
	if (!err && p->slices)
		err = chain_slices_add(p->slices, p->tree.last, s->rec.hdr.tsc);
	return err;
}

int chain_pass_init(struct chain_pass *p, struct analysis *a, record_fn *fn,
		    void *arg)
{
	memset(p, 0, sizeof(*p));
	p->a = a;
	p->fn = fn;
	p->arg = arg;
	chain_join_init(&p->join, add_sample, p);
	chain_inlines_init(&p->inlines, &a->resolver);
	return chain_tree_init(&p->tree);
}

void chain_pass_time(struct chain_pass *p, struct timeline *tl)
{
	chain_waits_init(&p->waits, tl, &p->tree, &p->join, &p->names);
	p->timed = true;
}

void chain_pass_deinit(struct chain_pass *p)
{
	chain_waits_deinit(&p->waits);
	chain_join_deinit(&p->join);
	chain_tree_deinit(&p->tree);
	chain_inlines_deinit(&p->inlines);
}

int chain_pass_record(struct analysis *a, void *arg, const union rec *rec,
		      const struct resolved *where)
{
	struct chain_pass *p = arg;
	struct resolved held;
	struct context context;
	int err = 0;

	if (where) {
		/* frames are resolved, too: their contexts are at its place then */
		context = *where->context;
		held = *where;
		held.context = &context;
		where = &held;
	}
	if (where && p->in_order)
		err = chain_join_before(&p->join, rec->hdr.tsc);
	if (!err && where && time_ranges_has(a->time, rec->hdr.tsc))
		err = chain_join_sample(&p->join, a->rec_cpu, &rec->sample,
					where, a->profile.last);
	else if (!err && rec->hdr.type == VMMPROF_REC_CHAIN)
		err = chain_join_chain(&p->join, a->rec_cpu, &rec->chain);
	if (!err && p->fn)
		err = p->fn(a, p->arg, rec, where);
	if (!err && p->timed)
		err = chain_waits_record(&p->waits, rec);
	return err;
}

/* Of chains, or of how many were lost. */
static bool is_of_chains(const struct vmmprof_rec_hdr *hdr)
{
	return hdr->type == VMMPROF_REC_CHAIN ||
	       hdr->type == VMMPROF_REC_PACKED ||
	       (hdr->type == VMMPROF_REC_LOST && hdr->flags & VMMPROF_L_CHAINS);
}

/* As info tells before the first record: not one that is cut, or says nothing. */
static bool told_of_none(const struct session *s)
{
	char whose[64];

	return s->text.nr && !s->info.cut &&
	       text_get(&s->text, "chains", whose, sizeof(whose)) < 0;
}

int chain_pass_look(struct analysis *a, bool *ret)
{
	struct problems *p = &a->session.problems;
	const union rec *rec;
	size_t nr = p->nr;
	struct merge m;
	int err;

	*ret = false;
	if (told_of_none(&a->session) ||
	    !session_has_record(&a->session, is_of_chains))
		return 0;
	err = session_merge(&a->session, &m);
	if (err)
		return err;
	/* one that is packed may be damaged */
	while (!*ret && merge_next(&m, &rec))
		*ret = is_of_chains(&rec->hdr);
	merge_deinit(&m);
	/* the pass itself reports the same problems */
	while (p->nr > nr)
		free(p->line[--p->nr]);
	return 0;
}

static void tell_inlines(struct chain_pass *p)
{
	if (p->inlines.left_out)
		problem(&p->a->session.problems,
			"inlined functions of %llu frames were not looked up: it takes too long, or there are too many; --time chooses fewer",
			p->inlines.left_out);
}

int chain_pass_end(struct chain_pass *p)
{
	int err = chain_join_end(&p->join);

	if (!err && p->tree.counts.full)
		problem(&p->a->session.problems,
			"of %llu samples the function alone is shown: there are too many different call chains; --time chooses fewer",
			p->tree.counts.full);
	if (!err)
		tell_inlines(p);
	return err;
}

int chain_pass_find_inlines(struct chain_pass *p)
{
	const __u32 *names;
	size_t i, nr;
	int err = 0;

	for (i = 0; i < p->tree.nr_frames && !err; i++)
		err = chain_inlines_find(&p->inlines, &p->tree.frames[i],
					 &names, &nr);
	tell_inlines(p);
	return err;
}

int chain_pass_run(struct chain_pass *p, unsigned int keep)
{
	int err = analysis_run(p->a, keep | KEEP_LAST, chain_pass_record, p);

	return err ? err : chain_pass_end(p);
}
