// SPDX-License-Identifier: GPL-2.0-only
/*
 * The kernel's side of birth.c.  Kernel structures are dereferenced directly
 * (BTF pointers), never through bpf_probe_read_kernel(): lockdown forbids
 * that.  An event does not wake the consumer, because that would cost more than
 * everything else; the consumer polls ten times a second.
 */

#include <linux/types.h>
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#include "birth_event.h"
#include <vmmprof/maps.h>

/* The members of kernel structures used here; libbpf finds the offsets. */
#pragma clang attribute push(__attribute__((preserve_access_index)), \
			     apply_to = record)

struct mm_struct {
	void *pgd;
	struct {
		__u64 ctx_id;
	} context;
};

struct task_struct {
	struct mm_struct *mm;
	void *stack;
	int pid;
	int tgid;
	unsigned int flags;
	char comm[16];
};

struct seq_file;

struct bpf_iter_meta {
	struct seq_file *seq;
	__u64 seq_num;
};

#pragma clang attribute pop

struct bpf_iter__task {
	struct bpf_iter_meta *meta;
	struct task_struct *task;
};

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 1 << 20);
} events SEC(".maps");

struct birth_counts counts;

/* Events that one program of a hook has sent, and the other has not seen. */
__u64 sent[4096] SEC(".data.sent");

#define PF_KTHREAD 0x00200000 /* may borrow a process's mm for a while */

static __always_inline void fill(struct birth_event *e, __u32 op,
				 struct task_struct *task, struct mm_struct *mm)
{
	e->ns = bpf_ktime_get_ns();
	e->pgd = mm ? (__u64)mm->pgd : 0;
	e->stack = 0;
	e->op = op;
	e->pid = task->tgid;
	e->tid = task->pid;
	e->flags = task->flags & PF_KTHREAD ? VMMPROF_PROC_F_KTHREAD : 0;
	__builtin_memcpy(e->comm, task->comm, sizeof(e->comm));
}

/*
 * A task that is preempted in a program keeps it from running for others on that
 * CPU (this_cpu_inc_return(*prog->active) in kernel/trace/bpf_trace.c and
 * kernel/bpf/trampoline.c), and tracepoints may be preempted in new kernels.  So
 * each hook has two programs, and an event is sent by that which is the first or
 * the only one to run.  @id tells it from others of its kind that are under way.
 * Where two events fall on the same place one may be sent twice, which changes
 * nothing.
 */
static __always_inline int is_sent(enum birth_hook hook, __u64 id)
{
	__u64 *place = &sent[(id + 1024 * hook) % 4096];
	__u64 what = (hook + 1ULL) << 56 | id;

	if (*place == what) {
		*place = 0;
		__sync_fetch_and_add(&counts.alone[hook], -1);
		return 1;
	}
	*place = what;
	__sync_fetch_and_add(&counts.alone[hook], 1);
	return 0;
}

static __always_inline void *reserve(void)
{
	void *e = bpf_ringbuf_reserve(&events, sizeof(struct birth_event), 0);

	if (!e)
		__sync_fetch_and_add(&counts.lost, 1);
	return e;
}

/* @mm: NULL if the event is of no interest, which a program left out cannot know. */
static __always_inline int send(enum birth_hook hook, __u32 op,
				struct task_struct *task, struct mm_struct *mm)
{
	struct birth_event *e;

	if (is_sent(hook, task->pid) || !mm)
		return 0;
	e = reserve();
	if (!e)
		return 0;
	fill(e, op, task, mm);
	bpf_ringbuf_submit(e, BPF_RB_NO_WAKEUP);
	return 0;
}

/*
 * Called for threads, too: a leader that has exited has no mm, but its threads
 * still have it.  The task may exec or end meanwhile on another CPU, so the mm
 * is compared again after the clock was read: only if it is still the same did
 * the task have it at that time.
 */
SEC("iter/task")
int snapshot(struct bpf_iter__task *ctx)
{
	struct task_struct *task = ctx->task;
	struct birth_event e;
	struct mm_struct *mm;
	int try;

	if (!task)
		return 0;
	for (try = 0; try < 3; try++) {
		mm = task->flags & PF_KTHREAD ? NULL : task->mm;
		fill(&e, VMMPROF_OP_SNAP, task, mm);
		__asm__ volatile("" ::: "memory"); /* read task->mm again */
		if (!mm || task->mm == mm)
			break;
		e.pgd = 0;
	}
	e.stack = (__u64)task->stack;
	bpf_seq_write(ctx->meta->seq, &e, sizeof(e));
	return 0;
}

