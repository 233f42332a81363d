// SPDX-License-Identifier: GPL-2.0-only
/*
 * Walks init_task.tasks of a guest.  Tasks come and go meanwhile, and the guest
 * may have written anything there: links are checked both ways, and the number of
 * steps is bounded.
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/sort.h"
#include "base/vec.h"
#include "introspect/tasks.h"

#define PF_KTHREAD 0x00200000
#define PID_MAX	   0x400000 /* PID_MAX_LIMIT of 64 bits */
#define TRIES	   5
#define SPAN_MAX   16384 /* bytes of task_struct between members */

struct list {
	__u64 next, prev;
};

/* What is read of a task at once. */
struct raw {
	struct list tasks, node;
	__u64 mm, stack, signal, parent;
	__u32 pid, tgid, flags;
	char comm[16];
};

struct walk {
	const struct guest_kernel *k;
	struct guest_tasks *to;
	unsigned int first, span; /* bytes of task_struct that are read */
	char buf[SPAN_MAX];
};

static const struct {
	enum guest_member member;
	size_t at, size;
} parts[] = {
#define PART(id, name)                                       \
	{                                                    \
		GUEST_TASK_##id, offsetof(struct raw, name), \
			sizeof(((struct raw *)0)->name)      \
	}
	PART(TASKS, tasks), PART(NODE, node),	  PART(MM, mm),
	PART(STACK, stack), PART(SIGNAL, signal), PART(PARENT, parent),
	PART(PID, pid),	    PART(TGID, tgid),	  PART(FLAGS, flags),
	PART(COMM, comm),
};

#define NR_PARTS (sizeof(parts) / sizeof(parts[0]))

/* -EOPNOTSUPP: the members are too far from each other. */
static int find_span(struct walk *w)
{
	unsigned int last = 0, i;

	w->first = -1;
	for (i = 0; i < NR_PARTS; i++) {
		unsigned int at = w->k->members.offset[parts[i].member];

		if (at < w->first)
			w->first = at;
		if (at + parts[i].size > last)
			last = at + parts[i].size;
	}
	w->span = last - w->first;
	return w->span > sizeof(w->buf) ? -EOPNOTSUPP : 0;
}

/* -ESTALE: what is at @addr does not look like a task. */
static int read_raw(struct walk *w, __u64 addr, struct raw *t)
{
	const struct guest_members *m = &w->k->members;
	unsigned int i;
	int err = guest_space_read(&w->k->space, addr + w->first, w->buf,
				   w->span);

	if (err)
		return err == -EDQUOT ? err : -ESTALE;
	for (i = 0; i < NR_PARTS; i++)
		memcpy((char *)t + parts[i].at,
		       w->buf + m->offset[parts[i].member] - w->first,
		       parts[i].size);
	t->comm[sizeof(t->comm) - 1] = '\0';
	if (addr == w->k->known[GUEST_SYM_INIT_TASK])
		return t->pid ? -ESTALE : 0;
	return t->pid && t->pid < PID_MAX && t->tgid && t->tgid < PID_MAX ?
		       0 :
		       -ESTALE;
}

/* The physical address of the page table of @mm, or 0. */
static __u64 page_table(const struct guest_kernel *k, __u64 mm)
{
	struct guest_page page;
	__u64 pgd;

	if (guest_get(k, mm, GUEST_MM_PGD, &pgd) || pgd % GUEST_PAGE ||
	    guest_space_page(&k->space, pgd, &page, NULL))
		return 0;
	return page.gpa;
}

static int add(struct walk *w, __u64 addr, const struct raw *t)
{
	struct guest_tasks *to = w->to;
	struct guest_task *one;
	__u32 ppid;

	if (to->nr >= GUEST_TASKS_MAX)
		return -ESTALE;
	if (vec_grow(&to->task, &to->cap, to->nr, sizeof(*one)))
		return -ENOMEM;
	one = &to->task[to->nr++];
	memset(one, 0, sizeof(*one));
	one->addr = addr;
	one->pid = t->pid;
	one->tgid = t->tgid;
	one->kthread = t->flags & PF_KTHREAD;
	one->stack = t->stack % GUEST_PAGE ? 0 : t->stack;
	memcpy(one->comm, t->comm, sizeof(one->comm));
	if (!guest_get32(w->k, t->parent, GUEST_TASK_TGID, &ppid) &&
	    ppid < PID_MAX)
		one->ppid = ppid;
	if (t->mm && !one->kthread) {
		one->mm = t->mm;
		one->root = page_table(w->k, t->mm);
	}
	return 0;
}

