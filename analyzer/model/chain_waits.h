/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The time in which vCPUs did not run, in a tree of chains: below the guest's
 * code that was preempted or went to sleep, as the chain of the OUT record has
 * it, a frame for the state; below [steal] the thief, below [blocked] how the
 * host came to sleep.  Its sums are those of the timeline.
 *
 * Time of which no chain is known (the first OUT record is still to come, or it
 * left from the VMM's own code) is there without guest code.
 */
#ifndef MODEL_CHAIN_WAITS_H
#define MODEL_CHAIN_WAITS_H

#include "model/chain_frames.h"
#include "model/chain_inlines.h"
#include "model/chain_slices.h"
#include "model/chain_tree.h"
#include "model/timeline.h"

/* Ticks of a track below a node, whose path has the state. */
struct chain_wait {
	__u32 node, track;
	__u8 state;  /* STATE_PREEMPTED (all steal), _HALT, _BLOCKED */
	__u32 thief; /* of steal, else VMMPROF_NONE */
	__u64 ticks;
};

/* Ticks, by what became of their chains; they sum to .ticks. */
struct chain_wait_counts {
	__u64 ticks;
	__u64 none; /* without guest code */
	__u64 class[NR_CHAIN_CLASSES];
	__u64 end[NR_CHAIN_ENDS]; /* sum to those of .class */
};

/* Of a track: the chain that its thread left its CPU with. */
struct chain_asleep {
	__u32 cpu;     /* its OUT record is still joined there; NONE */
	bool known;    /* what follows is */
	bool guest;    /* with guest code, or a gap instead of it */
	__u32 code;    /* node of the code that was left */
	__u32 blocked; /* node within [blocked]; VMMPROF_NONE: not asked yet */
	__u16 end, blocked_end; /* enum chain_end */
};

struct chain_waits {
	struct analysis *a;
	struct timeline *tl;
	struct chain_tree *tree;   /* lent; frames are added */
	struct chain_join *join;   /* lent */
	struct chain_names *names; /* lent */
	struct chain_frames frames;
	struct chain_asleep *tracks;
	size_t nr_tracks;
	struct chain_wait *waits;
	size_t nr, cap;
	struct hash by_wait; /* node and track -> wait */
	__u32 last;	     /* the one that was counted last */
	struct chain_wait_counts counts;
	struct chain_slices *slices;   /* lent; NULL: not counted by time */
	struct chain_inlines *inlines; /* lent; NULL: no frames of their own */
	bool still; /* time is not counted now, to be set after init */
	bool any;   /* a chain says where its guest was: there is something */
	/* called for each stretch with its node; set after init, may be NULL */
	int (*each)(void *arg, const struct track *t, __u64 from, __u64 to,
		    __u32 node);
	void *each_arg;
	/* what the timeline told before, and still does */
	stretch_fn *stretch;
	void *stretch_arg;
};

/*
 * Before the pass, after whoever else wants the timeline's stretches.  deinit is
 * due after the last use of any of those lent.
 */
void chain_waits_init(struct chain_waits *w, struct timeline *tl,
		      struct chain_tree *tree, struct chain_join *join,
		      struct chain_names *names);
void chain_waits_deinit(struct chain_waits *w);

/*
 * Forget the tree and all time, but for what vCPUs left that do not run now.  0
 * or -ENOMEM.
 */
int chain_waits_clear(struct chain_waits *w);

/* Each record, after the timeline has had it.  0 or -errno. */
int chain_waits_record(struct chain_waits *w, const union rec *rec);

/*
 * The node under which a track's time in a state is; called during the pass, in
 * a stretch_fn of that time.  0 or -ENOMEM.
 */
int chain_waits_node(struct chain_waits *w, const struct track *t,
		     enum vcpu_state state, __u32 thief, __u32 *node);

#endif /* MODEL_CHAIN_WAITS_H */
