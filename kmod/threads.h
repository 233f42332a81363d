/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The threads that were seen with a vCPU loaded, and for which CPU each waits.
 *
 * In QEMU's own code a vCPU's thread has no preemption notifier, so it has to
 * be remembered.  Keys are addresses of tasks, compared with only: a TID may
 * have a second owner while the first one makes its last switch, an address
 * may not.  That last switch (TASK_DEAD) takes the thread out again.
 *
 * A bucket is one cache line of keys, searched up to its first empty place;
 * what was taken out leaves a tombstone, which the next one may have.  A
 * thread is put in and taken out only under the lock of the run queue it is
 * on, so never twice at a time; different threads that want the same place
 * meet in a compare-and-exchange.
 *
 * waiting[cpu] counts the threads whose wait is that CPU.  Only the exchange
 * of wait changes it, by what it took out and what it put in: whatever the
 * order, the counts sum to the threads that wait, and none is below zero once
 * every exchange has been counted.
 */
#ifndef VMMPROF_THREADS_H
#define VMMPROF_THREADS_H

#include <linux/atomic.h>
#include <linux/cache.h>
#include <linux/hash.h>
#include <linux/sched.h>

#define VMMPROF_THREAD_BITS   11
#define VMMPROF_THREAD_BUCKET 8
#define VMMPROF_THREAD_TOMB   ((const struct task_struct *)1)
#define VMMPROF_THREAD_SLOTS  (VMMPROF_THREAD_BUCKET << VMMPROF_THREAD_BITS)

struct vmmprof_waiting {
	atomic_t nr;
} ____cacheline_aligned_in_smp;

struct vmmprof_threads {
	const struct task_struct *key[VMMPROF_THREAD_SLOTS];
	int wait[VMMPROF_THREAD_SLOTS];	  /* 1 + CPU, 0: does not wait */
	struct vmmprof_waiting waiting[]; /* by CPU number */
};

/* Its slot, or -1: not one of them.  Any context. */
static __always_inline int vmmprof_thread_find(const struct vmmprof_threads *t,
					       const struct task_struct *task)
{
	unsigned int at = hash_ptr(task, VMMPROF_THREAD_BITS) *
			  VMMPROF_THREAD_BUCKET;
	const struct task_struct *key;
	unsigned int i;

	for (i = 0; i < VMMPROF_THREAD_BUCKET; i++) {
		key = READ_ONCE(t->key[at + i]);
		if (likely(!key))
			return -1;
		if (key == task)
			return at + i;
	}
	return -1;
}

/* Its slot, new if need be; -1: no place.  Context: its run queue's lock. */
static inline int vmmprof_thread_add(struct vmmprof_threads *t,
				     const struct task_struct *task)
{
	unsigned int at = hash_ptr(task, VMMPROF_THREAD_BITS) *
			  VMMPROF_THREAD_BUCKET;
	const struct task_struct *key;
	int slot = vmmprof_thread_find(t, task);
	unsigned int i;

	if (slot >= 0)
		return slot;
	for (i = 0; i < VMMPROF_THREAD_BUCKET; i++) {
		key = READ_ONCE(t->key[at + i]);
		if ((!key || key == VMMPROF_THREAD_TOMB) &&
		    cmpxchg(&t->key[at + i], key, task) == key)
			return at + i;
	}
	return -1;
}

/* It waits for @cpu from now on; -1: it does not.  Context: as above. */
static inline void vmmprof_thread_wait(struct vmmprof_threads *t, int slot,
				       int cpu)
{
	int old = xchg(&t->wait[slot], cpu + 1);

	if (old == cpu + 1)
		return;
	if (cpu >= 0)
		atomic_inc(&t->waiting[cpu].nr);
	if (old > 0)
		atomic_dec(&t->waiting[old - 1].nr);
}

static inline bool vmmprof_thread_waits(const struct vmmprof_threads *t,
					int slot)
{
	return READ_ONCE(t->wait[slot]);
}

/* Its last switch. */
static inline void vmmprof_thread_remove(struct vmmprof_threads *t, int slot)
{
	vmmprof_thread_wait(t, slot, -1);
	WRITE_ONCE(t->key[slot], VMMPROF_THREAD_TOMB);
}

#endif /* VMMPROF_THREADS_H */
