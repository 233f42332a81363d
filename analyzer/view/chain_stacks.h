/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The chains of a session as a list, for exports: one stack for each chain of
 * each vCPU, from the VM that it was in to the function that was hit.  Code that
 * handles a VM exit is in the VM, below the code that the exit came from.
 */
#ifndef VIEW_CHAIN_STACKS_H
#define VIEW_CHAIN_STACKS_H

#include "model/chain_waits.h"
#include "view/entries.h"
#include "view/report.h"

struct chain_stack {
	__u32 node;    /* of the tree: the innermost function */
	__u32 machine; /* 0: host, else 1 + index of the guest */
	__u32 vcpu;    /* VMMPROF_NONE: none, or not known; none of the host */
	__u32 proc;    /* process of the resolver, VMMPROF_NONE */
	__u32 tid;     /* of a tree with threads, VMMPROF_NONE: not known */
	/* of a vCPU that did not run: enum entry_state; 0: of samples */
	__u32 wait;
	__u32 thief; /* then, of steal; VMMPROF_NONE */
	bool polls;  /* of samples in which the host polled, in a halt */
	__u64 samples;
	__u64 ticks; /* of a vCPU's guest, of entries with time */
	__u64 ns;    /* then, of the host too: as struct entry has it */
};

struct chain_stacks {
	const struct chain_tree *tree;
	struct names *names;	    /* of the report */
	struct chain_stack *stacks; /* by machine, vCPU, process, node */
	size_t nr, cap;
	__u64 samples; /* of all of them */
	bool timed;    /* and they have .ns */
	/* vCPUs that have those of VM exits, and of halts that poll */
	struct hash exits[2];
	const struct chain_waits *waits; /* NULL: there are none of time */
};

/*
 * The stacks of the samples that a report has and, if @es has time, of @waits
 * (may be NULL).  Those of a vCPU's guest sum to the time of its entries, those of
 * VM exits to what their samples have of [vmm], or of halts in which the host polls,
 * which is taken from @es, and those of time to that of their state and thief.
 * 0 or -ENOMEM; deinit is due in either case.
 */
int chain_stacks_init(struct chain_stacks *s, struct report *r,
		      const struct chain_tree *tree,
		      const struct chain_waits *waits, struct entries *es);

/* enum entry_state of time in which a vCPU did not run. */
static inline unsigned int chain_wait_entry(const struct chain_wait *w)
{
	return ENTRY_PART + (w->state == STATE_HALT    ? PART_HALT :
			     w->state == STATE_BLOCKED ? PART_BLOCKED :
							 PART_STEAL);
}

/* Is the time of an entry that of VM exits which are among the stacks? */
bool chain_stacks_exits(const struct chain_stacks *s, const struct entry *e);

/* Is the time of an entry among them? */
bool chain_stacks_waits(const struct chain_stacks *s, const struct entry *e);
void chain_stacks_deinit(struct chain_stacks *s);

/* The function that was hit. */
static inline const struct chain_frame *
chain_stack_leaf(const struct chain_stacks *s, const struct chain_stack *st)
{
	return &s->tree->frames[s->tree->nodes[st->node].frame];
}

/* enum entry_state: of guest code, of the host, of the host for a guest, a wait. */
static inline unsigned int chain_stack_state(const struct chain_stacks *s,
					     const struct chain_stack *st)
{
	return st->wait				? st->wait :
	       !st->machine			? ENTRY_HOST :
	       chain_stack_leaf(s, st)->machine ? ENTRY_GUEST :
	       st->polls			? ENTRY_PART + PART_HALT :
						  ENTRY_PART + PART_VMM;
}

/*
 * The nodes of a stack without machine and process, the innermost first.  The
 * number of them; nodes has CHAIN_FRAMES_MAX places.
 */
size_t chain_stack_path(const struct chain_stacks *s,
			const struct chain_stack *st, __u32 *nodes);

#endif /* VIEW_CHAIN_STACKS_H */
