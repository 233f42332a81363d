/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Reading a guest's `current` by what is remembered of where it is.
 *
 * Addresses of the guest's kernel that were looked up once are kept: as pages of
 * its page table (mostly of 2 MiB), with where the VMM has them.  Such a place
 * may become stale in three ways, and a stale one must not name a process:
 *  - KVM's memslots change: their number is compared.
 *  - The guest maps the page to another place: the last entry of the walk is read
 *    again each time, and compared.
 *  - It changes a table above that one, or becomes another system: nothing is
 *    kept longer than VMMPROF_WHOSE_MS.  Linux never does the former to the
 *    memory that tasks are in (its direct mapping).
 * The pointer to the task and what it points to are read anew each time: a task's
 * memory is another one's a moment later.
 */
#ifndef VMMPROF_IDENTITY_READ_H
#define VMMPROF_IDENTITY_READ_H

#include <linux/kvm_host.h>
#include <linux/uaccess.h>
#include <vmmprof/ioctl.h>
#include <vmmprof/record.h>

#include "guest_memory.h"

#define VMMPROF_WHOSE_MS     100
#define VMMPROF_WHOSE_LARGE  16 /* pages of 2 MiB and above, by address */
#define VMMPROF_WHOSE_SMALL  32 /* of 4 KiB */
#define VMMPROF_LARGE_SHIFT  21
#define VMMPROF_TASK_KTHREAD BIT(21) /* PF_KTHREAD: 5.10 to 7.x */
#define VMMPROF_TASK_PIDS    BIT(22) /* PID_MAX_LIMIT */

/* What a CPU remembers of a vCPU. */
struct vmmprof_whose {
	const struct kvm_vcpu *vcpu; /* compared with only; NULL: empty */
	u64 slots;		     /* vmmprof_memslots_version() */
	u64 until;		     /* TSC */
	u64 gs;			     /* the kernel's GS base */
	u32 tgid;		     /* of the VMM */
	u32 gen;		     /* of struct vmmprof_vms */
	u32 why; /* WHO_FIRST: good; else what all samples get */
	struct vmmprof_guest_layout layout; /* vmmprof_whose_layout() */
	u32 first, last; /* bytes of a task's members, but its flags */
	struct vmmprof_guest_leaf current_at;
	struct vmmprof_guest_leaf large[VMMPROF_WHOSE_LARGE];
	struct vmmprof_guest_leaf small[VMMPROF_WHOSE_SMALL];
};

/* A task. */
struct vmmprof_who {
	u32 tgid;
	u32 tid;
	u64 mm;
	u64 start_ns;
	u64 comm[2];
	u32 flags; /* VMMPROF_I_* */
};

static __always_inline bool vmmprof_leaf_has(const struct vmmprof_guest_leaf *l,
					     u64 va)
{
	return va - l->va < l->size;
}

/* Where the page of @va is remembered, if it is: of 2 MiB, else of 4 KiB. */
static __always_inline const struct vmmprof_guest_leaf *
vmmprof_whose_leaf(const struct vmmprof_whose *w, u64 va)
{
	const struct vmmprof_guest_leaf *l;

	l = &w->large[va >> VMMPROF_LARGE_SHIFT & (VMMPROF_WHOSE_LARGE - 1)];
	if (likely(vmmprof_leaf_has(l, va)))
		return l;
	l = &w->small[va >> PAGE_SHIFT & (VMMPROF_WHOSE_SMALL - 1)];
	return vmmprof_leaf_has(l, va) ? l : NULL;
}

/* Is what maps @l what it was?  Inside user_access_begin(). */
static __always_inline bool
vmmprof_leaf_same(const struct vmmprof_guest_leaf *l)
{
	u64 entry;

	unsafe_get_user(entry, (u64 __user *)l->from, fault);
	return !((entry ^ l->entry) & ~VMMPROF_GUEST_ENTRY_SET);
fault:
	return false;
}

/* The place that has @va: *@at, or another one, then *@at is that. */
static __always_inline bool
vmmprof_whose_at(const struct vmmprof_whose *w,
		 const struct vmmprof_guest_leaf **at, u64 va)
{
	const struct vmmprof_guest_leaf *l;

	if (likely(vmmprof_leaf_has(*at, va)))
		return true;
	l = vmmprof_whose_leaf(w, va);
	if (!l || !vmmprof_leaf_same(l))
		return false;
	*at = l;
	return true;
}

/* @size bytes, 4 or 8, at the VMM's @hva.  Inside user_access_begin(). */
static __always_inline bool vmmprof_whose_word(u64 hva, void *to,
					       const unsigned int size)
{
	if (size == sizeof(u64))
		unsafe_get_user(*(u64 *)to, (u64 __user *)hva, fault);
	else
		unsafe_get_user(*(u32 *)to, (u32 __user *)hva, fault);
	return true;
fault:
	return false;
}

/*
 * @size bytes, 4 or 8, at @va, a multiple of that, which is in the place *@at or in
 * another one.  @there: it is in *@at, and *@base is what makes a VMM's address of
 * one there.  Inside user_access_begin().
 */
