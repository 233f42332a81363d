// SPDX-License-Identifier: GPL-2.0-only
/* Which process a sample is of, by its thread, address space or stack. */

#include <stdio.h>
#include <string.h>

#include "base/vec.h"
#include "model/resolve.h"
#include "model/resolve_parts.h"

#define CR3_PTI_USER 0x1000ull /* user half of a page table pair */

/*
 * The number of (machine, pid, name); name has at most len bytes.  @unnamed: we
 * made the name up; it never equals a real one.
 */
static int process_id(struct resolver *r, __u32 machine, __u32 pid,
		      const char *name, size_t len, bool unnamed, __u32 *ret)
{
	__u64 key = (__u64)machine << 32 | pid;
	__u32 first = hash_get(&r->pids, key), i, str;
	struct process *p;
	int err;

	err = strings_add(&r->strings, name, len, &str);
	if (err)
		return err;
	for (i = first; i != VMMPROF_NONE; i = r->processes[i].next) {
		if (r->processes[i].name == str &&
		    r->processes[i].unnamed == unnamed) {
			*ret = i;
			return 0;
		}
	}
	err = vec_grow(&r->processes, &r->cap_processes, r->nr_processes,
		       sizeof(*p));
	if (err)
		return err;
	p = &r->processes[r->nr_processes];
	p->machine = machine;
	p->pid = pid;
	p->name = str;
	p->unnamed = unnamed;
	p->next = first;
	p->image = VMMPROF_NONE;
	*ret = r->nr_processes++;
	return hash_set(&r->pids, key, *ret);
}

/* A process of which only the pid, or only the CR3, is known. */
static int process_unnamed(struct resolver *r, __u32 machine, __u32 pid,
			   const char *what, __u64 cr3, __u32 *ret)
{
	char name[48];

	if (cr3)
		snprintf(name, sizeof(name), "[%s %#llx]", what, cr3);
	else
		snprintf(name, sizeof(name), "[%s]", what);
	return process_id(r, machine, pid, name, sizeof(name), true, ret);
}

static int image_process(struct resolver *r, __u32 machine, __u32 pid,
			 struct image *im, __u32 *ret)
{
	int err;

	if (!im)
		return process_unnamed(r, machine, pid,
				       pid ? "unknown" : "swapper", 0, ret);
	if (im->proc == VMMPROF_NONE) {
		err = im->comm[0] ?
			      process_id(r, machine, pid, im->comm,
					 sizeof(im->comm), false, &im->proc) :
			      process_unnamed(r, machine, pid, "unknown", 0,
					      &im->proc);
		if (err)
			return err;
	}
	*ret = im->proc;
	return 0;
}

/* The process by the name that its address space has. */
static int space_process(struct resolver *r, __u32 machine, struct space *space,
			 __u32 *ret)
{
	int err;

	if (space->proc == VMMPROF_NONE) {
		err = process_id(r, machine, space->pid, space->comm,
				 sizeof(space->comm), false, &space->proc);
		if (err)
			return err;
	}
	*ret = space->proc;
	return 0;
}

/*
 * The process that owns the sample's address space, as far as known.  What is
 * mapped there (c->im) is the owner's also while a vfork child uses it.
 */
int process_of_space(struct resolver *r, const struct vmmprof_rec_sample *s,
		     __u64 ns, struct context *c)
{
	struct bucket_key *key = &c->key;
	struct machine *m = resolver_machine(r, key->guest);
	struct space *space;

	key->how = address_space_find_held(&m->spaces, s->guest_cr3, ns,
					   &c->when, &space);
	if (m->by_table && key->how != OWNER_KERNEL) {
		key->how = OWNER_NOT_READ;
		space = NULL;
	}
	if (!space)
		return process_unnamed(r, key->guest, VMMPROF_NONE, "cr3",
				       s->guest_cr3 & ~0xfffull, &key->proc);
	if (space->kernel)
		return process_unnamed(r, key->guest, 0, "kernel", 0,
				       &key->proc);
	c->im = procs_find_held(&m->procs, space->pid, ns, &c->when);
	if (vforks_shared(&m->vforks, space->pid, ns, &c->when)) {
		if (key->who == WHO_PTI)
			key->who = WHO_UNKNOWN;
		return process_unnamed(r, key->guest, VMMPROF_NONE,
				       "vfork: parent or child", 0, &key->proc);
	}
	/* PROC items follow a process's name more closely than MM items. */
	if (!space->comm[0] || (c->im && c->im->comm[0]))
		return image_process(r, key->guest, space->pid, c->im,
				     &key->proc);
	return space_process(r, key->guest, space, &key->proc);
}

