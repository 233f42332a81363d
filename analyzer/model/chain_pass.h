/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A pass over a session that makes a tree of its chains, beside whatever else
 * looks at the records.
 */
#ifndef MODEL_CHAIN_PASS_H
#define MODEL_CHAIN_PASS_H

#include "model/analysis.h"
#include "model/chain_inlines.h"
#include "model/chain_slices.h"
#include "model/chain_tree.h"
#include "model/chain_waits.h"

struct chain_pass {
	struct analysis *a;
	struct chain_tree tree;
	struct chain_join join;
	struct chain_names names;
	struct chain_frames frames; /* of the sample that is added */
	/* called for each record as well; may be NULL */
	record_fn *fn;
	void *arg;
	/* called for each sample with its frames; may be NULL */
	int (*each)(void *arg, const struct chain_sample *s,
		    const struct chain_frames *f);
	void *each_arg;
	struct chain_inlines inlines; /* of frames, if that was asked for */
	struct chain_inlines *expand; /* those, if frames have them; NULL */
	struct chain_slices *slices;  /* lent; NULL: not counted by time */
	/* with .timed: vCPUs' time in which they did not run */
	struct chain_waits waits;
	bool timed;
	bool in_order; /* to be set after init: .each by time, of all CPUs */
	bool no_tree;  /* to be set after init: for .each alone */
};

/*
 * Prepare; @fn: see struct.  The tree is there until deinit, which is due in
 * either case.  0 or -ENOMEM.
 */
int chain_pass_init(struct chain_pass *p, struct analysis *a, record_fn *fn,
		    void *arg);
void chain_pass_deinit(struct chain_pass *p);

/*
 * Functions inlined in others are frames.  Before the pass, after
 * chain_pass_time() if that is called.
 */
static inline void chain_pass_inlines(struct chain_pass *p)
{
	p->expand = &p->inlines;
	p->waits.inlines = &p->inlines;
}

/* Look up those of each frame of a tree without them: .inlines.  0 or -ENOMEM. */
int chain_pass_find_inlines(struct chain_pass *p);

/*
 * Add vCPUs' time to the tree.  After chain_pass_init(), before the pass and
 * after whoever else wants the timeline's stretches; .fn has each record told to
 * the timeline.
 */
void chain_pass_time(struct chain_pass *p, struct timeline *tl);

/* Does the tree have vCPUs' time?  After the pass. */
static inline bool chain_pass_timed(const struct chain_pass *p)
{
	return p->timed && p->waits.any;
}

/* record_fn: arg is the pass.  The analysis keeps KEEP_LAST. */
int chain_pass_record(struct analysis *a, void *arg, const union rec *rec,
		      const struct resolved *where);

/* After the last record: samples that still wait.  0 or -errno. */
int chain_pass_end(struct chain_pass *p);

/* All of it: analysis_run() with KEEP_LAST and @keep. */
int chain_pass_run(struct chain_pass *p, unsigned int keep);

/*
 * Does one of the record files have a CHAIN record, or tell of lost ones?  Reads
 * them up to there, unless info tells that chains were not recorded.  0 or -errno.
 */
int chain_pass_look(struct analysis *a, bool *ret);

/* Has the session any chains, or had it some that were lost? */
static inline bool chain_pass_any(const struct analysis *a)
{
	return a->counts.chain_records || a->counts.lost_chains;
}

#endif /* MODEL_CHAIN_PASS_H */
