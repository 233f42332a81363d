// SPDX-License-Identifier: GPL-2.0-only
/*
 * Where a guest's `current` is: looked up in its page table.
 *
 * The kernel's half of all page tables is the same, so that of any CR3 will do;
 * under page table isolation not the one of user mode, which is the other one of a
 * pair (arch/x86/mm/pti.c: PTI_USER_PGTABLE_BIT): the caller takes the bit away.
 */
#include "identity_read.h"

static u32 reason(u8 why)
{
	switch (why) {
	case VMMPROF_END_UNMAPPED:
	case VMMPROF_END_DEPTH:
		return VMMPROF_WHO_UNMAPPED;
	case VMMPROF_END_NO_MEMORY:
		return VMMPROF_WHO_NO_MEMORY;
	default:
		return VMMPROF_WHO_NOT_PRESENT;
	}
}

void vmmprof_whose_layout(struct vmmprof_whose *w,
			  const struct vmmprof_guest_layout *layout)
{
	const struct {
		u32 at, size;
	} of[] = { { layout->task_mm, 8 },
		   { layout->task_pid, 4 },
		   { layout->task_tgid, 4 },
		   { layout->task_comm, 16 },
		   { layout->task_start, 8 } };
	unsigned int i;

	w->layout = *layout;
	w->first = VMMPROF_GUEST_TASK_MAX;
	w->last = 0;
	for (i = 0; i < ARRAY_SIZE(of); i++) {
		if (of[i].at == VMMPROF_NONE)
			continue;
		w->first = min(w->first, of[i].at);
		w->last = max_t(u32, w->last, of[i].at + of[i].size - 1);
	}
}

/* The page with the pointer to the task.  WHO_FIRST, or why not. */
static u32 find_current(struct vmmprof_whose *w, struct vmmprof_guest_memory *m)
{
	if (vmmprof_guest_leaf(m, w->gs + w->layout.current_task,
			       &w->current_at))
		return VMMPROF_WHO_FIRST;
	w->current_at.size = 0;
	return reason(m->why);
}

/* The page of a member of the task; WHO_FIRST, or why not. */
static u32 find_member(struct vmmprof_whose *w, struct vmmprof_guest_memory *m,
		       u64 va)
{
	struct vmmprof_guest_leaf leaf, *to;

	if (!vmmprof_guest_leaf(m, va, &leaf))
		return reason(m->why);
	if (leaf.size > PAGE_SIZE)
		to = &w->large[va >> VMMPROF_LARGE_SHIFT &
			       (VMMPROF_WHOSE_LARGE - 1)];
	else
		to = &w->small[va >> PAGE_SHIFT & (VMMPROF_WHOSE_SMALL - 1)];
	*to = leaf;
	return VMMPROF_WHO_FIRST;
}

/* What is remembered of @va was looked up for this sample. */
static u32 find_task(struct vmmprof_whose *w, struct vmmprof_guest_memory *m,
		     u64 task)
{
	const struct vmmprof_guest_layout *o = &w->layout;
	/* comm is read in halves, of which one may be in the next page */
	const u32 at[] = { o->task_mm,	 o->task_pid,	   o->task_tgid,
			   o->task_comm, o->task_comm + 8, o->task_start,
			   o->task_flags };
	struct vmmprof_guest_leaf seen = {};
	unsigned int i;
	u32 ret;

	for (i = 0; i < ARRAY_SIZE(at); i++) {
		if (at[i] == VMMPROF_NONE ||
		    vmmprof_leaf_has(&seen, task + at[i]))
			continue;
		ret = find_member(w, m, task + at[i]);
		if (ret != VMMPROF_WHO_FIRST)
			return ret;
		seen = *vmmprof_whose_leaf(w, task + at[i]);
	}
	return VMMPROF_WHO_FIRST;
}

u32 vmmprof_whose_fill(struct vmmprof_whose *w, struct vmmprof_guest_memory *m,
		       u64 gs, u64 other, struct vmmprof_who *who)
{
	u64 task;
	u32 ret;

	if ((s64)gs >= 0)
		gs = other;
	/* the word there must not end in the next page; Linux's is a page's start */
	if ((s64)gs >= 0 || gs % 8)
		return VMMPROF_WHO_NO_BASE;
	if (w->gs != gs || !w->current_at.size) {
		w->gs = gs;
		ret = find_current(w, m);
		if (ret != VMMPROF_WHO_FIRST)
			return ret;
	}
	ret = vmmprof_whose_read(w, who, &task);
	if (ret != VMMPROF_WHO_LATER)
		return ret;
	if (!task) {
		/* mapped anew, or not present */
		ret = find_current(w, m);
		if (ret != VMMPROF_WHO_FIRST)
			return ret;
		ret = vmmprof_whose_read(w, who, &task);
		if (ret != VMMPROF_WHO_LATER)
			return ret;
		if (!task)
			return VMMPROF_WHO_NOT_PRESENT;
	}
	ret = find_task(w, m, task);
	if (ret != VMMPROF_WHO_FIRST)
		return ret;
	ret = vmmprof_whose_read(w, who, &task);
	return ret == VMMPROF_WHO_LATER ? VMMPROF_WHO_NOT_PRESENT : ret;
}