/*
 * The process of a task, by the name that its user-mode samples get too.  A
 * kernel thread is named by a snapshot (what /proc shows of a kworker is what
 * it works on), else by its image.
 */
static int process_of_task(struct resolver *r,
			   const struct vmmprof_rec_sample *s, __u64 ns,
			   const struct task *t, struct context *c)
{
	struct bucket_key *key = &c->key;
	struct machine *m = resolver_machine(r, key->guest);
	struct image *im = procs_find_held(&m->procs, t->pid, ns, &c->when);
	struct space *space;

	if (im && im->comm[0] && !(t->kthread && t->named))
		return image_process(r, key->guest, t->pid, im, &key->proc);
	address_space_find_held(&m->spaces, s->guest_cr3, ns, &c->when, &space);
	if (space && !t->kthread && space->pid == t->pid && space->comm[0])
		return space_process(r, key->guest, space, &key->proc);
	return process_id(r, key->guest, t->pid, t->comm, sizeof(t->comm),
			  false, &key->proc);
}

/* The process for which a guest's kernel works, by the stack it is on. */
int process_of_stack(struct resolver *r, const struct vmmprof_rec_sample *s,
		     __u64 ns, bool idle, struct context *c)
{
	struct bucket_key *key = &c->key;
	struct machine *m = resolver_machine(r, key->guest);
	const struct task *task = NULL;

	if (!idle && !m->by_table)
		task = tasks_find_held(&m->tasks, s->guest_rsp, ns, &c->stack,
				       &c->when);
	/* Lazy TLB: an idle CPU keeps the CR3 of the process that ran last. */
	if (idle || (task && !task->pid)) {
		key->who = WHO_IDLE;
		key->tid = 1;
		return process_unnamed(r, key->guest, 0, "swapper", 0,
				       &key->proc);
	}
	if (task) {
		key->who = task->kthread ? WHO_KTHREAD : WHO_STACK;
		key->tid = task->tid + 1;
		return process_of_task(r, s, ns, task, c);
	}
	/*
	 * Only its owner runs with the user half, when it enters or leaves the
	 * kernel.
	 */
	if (m->pti && s->guest_cr3 & CR3_PTI_USER &&
	    !(s->hdr.flags & VMMPROF_S_SHADOW)) {
		key->who = WHO_PTI;
		return process_of_space(r, s, ns, c);
	}
	key->who = WHO_UNKNOWN;
	return process_unnamed(r, key->guest, VMMPROF_NONE,
			       "kernel: process unknown", 0, &key->proc);
}

/*
 * What CR3 or kernel stack say of the process, beside what was read.  In user
 * mode a page table that a vfork child shares says nothing.
 */
static __u8 compare_identity(struct resolver *r,
			     const struct vmmprof_rec_sample *s, __u64 ns,
			     const struct identity *who, struct context *c)
{
	struct machine *m = resolver_machine(r, c->key.guest);
	const struct task *task;
	struct space *space;
	__u32 pid;

	if (!m || m->by_table || ns == TIME_UNKNOWN)
		return WHO_MEMORY;
	if (c->key.mode == MODE_KERNEL) {
		task = tasks_find_held(&m->tasks, s->guest_rsp, ns, &c->stack,
				       &c->when);
		if (!task)
			return WHO_MEMORY;
		pid = task->pid;
	} else {
		address_space_find_held(&m->spaces, s->guest_cr3, ns, &c->when,
					&space);
		if (!space || space->kernel ||
		    vforks_shared(&m->vforks, space->pid, ns, &c->when))
			return WHO_MEMORY;
		pid = space->pid;
	}
	return pid == who->tgid ? WHO_MEMORY_SAME : WHO_MEMORY_OTHER;
}

