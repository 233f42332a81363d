/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * An analysis that goes on while its session is recorded: the record files hold
 * what came since the last look, and are emptied after each.  The sums are
 * always those of one interval.
 *
 * The rings are emptied one after the other.  Records later than the end of the
 * interval are kept for the next one, so that records are used in the same
 * order as in a finished session.
 */
#ifndef MODEL_LIVE_H
#define MODEL_LIVE_H

#include "model/chain_pass.h"
#include "model/slices.h"

struct live_early {
	__u32 cpu;
	union rec rec;
	void *rest; /* what follows a CHAIN record; NULL: nothing */
};

struct live {
	struct analysis a;
	struct timeline tl;
	struct slices slices;
	struct live_early *early; /* records of the next interval */
	size_t nr_early, cap_early;
	__u64 from;		   /* of the interval */
	__u64 samples;		   /* in it */
	bool begun;		   /* it has records already: live_more() */
	unsigned int keep;	   /* KEEP_*; 0, or set after init */
	struct chain_pass *chains; /* lent, see live_chains(); or NULL */
};

/*
 * a: open (and the live view's from now on).  @from: when sampling began, host
 * TSC.  0 or -errno; deinit is due in either case.
 */
int live_init(struct live *l, __u64 from);
void live_deinit(struct live *l);

/*
 * Have the call chains of each interval in @p's tree, and those of time in which
 * vCPUs did not run in its waits; it is to be set up by this, and deinit by the
 * caller after live_deinit().  Data of chains that is
 * referred to later is kept from one interval to the next, within the bounds of
 * model/chain_ids.h; the tree is not.  0 or -ENOMEM.
 */
int live_chains(struct live *l, struct chain_pass *p);

/*
 * Use the records in the session's files: those until @until make the interval
 * that is shown now.  @pause: go on showing the one before.  0 or -errno.
 */
int live_feed(struct live *l, __u64 until, bool pause);

/*
 * Use the records in the session's files until @until for an interval that goes on:
 * its sums are there after the next live_feed(), and nothing is shown until then.
 * For passes without call chains.  0 or -errno.
 */
int live_more(struct live *l, __u64 until);

#endif /* MODEL_LIVE_H */
