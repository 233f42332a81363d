/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Whose kernel stack an address is at a time.  At CPL 0 the CR3 may be
 * borrowed (lazy TLB: kernel threads and idle tasks keep the page table of
 * whoever ran before); the stack pointer is the running task's own, except on
 * the stacks of interrupts and exceptions, which are nobody's.
 */
#ifndef MODEL_TASKS_H
#define MODEL_TASKS_H

#include <stdbool.h>

#include "base/hash.h"
#include "format/bundle.h"
#include "model/holds.h"

struct task {
	__u64 stack; /* lowest address */
	__u64 ns;    /* its owner's from then on */
	__u32 pid;   /* tgid */
	__u32 tid;
	bool snap;     /* known by a snapshot: it was there before ns too */
	bool kthread;  /* kernel thread */
	bool named;    /* comm is its own; else the parent's, of the fork */
	char comm[16]; /* may lack a NUL */
};

struct tasks {
	struct task *tasks; /* sorted by stack, ns */
	size_t nr;
	__u64 size;	    /* bytes of a stack */
	bool snapshot_only; /* forks were not watched */
	struct hash only;   /* pid -> its one thread; VMMPROF_NONE: several */
};

/*
 * Build from the TASK items of a checked bundle.  watched: forks were seen
 * too.  0 or -ENOMEM with nothing to release.
 */
int tasks_init(struct tasks *ts, const struct bundle *b, bool watched);
void tasks_deinit(struct tasks *ts);

/*
 * The task on whose stack rsp is at ns (CLOCK_MONOTONIC of the machine, or
 * TIME_UNKNOWN: the only one that was ever seen there), NULL if that
 * is not known.
 */
const struct task *tasks_find(const struct tasks *ts, __u64 rsp, __u64 ns);
/* *at and *when are narrowed to addresses and times of the same answer. */
const struct task *tasks_find_held(const struct tasks *ts, __u64 rsp, __u64 ns,
				   struct holds *at, struct holds *when);

/*
 * The thread of a process that never had another one while it was watched;
 * VMMPROF_NONE: it had, or nobody would have seen it.
 */
__u32 tasks_only_thread(const struct tasks *ts, __u32 pid);

#endif /* MODEL_TASKS_H */