/* Before the child runs.  Threads and vfork share the parent's mm. */
static __always_inline int send_fork(struct task_struct *parent,
				     struct task_struct *child)
{
	struct mm_struct *mm = child->mm;
	struct birth_event *e;

	if (is_sent(HOOK_FORK, child->pid))
		return 0;
	e = reserve();
	if (!e)
		return 0;
	if (mm == parent->mm)
		mm = NULL;
	fill(e, VMMPROF_OP_FORK, child, mm);
	e->stack = (__u64)child->stack;
	bpf_ringbuf_submit(e, BPF_RB_NO_WAKEUP);
	return 0;
}

SEC("tp_btf/sched_process_fork")
int BPF_PROG(on_fork, struct task_struct *parent, struct task_struct *child)
{
	return send_fork(parent, child);
}

SEC("tp_btf/sched_process_fork")
int BPF_PROG(on_fork_too, struct task_struct *parent, struct task_struct *child)
{
	return send_fork(parent, child);
}

SEC("tp_btf/sched_process_exec")
int BPF_PROG(on_exec, struct task_struct *task)
{
	return send(HOOK_EXEC, VMMPROF_OP_EXEC, task, task->mm);
}

SEC("tp_btf/sched_process_exec")
int BPF_PROG(on_exec_too, struct task_struct *task)
{
	return send(HOOK_EXEC, VMMPROF_OP_EXEC, task, task->mm);
}

/*
 * exec renames the process after it got the new mm and up to a millisecond
 * before on_exec().  task->comm still has the old name here.
 */
static __always_inline int send_rename(struct task_struct *task)
{
	struct mm_struct *mm = task->pid == task->tgid ? task->mm : NULL;

	return send(HOOK_RENAME, VMMPROF_OP_RENAME, task, mm);
}

SEC("tp_btf/task_rename")
int BPF_PROG(on_rename, struct task_struct *task)
{
	return send_rename(task);
}

SEC("tp_btf/task_rename")
int BPF_PROG(on_rename_too, struct task_struct *task)
{
	return send_rename(task);
}

/*
 * The page table is freed after its last lazy user ended, perhaps by another
 * task.
 */
static __always_inline int send_drop(struct mm_struct *mm)
{
	struct birth_event *e;

	if (is_sent(HOOK_MMDROP, mm->context.ctx_id))
		return 0;
	e = reserve();
	if (!e)
		return 0;
	__builtin_memset(e, 0, sizeof(*e));
	e->ns = bpf_ktime_get_ns();
	e->pgd = (__u64)mm->pgd;
	e->op = VMMPROF_OP_DROP;
	bpf_ringbuf_submit(e, BPF_RB_NO_WAKEUP);
	return 0;
}

SEC("fentry/__mmdrop")
int BPF_PROG(on_mmdrop, struct mm_struct *mm)
{
	return send_drop(mm);
}

SEC("fentry/__mmdrop")
int BPF_PROG(on_mmdrop_too, struct mm_struct *mm)
{
	return send_drop(mm);
}

/* Addresses that peek() reads, set before loading; 0: unused. */
__u64 peek_at[PEEK_MAX] SEC(".data.peek");

/*
 * Loaded alone, and only if /proc/kcore is missing: writes the values of kernel
 * variables, once in an iteration.
 */
SEC("iter/task")
int peek(struct bpf_iter__task *ctx)
{
	__u64 values[PEEK_MAX] = {};
	int i;

	if (ctx->meta->seq_num || !ctx->task)
		return 0;
	for (i = 0; i < PEEK_MAX; i++)
		if (peek_at[i])
			bpf_probe_read_kernel(&values[i], sizeof(values[i]),
					      (const void *)peek_at[i]);
	bpf_seq_write(ctx->meta->seq, values, sizeof(values));
	return 0;
}

char LICENSE[] SEC("license") = "GPL";