/* The process's name: that of its first thread, as far as known. */
static int name_identity(struct resolver *r, const struct identity *who,
			 struct context *c)
{
	const struct identity *lead = identities_leader(&r->identities, who);
	struct bucket_key *key = &c->key;

	if (!who->tgid)
		return process_unnamed(r, key->guest, 0, "swapper", 0,
				       &key->proc);
	if (lead->tid != lead->tgid && c->im && c->im->comm[0])
		return image_process(r, key->guest, who->tgid, c->im,
				     &key->proc);
	return process_id(r, key->guest, who->tgid, lead->comm,
			  sizeof(lead->comm), false, &key->proc);
}

struct image *image_by_mm(const struct resolver *r, const struct machine *m,
			  const struct identity *who, __u64 ns, struct holds *h)
{
	const struct identity *lead = identities_leader(&r->identities, who);

	/* a thread began later than its process */
	return procs_find_mm(&m->procs, who->tgid, who->mm,
			     lead->tid == lead->tgid ? lead->start_ns : 0, ns,
			     h);
}

/*
 * The task's mappings, if they are of the memory that it used: an exec has
 * others.
 */
static struct image *image_of_identity(struct resolver *r, struct machine *m,
				       const struct vmmprof_rec_sample *s,
				       __u64 ns, const struct identity *who,
				       struct context *c)
{
	struct space *space;

	if (!who->tgid || who->kthread)
		return NULL;
	if (m->procs.by_mm)
		return image_by_mm(r, m, who, ns, &c->when);
	if (m->by_table && c->key.mode == MODE_USER) {
		address_space_find_held(&m->spaces, s->guest_cr3, ns, &c->when,
					&space);
		if (!space || space->pid != who->tgid)
			return NULL;
	}
	return procs_find_held(&m->procs, who->tgid, ns, &c->when);
}

/* Whose task was read: thread and process, and whose user addresses. */
int process_of_identity(struct resolver *r, const struct vmmprof_rec_sample *s,
			__u64 ns, const struct identity *who, struct context *c)
{
	struct machine *m = resolver_machine(r, c->key.guest);
	int err;

	if (m)
		c->im = image_of_identity(r, m, s, ns, who, c);
	c->key.tid = who->tid + 1;
	c->key.who = compare_identity(r, s, ns, who, c);
	/* of user code that has no function; the kernel's says why itself */
	if (!c->key.cause)
		c->key.cause = CAUSE_NO_PROCESS;
	err = name_identity(r, who, c);
	if (!err && c->im)
		r->processes[c->key.proc].image = c->im - m->procs.images;
	return err;
}

int process_of_thread(struct resolver *r, const struct vmmprof_rec_sample *s,
		      __u64 ns, struct context *c)
{
	struct machine *m = resolver_machine(r, 0);

	if (m && s->pid)
		c->im = procs_find_held(&m->procs, s->pid, ns, &c->when);
	return image_process(r, 0, s->pid, c->im, &c->key.proc);
}

int process_of_nobody(struct resolver *r, const struct vmmprof_rec_sample *s,
		      bool by_cr3, struct context *c)
{
	return by_cr3 ?
		       process_unnamed(r, c->key.guest, VMMPROF_NONE, "cr3",
				       s->guest_cr3 & ~0xfffull, &c->key.proc) :
		       process_unnamed(r, c->key.guest, VMMPROF_NONE, "unknown",
				       0, &c->key.proc);
}
