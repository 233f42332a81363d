/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The differences between kernels 5.10 and 7.x, and the only version tests.
 * Kbuild includes this file before every other.
 */
#ifndef VMMPROF_COMPAT_H
#define VMMPROF_COMPAT_H

#include <linux/version.h>
#include <linux/kvm_host.h>
#include <linux/mm.h>
#include <linux/sched.h>
#include <asm/cpufeature.h>
#include <asm/processor.h>

#if !defined(CONFIG_X86_64) || !defined(CONFIG_PREEMPT_NOTIFIERS)
#error "vmmprof needs an x86-64 kernel with CONFIG_KVM"
#endif

/*
 * VMMPROF_LAYOUT_x(M): M(struct, member) for each of KVM's members that x
 * reads, for kmod/layout.c.
 */

/* Values of kvm_vcpu.arch.handling_intr_from_guest: arch/x86/kvm/x86.h. */
#define VMMPROF_HANDLING_IRQ 1
#define VMMPROF_HANDLING_NMI 2

#if LINUX_VERSION_CODE < KERNEL_VERSION(5, 17, 0)
/* No such field: a per-CPU current_vcpu says only that there is something. */
#define VMMPROF_HAVE_HANDLING 0
#define VMMPROF_LAYOUT_HANDLING(M)

static __always_inline u8 vmmprof_handling(const struct kvm_vcpu *vcpu)
{
	return 0;
}
#else
#define VMMPROF_HAVE_HANDLING	   1
#define VMMPROF_LAYOUT_HANDLING(M) M(kvm_vcpu_arch, handling_intr_from_guest),

static __always_inline u8 vmmprof_handling(const struct kvm_vcpu *vcpu)
{
	return READ_ONCE(vcpu->arch.handling_intr_from_guest);
}
#endif

#if LINUX_VERSION_CODE < KERNEL_VERSION(5, 11, 0)
/* On VMX the first such guests (TDX) came much later. */
#define VMMPROF_LAYOUT_PROTECTED(M)

static __always_inline bool vmmprof_protected(const struct kvm_vcpu *vcpu)
{
	return false;
}
#else
#define VMMPROF_LAYOUT_PROTECTED(M) M(kvm_vcpu_arch, guest_state_protected),

static __always_inline bool vmmprof_protected(const struct kvm_vcpu *vcpu)
{
	return vcpu->arch.guest_state_protected;
}
#endif

#if LINUX_VERSION_CODE < KERNEL_VERSION(5, 14, 0)
/* Nested guests had no ratio of their own. */
#define VMMPROF_LAYOUT_TSC_RATIO(M) M(kvm_vcpu_arch, tsc_scaling_ratio)

static __always_inline u64 vmmprof_tsc_ratio(const struct kvm_vcpu *vcpu)
{
	return vcpu->arch.tsc_scaling_ratio;
}
#else
#define VMMPROF_LAYOUT_TSC_RATIO(M) M(kvm_vcpu_arch, l1_tsc_scaling_ratio)

static __always_inline u64 vmmprof_tsc_ratio(const struct kvm_vcpu *vcpu)
{
	return vcpu->arch.l1_tsc_scaling_ratio;
}
#endif

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 3, 0)
static inline void vmmprof_vm_flags(struct vm_area_struct *vma,
				    unsigned long set, unsigned long clear)
{
	vma->vm_flags = (vma->vm_flags | set) & ~clear;
}
#else
static inline void vmmprof_vm_flags(struct vm_area_struct *vma,
				    unsigned long set, unsigned long clear)
{
	vm_flags_set(vma, set);
	vm_flags_clear(vma, clear);
}
#endif

#if LINUX_VERSION_CODE < KERNEL_VERSION(5, 13, 0)
/* perf did not know CPUs of several types in one machine. */
static inline bool vmmprof_hybrid(void)
{
	return false;
}
#define VMMPROF_PMU_TYPE_SHIFT 32
#else
static inline bool vmmprof_hybrid(void)
{
	return boot_cpu_has(X86_FEATURE_HYBRID_CPU);
}
#define VMMPROF_PMU_TYPE_SHIFT PERF_PMU_TYPE_SHIFT
#endif

/* The parameters of a probe of sched_switch. */
#if LINUX_VERSION_CODE < KERNEL_VERSION(5, 18, 0)
#define VMMPROF_SWITCH_ARGS                                 \
	void *data, bool preempt, struct task_struct *prev, \
		struct task_struct *next
#else
#define VMMPROF_SWITCH_ARGS                                 \
	void *data, bool preempt, struct task_struct *prev, \
		struct task_struct *next, unsigned int prev_state
#endif

/*
 * @task, which is leaving its CPU, still wants one.  From 6.12 on a task that
 * went to sleep may stay on the queue for a while (delayed dequeue); with
 * proxy execution one that waits for a mutex does.  Context: run queue locked.
 */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 12, 0)
static inline bool vmmprof_runnable(struct task_struct *task)
{
	return READ_ONCE(task->on_rq);
}
#elif LINUX_VERSION_CODE < KERNEL_VERSION(7, 2, 0)
static inline bool vmmprof_runnable(struct task_struct *task)
{
	return task_is_runnable(task);
}
#else
static inline bool vmmprof_runnable(struct task_struct *task)
{
	return task_is_runnable(task) && !task->is_blocked;
}
#endif

/* @task, which is leaving its CPU, never comes back. */
static inline bool vmmprof_task_dead(const struct task_struct *task)
{
#if LINUX_VERSION_CODE < KERNEL_VERSION(5, 14, 0)
	return task->state == TASK_DEAD;
#else
	return READ_ONCE(task->__state) == TASK_DEAD;
#endif
}

static inline bool vmmprof_on_cpu(const struct task_struct *task)
{
#if defined(CONFIG_SMP) || LINUX_VERSION_CODE >= KERNEL_VERSION(6, 17, 0)
	return READ_ONCE(task->on_cpu);
#else
	return task == current;
#endif
}

#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 16, 0)
#include <asm/cpuid/api.h> /* cpuid() was in processor.h */
#endif

#endif /* VMMPROF_COMPAT_H */
