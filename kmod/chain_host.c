// SPDX-License-Identifier: GPL-2.0-only
/*
 * The host's chain, as perf takes it (arch/x86/events/core.c): the kernel part
 * by the kernel's own unwinder, the user part by frame pointers.
 *
 * The unwinder also says whether the outermost frame is an entry from user
 * mode, and where its registers are.  If it gives up, they are taken from the
 * end of the task's stack, where an entry has put them.  That is all that differs
 * from perf, which takes those even if there was no such entry, or if it has not
 * put them there yet: then they are those of the entry before.
 */
#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/sched/task_stack.h>
#include <linux/uaccess.h>
#include <asm/unwind.h>
#include <vmmprof/ioctl.h>

#include "chain_host.h"

/* The registers of user mode that the unwinder has come to, or NULL. */
static __always_inline struct pt_regs *
unwound_to_user(const struct unwind_state *state)
{
#if defined(CONFIG_UNWINDER_ORC) || defined(CONFIG_UNWINDER_FRAME_POINTER)
	if (state->regs && user_mode(state->regs))
		return state->regs;
#endif
	return NULL;
}

static __always_inline struct pt_regs *user_regs_of_task(void)
{
	if (current->flags & PF_KTHREAD || !current->mm)
		return NULL;
	return task_pt_regs(current);
}

/*
 * Was code interrupted that enters the kernel by a system call (entry_SYSCALL_64()
 * up to its last push of arch/x86/entry/entry_64.S)?  Its stack pointer is still
 * that of user mode, or among the registers.
 */
static __always_inline bool is_entering(const struct pt_regs *regs)
{
	unsigned long begin = (unsigned long)task_pt_regs(current);

	return (long)regs->sp >= 0 ||
	       regs->sp - begin - 1 < sizeof(struct pt_regs);
}

/* The kernel part; where user mode was left, or NULL. */
static notrace struct pt_regs *take_kernel(struct vmmprof_chain_buf *buf,
					   struct pt_regs *regs)
{
	struct pt_regs *user = NULL;
	struct unwind_state state;
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
			return user_regs_of_task();
		}
		buf->data[buf->nr_kernel++] = ip;
	}
	user = unwound_to_user(&state);
	if (user || (unwind_done(&state) && !unwind_error(&state))) {
		buf->end_kernel = VMMPROF_END_DONE;
		return user;
	}
	buf->end_kernel = VMMPROF_END_UNWINDER;
	return regs && is_entering(regs) ? NULL : user_regs_of_task();
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

static notrace void take_user(struct vmmprof_chain_buf *buf,
			      const struct pt_regs *regs, bool left)
{
	if (regs->cs != __USER_CS) {
		buf->end_user = VMMPROF_END_BITS;
		return;
	}
	if (left)
		vmmprof_chain_user(buf, regs->ip);
	buf->flags |= VMMPROF_C_REGS;
	buf->regs.sp = regs->sp;
	if (!read_user(regs->sp, buf->regs.top))
		memset(buf->regs.top, 0, sizeof(buf->regs.top));
	buf->end_user = vmmprof_chain_frames(buf, regs->bp, regs->sp,
					     buf->depth + left, TASK_SIZE_MAX,
					     read_frame, NULL);
	if (buf->stack_most)
		take_stack(buf, regs->sp);
}
NOKPROBE_SYMBOL(take_user);

notrace void vmmprof_chain_host(struct vmmprof_chain_buf *buf,
				struct pt_regs *regs, u32 want)
{
	struct pt_regs *user = regs;
	bool kernel = !regs || !user_mode(regs);

	if (regs)
		buf->regs.bp = regs->bp;
	if (kernel)
		user = want & VMMPROF_CHAIN_F_HOST_KERNEL ?
			       take_kernel(buf, regs) :
			       user_regs_of_task();
	if (user && want & VMMPROF_CHAIN_F_HOST_USER)
		take_user(buf, user, kernel);
}
NOKPROBE_SYMBOL(vmmprof_chain_host);
