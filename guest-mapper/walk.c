// SPDX-License-Identifier: GPL-2.0-only
/*
 * Walks init_task.tasks.  RCU is not held and tasks end meanwhile, so
 * every pointer is checked before it is followed.
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "birth.h"
#include "os/btf.h"
#include "kcore.h"
#include "kernel.h"
#include "kernel_symbols.h"
#include "walk.h"

#define PF_KTHREAD 0x00200000
#define PID_MAX	   0x400000
#define TASKS_MAX  0x400000
#define TRIES	   20

/* Members of task_struct, then of others. */
enum {
	TASKS,
	MM,
	STACK,
	PID,
	TGID,
	FLAGS,
	THREAD_NODE,
	SIGNAL,
	COMM,
	NR_TASK_MEMBERS,
	MM_PGD = NR_TASK_MEMBERS,
	SIGNAL_THREAD_HEAD,
	NR_MEMBERS,
};

static const struct {
	const char *type, *member;
} members[NR_MEMBERS] = {
	[TASKS] = { "task_struct", "tasks" },
	[MM] = { "task_struct", "mm" },
	[STACK] = { "task_struct", "stack" },
	[PID] = { "task_struct", "pid" },
	[TGID] = { "task_struct", "tgid" },
	[FLAGS] = { "task_struct", "flags" },
	[THREAD_NODE] = { "task_struct", "thread_node" },
	[SIGNAL] = { "task_struct", "signal" },
	[COMM] = { "task_struct", "comm" },
	[MM_PGD] = { "mm_struct", "pgd" },
	[SIGNAL_THREAD_HEAD] = { "signal_struct", "thread_head" },
};

struct list {
	__u64 next, prev;
};

struct task {
	struct list tasks, thread_node;
	__u64 mm, stack, signal;
	__u32 pid, tgid, flags;
	char comm[16];
};

struct task_walk {
	struct emit *emit;
	struct kcore kcore;
	__u64 init_task;
	unsigned int offset[NR_MEMBERS];
	unsigned int first, span; /* the bytes of task_struct that are read */
	char *buf;		  /* span bytes */
	struct birth_event *evs;  /* of the current walk */
	size_t nr, max;
};

/* Read the task at @addr; -ESTALE if it does not look like one. */
static int read_task(struct task_walk *w, __u64 addr, struct task *t)
{
	const char *base = w->buf - w->first;
	int err = kcore_read(&w->kcore, addr + w->first, w->buf, w->span);

	if (err)
		return -ESTALE;
	memcpy(&t->tasks, base + w->offset[TASKS], sizeof(t->tasks));
	memcpy(&t->thread_node, base + w->offset[THREAD_NODE],
	       sizeof(t->thread_node));
	memcpy(&t->mm, base + w->offset[MM], sizeof(t->mm));
	memcpy(&t->stack, base + w->offset[STACK], sizeof(t->stack));
	memcpy(&t->signal, base + w->offset[SIGNAL], sizeof(t->signal));
	memcpy(&t->pid, base + w->offset[PID], sizeof(t->pid));
	memcpy(&t->tgid, base + w->offset[TGID], sizeof(t->tgid));
	memcpy(&t->flags, base + w->offset[FLAGS], sizeof(t->flags));
	memcpy(t->comm, base + w->offset[COMM], sizeof(t->comm));
	t->comm[sizeof(t->comm) - 1] = '\0';
	if (addr == w->init_task)
		return t->pid ? -ESTALE : 0;
	return t->pid && t->pid < PID_MAX && t->tgid && t->tgid < PID_MAX ?
		       0 :
		       -ESTALE;
}

/*
 * The page table of @t, which lies at @addr; *ret is 0 if it has none or ended
 * meanwhile, which does not mean that the list changed.
 */
static int read_pgd(struct task_walk *w, __u64 addr, const struct task *t,
		    __u64 *ret)
{
	__u64 mm;

	*ret = 0;
	if (!t->mm || t->flags & PF_KTHREAD)
		return 0;
	if (kcore_read(&w->kcore, t->mm + w->offset[MM_PGD], ret,
		       sizeof(*ret)) ||
	    kcore_read(&w->kcore, addr + w->offset[MM], &mm, sizeof(mm)))
		return -ESTALE;
	if (mm != t->mm)
		*ret = 0;
	else if (*ret % 4096 || *ret < w->emit->rule.page_offset)
		return -ESTALE;
	return 0;
}

/* Keep the address space and the stack of @t, which lies at @addr. */
static int add(struct task_walk *w, __u64 addr, const struct task *t)
{
	struct birth_event *ev;
	__u64 pgd;
	int err = read_pgd(w, addr, t, &pgd);

	if (err)
		return err;
	if (w->nr == w->max) {
		size_t max = w->max ? 2 * w->max : 1024;
		void *evs = reallocarray(w->evs, max, sizeof(*w->evs));

		if (!evs)
			return -ENOMEM;
		w->evs = evs;
		w->max = max;
	}
	ev = &w->evs[w->nr++];
	memset(ev, 0, sizeof(*ev));
	ev->pgd = pgd;
	/* A stack is released before its task. */
	ev->stack = t->stack % 4096 ? 0 : t->stack;
	ev->flags = t->flags & PF_KTHREAD ? VMMPROF_PROC_F_KTHREAD : 0;
	ev->op = VMMPROF_OP_SNAP;
	ev->pid = t->tgid;
	ev->tid = t->pid;
	memcpy(ev->comm, t->comm, sizeof(ev->comm));
	return 0;
}

