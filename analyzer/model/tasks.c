// SPDX-License-Identifier: GPL-2.0-only
/* Kernel stacks from TASK items, and the search in them. */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/search.h"
#include "model/clock.h"
#include "model/tasks.h"
#include "base/sort.h"

/* THREAD_SIZE of x86-64, where the bundle does not say. */
#define STACK_SIZE     16384
#define MAX_STACK_SIZE 0x100000
#define SEVERAL	       0xfffffffeu /* threads: larger than any number */

static int cmp_task(const void *a, const void *b)
{
	const struct task *x = a, *y = b;

	if (x->stack != y->stack)
		return x->stack < y->stack ? -1 : 1;
	if (x->ns != y->ns)
		return x->ns < y->ns ? -1 : 1;
	/* Items of one moment: the fork came first. */
	return (int)x->snap - (int)y->snap;
}

/* A snapshot that finds the task of the item before it tells its name only. */
static bool same_task(const struct task *last, const struct task *t)
{
	return t->snap && last->stack == t->stack && last->pid == t->pid &&
	       last->tid == t->tid;
}

static void merge(struct tasks *ts)
{
	size_t i, n = 0;

	for (i = 0; i < ts->nr; i++) {
		struct task *t = &ts->tasks[i];

		if (n && same_task(&ts->tasks[n - 1], t)) {
			memcpy(ts->tasks[n - 1].comm, t->comm, sizeof(t->comm));
			ts->tasks[n - 1].named = true;
		} else {
			ts->tasks[n++] = *t;
		}
	}
	ts->nr = n;
}

void tasks_deinit(struct tasks *ts)
{
	hash_deinit(&ts->only);
	free(ts->tasks);
	memset(ts, 0, sizeof(*ts));
}

/* Processes that have one thread; of watched ones, as others may have begun. */
static int find_only(struct tasks *ts)
{
	const struct task *t;
	int err = 0;
	__u32 tid;

	for (t = ts->tasks; t < ts->tasks + ts->nr && !err; t++) {
		tid = hash_get(&ts->only, t->pid);
		if (tid == VMMPROF_NONE && t->tid < SEVERAL)
			err = hash_set(&ts->only, t->pid, t->tid);
		else if (tid != t->tid)
			err = hash_set(&ts->only, t->pid, SEVERAL);
	}
	return err;
}

__u32 tasks_only_thread(const struct tasks *ts, __u32 pid)
{
	__u32 tid = hash_get(&ts->only, pid);

	return tid == SEVERAL ? VMMPROF_NONE : tid;
}

int tasks_init(struct tasks *ts, const struct bundle *b, bool watched)
{
	size_t i;

	memset(ts, 0, sizeof(*ts));
	ts->snapshot_only = !watched;
	ts->size = text_number(&b->text, "stack_size", 10, STACK_SIZE);
	if (!ts->size || ts->size > MAX_STACK_SIZE)
		ts->size = STACK_SIZE;
	if (!b->nr_tasks)
		return 0;
	ts->tasks = calloc(b->nr_tasks, sizeof(*ts->tasks));
	if (!ts->tasks)
		return -ENOMEM;
	ts->nr = b->nr_tasks;
	for (i = 0; i < ts->nr; i++) {
		const struct vmmprof_maps_task *item = b->tasks[i];
		struct task *t = &ts->tasks[i];

		t->stack = item->stack;
		t->ns = item->ns;
		t->pid = item->pid;
		t->tid = item->tid;
		t->snap = item->op == VMMPROF_OP_SNAP;
		t->named = t->snap;
		t->kthread = item->flags & VMMPROF_PROC_F_KTHREAD;
		memcpy(t->comm, item->comm, sizeof(t->comm));
	}
	sort_array(ts->tasks, ts->nr, sizeof(*ts->tasks), cmp_task);
	merge(ts);
	if (!watched || !find_only(ts))
		return 0;
	tasks_deinit(ts);
	return -ENOMEM;
}

/* The number of tasks before (stack, ns], in their order. */
static size_t count_until(const struct tasks *ts, __u64 stack, __u64 ns)
{
	size_t lo = 0, hi = ts->nr, mid;

	BISECT(lo, hi, mid,
	       ts->tasks[mid].stack < stack || (ts->tasks[mid].stack == stack &&
						ts->tasks[mid].ns <= ns));
	return lo;
}

/* Without a time: the last of a stack, if it has seen no other task. */
static const struct task *find_unique(const struct tasks *ts, size_t end)
{
	const struct task *t = &ts->tasks[end - 1];

	if (end > 1 && t[-1].stack == t->stack)
		return NULL;
	return t;
}

const struct task *tasks_find(const struct tasks *ts, __u64 rsp, __u64 ns)
{
	struct holds at, when;

	holds_all(&at);
	holds_all(&when);
	return tasks_find_held(ts, rsp, ns, &at, &when);
}

const struct task *tasks_find_held(const struct tasks *ts, __u64 rsp, __u64 ns,
				   struct holds *at, struct holds *when)
{
	size_t end = count_until(ts, rsp, TIME_UNKNOWN), i;
	const struct task *t;
	__u64 stack;

	if (end < ts->nr)
		holds_above(at, rsp, ts->tasks[end].stack);
	if (!end)
		return NULL;
	stack = ts->tasks[end - 1].stack;
	holds_above(at, rsp, stack);
	if (ts->size <= ~stack && holds_above(at, rsp, stack + ts->size))
		return NULL;
	if (ns == TIME_UNKNOWN)
		return find_unique(ts, end);
	i = count_until(ts, stack, ns);
	if (i)
		holds_above(when, ns,
			    ts->tasks[i - 1].stack == stack ?
				    ts->tasks[i - 1].ns :
				    0);
	if (i < end)
		holds_above(when, ns, ts->tasks[i].ns);
	if (i && ts->tasks[i - 1].stack == stack) {
		t = &ts->tasks[i - 1];
		/* Between snapshots that differ: nobody knows since when. */
		return ts->snapshot_only && i < end ? NULL : t;
	}
	t = &ts->tasks[i];
	return t->snap ? t : NULL;
}
