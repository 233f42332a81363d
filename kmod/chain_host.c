// SPDX-License-Identifier: GPL-2.0-only
/*
 * The host's chain, as perf takes it (arch/x86/events/core.c): the kernel part
 * by the kernel's own unwinder, the user part by frame pointers.
 *
 * The unwinder also says whether the outermost frame is an entry from user
 * mode, and where its registers are.  If it gives up, they are taken from the
 * end of the task's stack, where an entry has put them.  That is all that differs
 * from perf, which takes those even if there was no such entry, or if it has not
 * put them there yet, or not all of them: then they are those of the entry before.
 */
#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/sched/task_stack.h>
#include <linux/uaccess.h>
#include <asm/unwind.h>
#include <vmmprof/ioctl.h>

#include "chain_host.h"

/* Where user mode was left. */
struct left {
	const struct pt_regs *regs; /* NULL: not known, or it was not */
	u64 bp;
};

static __always_inline struct left left_with(const struct pt_regs *regs)
{
	return (struct left){ regs, regs ? regs->bp : 0 };
}

/*
 * As the unwinder found it.  Of an entry's first instructions it knows what the CPU
 * has pushed, and follows RBP in its register; the other registers are not in memory
 * yet (arch/x86/kernel/unwind_orc.c, .full_regs).
 */
static __always_inline struct left unwound(const struct unwind_state *state)
{
	struct left left = {};

#if defined(CONFIG_UNWINDER_ORC) || defined(CONFIG_UNWINDER_FRAME_POINTER)
	if (state->regs && user_mode(state->regs))
		left = left_with(state->regs);
#endif
#ifdef CONFIG_UNWINDER_ORC
	if (!state->full_regs)
		left.bp = state->bp;
#endif
	return left;
}

/*
 * Was code interrupted that enters the kernel, or leaves it (arch/x86/entry/entry_64.S),
 * while the registers are not all at the end of the task's stack?  In a system call
 * its stack pointer is still that of user mode, or among the registers; with an
 * exception or interrupt it is on the CPU's entry stack.
 */
static __always_inline bool is_entering(const struct pt_regs *regs)
{
	unsigned long begin = (unsigned long)task_pt_regs(current);

	return (long)regs->sp >= 0 ||
	       regs->sp - begin - 1 < sizeof(struct pt_regs) ||
	       regs->sp >> P4D_SHIFT == CPU_ENTRY_AREA_BASE >> P4D_SHIFT;
}

/* By the end of the task's stack.  @regs: what was interrupted, or NULL. */
static __always_inline struct left left_by_task(const struct pt_regs *regs)
{
	if (current->flags & PF_KTHREAD || !current->mm ||
	    (regs && is_entering(regs)))
		return left_with(NULL);
	return left_with(task_pt_regs(current));
}

/* Takes the kernel part; where user mode was left. */
static notrace struct left take_kernel(struct vmmprof_chain_buf *buf,
				       struct pt_regs *regs)
{
	struct unwind_state state;
	struct left left;
	unsigned long ip;

	unwind_start(&state, current, regs, NULL);
	for (; !unwind_done(&state); unwind_next_frame(&state)) {
		ip = unwind_get_return_address(&state);
		if (!ip)
			break;
		if (!regs && !buf->nr_kernel &&
		    within_module_core(ip, THIS_MODULE))
			continue;
		if (buf->nr_kernel == buf->depth) {
			buf->end_kernel = VMMPROF_END_DEPTH;
			return left_by_task(regs);
		}
		buf->data[buf->nr_kernel++] = ip;
	}
	left = unwound(&state);
	if (left.regs || (unwind_done(&state) && !unwind_error(&state))) {
		buf->end_kernel = VMMPROF_END_DONE;
		return left;
	}
	buf->end_kernel = VMMPROF_END_UNWINDER;
	return left_by_task(regs);
}
NOKPROBE_SYMBOL(take_kernel);

static __always_inline bool read_user(u64 at, u64 two[2])
{
	return !copy_from_user_nmi(two, (const void __user *)at,
				   2 * sizeof(u64));
}

static __always_inline u8 read_frame(void *arg, u64 at, u64 frame[2])
{
	return read_user(at, frame) ? VMMPROF_END_NONE :
				      VMMPROF_END_NOT_PRESENT;
}

/* As much as there is, page by page. */
static notrace void take_stack(struct vmmprof_chain_buf *buf, u64 sp)
{
	u32 size, done = 0;

	if (sp & 7)
		return;
	for (; done < buf->stack_most; done += size) {
		size = min_t(u32, PAGE_SIZE - ((sp + done) & ~PAGE_MASK),
			     buf->stack_most - done);
		if (copy_from_user_nmi((void *)buf->stack + done,
				       (const void __user *)(sp + done), size))
			break;
	}
	buf->stack_size = done;
}
NOKPROBE_SYMBOL(take_stack);

/* @kernel: below a kernel part, of which it is the caller. */
static notrace void take_user(struct vmmprof_chain_buf *buf, struct left left,
			      bool kernel)
{
	const struct pt_regs *regs = left.regs;

	if (regs->cs != __USER_CS) {
		buf->end_user = VMMPROF_END_BITS;
		return;
	}
	if (kernel)
		vmmprof_chain_user(buf, regs->ip);
	buf->flags |= VMMPROF_C_REGS;
	buf->regs.sp = regs->sp;
	if (!read_user(regs->sp, buf->regs.top))
		memset(buf->regs.top, 0, sizeof(buf->regs.top));
	buf->end_user = vmmprof_chain_frames(buf, left.bp, regs->sp,
					     buf->depth + kernel, TASK_SIZE_MAX,
					     read_frame, NULL);
	if (buf->stack_most)
		take_stack(buf, regs->sp);
}
NOKPROBE_SYMBOL(take_user);

notrace void vmmprof_chain_host(struct vmmprof_chain_buf *buf,
				struct pt_regs *regs, u32 want)
{
	bool kernel = !regs || !user_mode(regs);
	struct left left;

	if (regs)
		buf->regs.bp = regs->bp;
	if (!kernel)
		left = left_with(regs);
	else if (want & VMMPROF_CHAIN_F_HOST_KERNEL)
		left = take_kernel(buf, regs);
	else
		left = left_by_task(regs);
	if (left.regs && want & VMMPROF_CHAIN_F_HOST_USER)
		take_user(buf, left, kernel);
}
NOKPROBE_SYMBOL(vmmprof_chain_host);