/* A leader that has exited is on the list, and its mm is its threads'. */
static int add_threads(struct walk *w, __u64 addr, const struct raw *leader)
{
	const struct guest_members *m = &w->k->members;
	const __u64 head = leader->signal + m->offset[GUEST_SIGNAL_HEAD];
	struct list node = leader->node;
	int n, err;

	if (leader->flags & PF_KTHREAD ||
	    (node.next == head && node.prev == head))
		return add(w, addr, leader);
	err = guest_space_read(&w->k->space, head, &node, sizeof(node));
	for (n = 0; !err && node.next != head && n < GUEST_TASKS_MAX; n++) {
		struct raw t;

		addr = node.next - m->offset[GUEST_TASK_NODE];
		err = read_raw(w, addr, &t);
		if (!err && t.tgid != leader->tgid)
			err = -ESTALE;
		err = err ?: add(w, addr, &t);
		node = t.node;
	}
	if (err)
		return err == -EDQUOT || err == -ENOMEM ? err : -ESTALE;
	return n < GUEST_TASKS_MAX ? 0 : -ESTALE;
}

static int walk(struct walk *w)
{
	const struct guest_members *m = &w->k->members;
	__u64 addr = w->k->known[GUEST_SYM_INIT_TASK], came_from = 0;
	struct raw t;
	int n, err;

	w->to->nr = 0;
	for (n = 0; n < GUEST_TASKS_MAX; n++) {
		err = read_raw(w, addr, &t);
		if (err)
			return err;
		if (came_from &&
		    t.tasks.prev != came_from + m->offset[GUEST_TASK_TASKS])
			return -ESTALE;
		if (came_from && addr == w->k->known[GUEST_SYM_INIT_TASK])
			return 0;
		err = add_threads(w, addr, &t);
		if (err)
			return err;
		came_from = addr;
		addr = t.tasks.next - m->offset[GUEST_TASK_TASKS];
	}
	return -ESTALE;
}

static int by_process(const void *pa, const void *pb)
{
	const struct guest_task *a = pa, *b = pb;

	if (a->tgid != b->tgid)
		return a->tgid < b->tgid ? -1 : 1;
	if (a->pid == a->tgid || b->pid == b->tgid)
		return a->pid == a->tgid ? -(b->pid != b->tgid) : 1;
	return a->pid < b->pid ? -1 : a->pid > b->pid;
}

int guest_tasks_read(const struct guest_kernel *k, struct guest_tasks *ret)
{
	struct guest_tasks now = { 0 };
	struct walk *w;
	int try, err;

	memset(ret, 0, sizeof(*ret));
	if (!k->known[GUEST_SYM_INIT_TASK] ||
	    !guest_members_have(&k->members, GUEST_PROCESSES))
		return -EOPNOTSUPP;
	w = malloc(sizeof(*w));
	if (!w)
		return -ENOMEM;
	w->k = k;
	w->to = &now;
	err = find_span(w) ?: -ESTALE;
	for (try = 0; try < TRIES && err == -ESTALE; try++) {
		err = walk(w);
		if (!err || now.nr > ret->nr) {
			struct guest_tasks more = *ret;

			*ret = now;
			now = more;
		}
	}
	free(w);
	guest_tasks_deinit(&now);
	if (err == -ESTALE && ret->nr) {
		ret->torn = true;
		err = 0;
	}
	if (err)
		guest_tasks_deinit(ret);
	else
		sort_array(ret->task, ret->nr, sizeof(*ret->task), by_process);
	return err;
}

void guest_tasks_deinit(struct guest_tasks *t)
{
	free(t->task);
	memset(t, 0, sizeof(*t));
}

struct guest_space guest_task_space(const struct guest_kernel *k,
				    const struct guest_task *task)
{
	struct guest_space s = k->space;

	s.root = task->root;
	return s;
}

void guest_task_cmdline(const struct guest_kernel *k,
			const struct guest_task *task, char *buf, size_t size)
{
	struct guest_space s = guest_task_space(k, task);
	__u64 start, end;
	size_t len, i;

	buf[0] = '\0';
	if (!task->root || guest_get(k, task->mm, GUEST_MM_ARG_START, &start) ||
	    guest_get(k, task->mm, GUEST_MM_ARG_END, &end) || end <= start)
		return;
	len = end - start < size ? end - start : size - 1;
	if (guest_space_read(&s, start, buf, len))
		len = 0;
	/* The last argument's own end is no separator. */
	if (len && !buf[len - 1])
		len--;
	for (i = 0; i < len; i++)
		if (!buf[i])
			buf[i] = ' ';
	buf[len] = '\0';
}