/* A leader that has exited has no mm, but its other threads still have it. */
static int add_threads(struct task_walk *w, __u64 leader_addr,
		       const struct task *leader)
{
	__u64 head = leader->signal + w->offset[SIGNAL_THREAD_HEAD];
	struct list node = leader->thread_node;
	unsigned int n;

	if (leader->flags & PF_KTHREAD ||
	    (node.next == head && node.prev == head))
		return add(w, leader_addr, leader);
	if (kcore_read(&w->kcore, head, &node, sizeof(node)))
		return -ESTALE;
	for (n = 0; node.next != head && n < TASKS_MAX; n++) {
		__u64 addr = node.next - w->offset[THREAD_NODE];
		struct task t;
		int err;

		if (read_task(w, addr, &t) || t.tgid != leader->tgid)
			return -ESTALE;
		err = add(w, addr, &t);
		if (err)
			return err;
		node = t.thread_node;
	}
	return 0;
}

/* One walk into w->evs; -ESTALE if the list changed meanwhile. */
static int walk(struct task_walk *w)
{
	__u64 addr = w->init_task, came_from = 0;
	struct task t;
	size_t n;
	int err;

	w->nr = 0;
	for (n = 0; n < TASKS_MAX; n++) {
		err = read_task(w, addr, &t);
		if (err)
			return err;
		if (came_from && t.tasks.prev != came_from + w->offset[TASKS])
			return -ESTALE;
		if (addr == w->init_task && came_from)
			return 0;
		err = add_threads(w, addr, &t);
		if (err)
			return err;
		came_from = addr;
		addr = t.tasks.next - w->offset[TASKS];
	}
	return -ESTALE;
}

int task_walk_snapshot(struct task_walk *w)
{
	struct birth_event *best = NULL;
	size_t i, nr_best = 0;
	__u64 now;
	int err = -ESTALE, try;

	for (try = 0; try < TRIES && err == -ESTALE; try++) {
		err = walk(w);
		if (w->nr > nr_best || (!err && best)) {
			free(best);
			best = w->evs;
			nr_best = w->nr;
			w->evs = NULL;
			w->max = 0;
		}
	}
	if (err == -ESTALE && nr_best) {
		emit_limit(
			w->emit,
			"the task list changed in each of %d walks through /proc/kcore: some processes may be missing; dump again with less load",
			TRIES);
		err = 0;
	}
	now = clock_now();
	for (i = 0; i < nr_best; i++)
		best[i].ns = now;
	if (!err)
		err = emit_snapshot(w->emit, best, nr_best);
	free(best);
	return err < 0 ? err : 0;
}

static int find_offsets(struct task_walk *w)
{
	unsigned int last = 0;
	struct btf btf;
	int i, err;

	err = btf_open_kernel(&btf);
	if (err) {
		emit_limit(
			w->emit,
			"no /proc/kcore walk: no type information in /sys/kernel/btf/vmlinux (%s); it needs a kernel with CONFIG_DEBUG_INFO_BTF",
			strerror(-err));
		return err;
	}
	w->first = -1;
	for (i = 0; i < NR_MEMBERS; i++) {
		err = btf_offset(&btf, members[i].type, members[i].member);
		if (err < 0) {
			emit_limit(
				w->emit,
				"no /proc/kcore walk: this kernel has no %s.%s",
				members[i].type, members[i].member);
			break;
		}
		w->offset[i] = err;
		if (i < NR_TASK_MEMBERS && w->offset[i] < w->first)
			w->first = w->offset[i];
		if (i < NR_TASK_MEMBERS && w->offset[i] > last)
			last = w->offset[i];
	}
	btf_free(&btf);
	w->span = last + sizeof(struct list) - w->first;
	return err < 0 ? err : 0;
}

static int find_init_task(struct task_walk *w)
{
	struct kernel_symbol sym = { .name = "init_task" };
	int err = kernel_symbols(&sym, 1);

	if (!err && !sym.addr)
		err = -EPERM;
	if (err)
		emit_limit(
			w->emit,
			"no /proc/kcore walk: /proc/kallsyms hides addresses; set kernel.kptr_restrict to 1 or 0 and run as root");
	w->init_task = sym.addr;
	return err;
}

int task_walk_open(struct emit *e, struct task_walk **ret)
{
	struct task_walk *w = calloc(1, sizeof(*w));
	int err;

	if (!w)
		return -ENOMEM;
	w->emit = e;
	err = kcore_open(&w->kcore);
	if (err)
		emit_limit(e, "no walk of /proc/kcore: %s",
			   kernel_kcore_advice(err));
	else
		err = find_init_task(w);
	if (!err)
		err = find_offsets(w);
	if (!err) {
		w->buf = malloc(w->span);
		err = w->buf ? 0 : -ENOMEM;
	}
	if (err)
		task_walk_close(w);
	else
		*ret = w;
	return err;
}

void task_walk_close(struct task_walk *w)
{
	if (!w)
		return;
	kcore_close(&w->kcore);
	free(w->buf);
	free(w->evs);
	free(w);
}