static __always_inline bool
vmmprof_whose_get(const struct vmmprof_whose *w,
		  const struct vmmprof_guest_leaf **at, u64 *base, u64 va,
		  void *to, const unsigned int size, const bool there)
{
	if (!there) {
		if (!vmmprof_whose_at(w, at, va))
			return false;
		*base = (*at)->hva - (*at)->va;
	}
	return vmmprof_whose_word(*base + va, to, size);
}

/* The members of the task at @task but its flags.  Likewise. */
static __always_inline bool
vmmprof_whose_members(const struct vmmprof_whose *w,
		      const struct vmmprof_guest_leaf **at, u64 task,
		      struct vmmprof_who *who, const bool there)
{
	const struct vmmprof_guest_layout *o = &w->layout;
	u64 base = (*at)->hva - (*at)->va;

	if (!vmmprof_whose_get(w, at, &base, task + o->task_mm, &who->mm, 8,
			       there) ||
	    !vmmprof_whose_get(w, at, &base, task + o->task_pid, &who->tid, 4,
			       there) ||
	    !vmmprof_whose_get(w, at, &base, task + o->task_tgid, &who->tgid, 4,
			       there) ||
	    !vmmprof_whose_get(w, at, &base, task + o->task_comm, &who->comm[0],
			       8, there) ||
	    !vmmprof_whose_get(w, at, &base, task + o->task_comm + 8,
			       &who->comm[1], 8, there))
		return false;
	who->flags = 0;
	who->start_ns = 0;
	if (likely(o->task_start != VMMPROF_NONE)) {
		if (!vmmprof_whose_get(w, at, &base, task + o->task_start,
				       &who->start_ns, 8, there))
			return false;
		who->flags |= VMMPROF_I_START;
	}
	return true;
}

/* All members of the task at @task.  Inside user_access_begin(). */
static __always_inline bool
vmmprof_whose_task(const struct vmmprof_whose *w,
		   const struct vmmprof_guest_leaf *at, u64 task,
		   struct vmmprof_who *who)
{
	const struct vmmprof_guest_layout *o = &w->layout;
	u64 base = 0;
	u32 flags;
	bool read;

	if (!vmmprof_whose_at(w, &at, task + w->first))
		return false;
	/* mostly one place has them all */
	if (likely(vmmprof_leaf_has(at, task + w->last)))
		read = vmmprof_whose_members(w, &at, task, who, true);
	else
		read = vmmprof_whose_members(w, &at, task, who, false);
	if (!read)
		return false;
	if (likely(o->task_flags != VMMPROF_NONE)) {
		if (!vmmprof_whose_get(w, &at, &base, task + o->task_flags,
				       &flags, 4, false))
			return false;
		if (flags & VMMPROF_TASK_KTHREAD)
			who->flags |= VMMPROF_I_KTHREAD;
	}
	return true;
}

/*
 * Who is current by what @w remembers: WHO_FIRST, or why that cannot be said;
 * WHO_LATER: it is to be looked up, *@task if it is not 0.  The VMM's memory is
 * loaded.  Context: NMI, IRQ.
 */
static __always_inline u32 vmmprof_whose_read(const struct vmmprof_whose *w,
					      struct vmmprof_who *who,
					      u64 *task)
{
	const struct vmmprof_guest_leaf *at = &w->current_at;
	u64 va = w->gs + w->layout.current_task;
	u32 ret = VMMPROF_WHO_LATER;

	*task = 0;
	pagefault_disable();
	if (!user_access_begin((void __user *)at->hva, at->size))
		goto out;
	if (!vmmprof_leaf_same(at) || !vmmprof_leaf_has(at, va) ||
	    !vmmprof_whose_word(at->hva + (va - at->va), task, 8))
		goto out_end;
	ret = VMMPROF_WHO_INVALID;
	if (unlikely((s64)*task >= 0 || *task % 8))
		goto out_end;
	ret = VMMPROF_WHO_LATER;
	if (!vmmprof_whose_task(w, at, *task, who))
		goto out_end;
	ret = VMMPROF_WHO_INVALID;
	if (likely(who->tgid < VMMPROF_TASK_PIDS &&
		   who->tid < VMMPROF_TASK_PIDS && !(who->mm & 7)))
		ret = VMMPROF_WHO_FIRST;
out_end:
	user_access_end();
out:
	pagefault_enable();
	return ret;
}

/* Set the layout of @w's tasks; its offsets were checked. */
void vmmprof_whose_layout(struct vmmprof_whose *w,
			  const struct vmmprof_guest_layout *layout);

/*
 * Look up again where a guest's `current` is and what it points to,
 * with the kernel's GS base @gs or, if that is none, @other.  @w: its layout is
 * set.  WHO_FIRST: *@who; else why not.  @m: vmmprof_guest_begin() has begun with
 * a page table of the guest's kernel.
 */
u32 vmmprof_whose_fill(struct vmmprof_whose *w, struct vmmprof_guest_memory *m,
		       u64 gs, u64 other, struct vmmprof_who *who);

#endif /* VMMPROF_IDENTITY_READ_H */
