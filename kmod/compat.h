/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The differences between kernels 5.10 and 7.x, by what kmod/probe found in
 * their headers (VMMPROF_HAVE_x) or by their own macros, never by a version:
 * distributions take changes from later ones.  Kbuild includes this file before
 * every other.  Versions in comments are mainline's.
 */
#ifndef VMMPROF_COMPAT_H
#define VMMPROF_COMPAT_H

#include <linux/irq_work.h>
#include <linux/kvm_host.h>
#include <linux/mm.h>
#include <linux/perf_event.h>
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

#if !VMMPROF_HAVE_HANDLING
/* Before 5.17 a per-CPU current_vcpu says only that there is something. */
#define VMMPROF_LAYOUT_HANDLING(M)

static __always_inline u8 vmmprof_handling(const struct kvm_vcpu *vcpu)
{
	return 0;
}
#else
#define VMMPROF_LAYOUT_HANDLING(M) M(kvm_vcpu_arch, handling_intr_from_guest),

static __always_inline u8 vmmprof_handling(const struct kvm_vcpu *vcpu)
{
	return READ_ONCE(vcpu->arch.handling_intr_from_guest);
}
#endif

#if !VMMPROF_HAVE_PROTECTED
/* Before 5.11.  On VMX the first such guests (TDX) came much later. */
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

/*
 * The guest's state is in nobody's VMCS, also where its owner lets KVM see
 * some of it (TDX with the attribute DEBUG, which the above does not tell).
 */
#if VMMPROF_HAVE_PROTECTED_VM
#define VMMPROF_LAYOUT_PROTECTED_VM(M) M(kvm_arch, has_protected_state),

static inline bool vmmprof_protected_vm(const struct kvm_vcpu *vcpu)
{
	return READ_ONCE(vcpu->kvm)->arch.has_protected_state;
}
#else
/* Before 6.10, long before TDX. */
#define VMMPROF_LAYOUT_PROTECTED_VM(M)

static inline bool vmmprof_protected_vm(const struct kvm_vcpu *vcpu)
{
	return false;
}
#endif

/* Kernels may lack CONFIG_KVM_SMM (6.2). */
#ifndef HF_SMM_MASK
#define HF_SMM_MASK 0
#endif

/*
 * @vcpu is loaded for KVM_RUN, not for another ioctl.  Before 6.11 every ioctl
 * looks the same.
 */
#if VMMPROF_HAVE_WANTS_TO_RUN
#define VMMPROF_LAYOUT_WANTS_TO_RUN(M) M(kvm_vcpu, wants_to_run),

static __always_inline bool vmmprof_in_run(const struct kvm_vcpu *vcpu)
{
	return READ_ONCE(vcpu->wants_to_run);
}
#else
#define VMMPROF_LAYOUT_WANTS_TO_RUN(M)

static __always_inline bool vmmprof_in_run(const struct kvm_vcpu *vcpu)
{
	return true;
}
#endif

/*
 * @vcpu has left its guest once, so that its VMCS or VMCB says why.  KVM writes
 * -1 when it makes the vCPU, and its CPU behind each exit (x86.c,
 * kvm_arch_vcpu_create(), vcpu_enter_guest()).
 */
static __always_inline bool vmmprof_has_run(const struct kvm_vcpu *vcpu)
{
	return (int)READ_ONCE(vcpu->arch.last_vmentry_cpu) != -1;
}

#if !VMMPROF_HAVE_L1_TSC_RATIO
/* Before 5.14 nested guests had no ratio of their own. */
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

#if !VMMPROF_HAVE_VM_FLAGS_SET
/* Before 6.3 */
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

#ifndef PERF_PMU_TYPE_SHIFT
/* Before 5.13 perf did not know CPUs of several types in one machine. */
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

/*
 * Pages of rings: they count as memory of who asks for them, unless pages that
 * count cannot be mapped (PageKmemcg was a type of page before 5.11).
 */
#ifdef PG_kmemcg
#define VMMPROF_MAPPED_GFP GFP_KERNEL
#else
#define VMMPROF_MAPPED_GFP GFP_KERNEL_ACCOUNT
#endif

/* The parameters of a probe of sched_switch. */
#if VMMPROF_HAVE_SWITCH_3 /* before 5.18 */
#define VMMPROF_SWITCH_ARGS                                 \
	void *data, bool preempt, struct task_struct *prev, \
		struct task_struct *next
#elif VMMPROF_HAVE_SWITCH_STATE_LAST
#define VMMPROF_SWITCH_ARGS                                 \
	void *data, bool preempt, struct task_struct *prev, \
		struct task_struct *next, unsigned int prev_state
#elif VMMPROF_HAVE_SWITCH_STATE_FIRST /* some before 5.18 was released */
#define VMMPROF_SWITCH_ARGS                                \
	void *data, bool preempt, unsigned int prev_state, \
		struct task_struct *prev, struct task_struct *next
#else
#error "vmmprof does not know this kernel's sched_switch"
#endif

/*
 * @task, which is leaving its CPU, still wants one.  From 6.12 on a task that
 * went to sleep may stay on the queue for a while (delayed dequeue); with
 * proxy execution one that waits for a mutex does.  Context: run queue locked.
 */
static inline bool vmmprof_runnable(struct task_struct *task)
{
#if VMMPROF_HAVE_IS_BLOCKED /* 7.2 */
	if (task->is_blocked)
		return false;
#endif
#if VMMPROF_HAVE_TASK_IS_RUNNABLE
	return task_is_runnable(task);
#else
	return READ_ONCE(task->on_rq);
#endif
}

/* @task, which is leaving its CPU, never comes back. */
static inline bool vmmprof_task_dead(const struct task_struct *task)
{
#if VMMPROF_HAVE_TASK_STATE /* before 5.14 */
	return task->state == TASK_DEAD;
#else
	return READ_ONCE(task->__state) == TASK_DEAD;
#endif
}

static inline bool vmmprof_on_cpu(const struct task_struct *task)
{
#if VMMPROF_HAVE_ON_CPU /* always from 6.17 on, else with CONFIG_SMP */
	return READ_ONCE(task->on_cpu);
#else
	return task == current;
#endif
}

/* perf's own check, which asks the security modules; not always exported. */
static inline int vmmprof_perf_allowed(void)
{
#if VMMPROF_HAVE_PERF_ALLOW_KERNEL /* 6.12 */
	return perf_allow_kernel();
#elif VMMPROF_HAVE_PERF_ALLOW_KERNEL_ATTR /* Red Hat's 9.6, Ubuntu's 6.8 */
	struct perf_event_attr attr = {
		.type = PERF_TYPE_HARDWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_HW_CPU_CYCLES,
	};

	return perf_allow_kernel(&attr);
#else
	return 0;
#endif
}

/* Runs in the interrupt itself with PREEMPT_RT, too. */
static inline struct irq_work
vmmprof_hard_irq_work(void (*func)(struct irq_work *))
{
#ifdef IRQ_WORK_INIT_HARD
	return IRQ_WORK_INIT_HARD(func);
#else /* before 5.11 */
	return (struct irq_work){
		.flags = ATOMIC_INIT(IRQ_WORK_HARD_IRQ),
		.func = func,
	};
#endif
}

/* Of a memslot's flags those that user space sets; above are KVM's own. */
#define VMMPROF_SLOT_FLAGS 0xffff

/* KVM's memslots: how one is found, by what members. */
#define VMMPROF_LAYOUT_SLOT(M)                                    \
	M(kvm_memory_slot, base_gfn), M(kvm_memory_slot, npages), \
		M(kvm_memory_slot, userspace_addr), M(kvm_memory_slot, flags),

#if VMMPROF_HAVE_GFN_TREE
#define VMMPROF_LAYOUT_MEMSLOTS(M, H)                         \
	VMMPROF_LAYOUT_SLOT(M)                                \
	M(kvm_memslots, gfn_tree), M(kvm_memslots, node_idx), \
		M(kvm_memory_slot, gfn_node), M(kvm_memslots, generation)

/* Its first one by address, and the next one; NULL: none.  Context: kvm->srcu. */
static inline struct kvm_memory_slot *
vmmprof_memslot_of(const struct kvm_memslots *slots, struct rb_node *node)
{
	return node ? container_of(node, struct kvm_memory_slot,
				   gfn_node[slots->node_idx]) :
		      NULL;
}

#define vmmprof_for_each_memslot(slot, slots)                                \
	for (slot = vmmprof_memslot_of(slots, rb_first(&(slots)->gfn_tree)); \
	     slot;                                                           \
	     slot = vmmprof_memslot_of(                                      \
		     slots, rb_next(&slot->gfn_node[(slots)->node_idx])))

/*
 * A number that changes whenever @kvm's memslots do.  They are part of struct kvm,
 * whose vCPU is loaded: it may be read without kvm->srcu.  Any context.
 */
static __always_inline u64 vmmprof_memslots_version(struct kvm *kvm)
{
	return READ_ONCE(rcu_dereference_raw(kvm->memslots[0])->generation);
}

static inline struct kvm_memory_slot *
vmmprof_find_memslot(struct kvm_memslots *slots, gfn_t gfn)
{
	return search_memslots(slots, gfn, false);
}
#else
/* Before 5.17 a sorted array. */
#define VMMPROF_LAYOUT_MEMSLOTS(M, H)                           \
	VMMPROF_LAYOUT_SLOT(M)                                  \
	M(kvm_memslots, used_slots), H(kvm_memslots, memslots), \
		M(kvm_memslots, generation)

#define vmmprof_for_each_memslot(slot, slots) \
	for (slot = (slots)->memslots;        \
	     slot < (slots)->memslots + (slots)->used_slots; slot++)

/*
 * A number that changes when @kvm's memslots do: where they are, for each change makes
 * new ones.  What is there may be freed meanwhile, so it is not looked at; and
 * some later ones may be at the same place again.
 */
static __always_inline u64 vmmprof_memslots_version(struct kvm *kvm)
{
	return (unsigned long)rcu_access_pointer(kvm->memslots[0]);
}

static inline struct kvm_memory_slot *
vmmprof_find_memslot(struct kvm_memslots *slots, gfn_t gfn)
{
	return __gfn_to_memslot(slots, gfn);
}
#endif

#if VMMPROF_HAVE_CPUID_API
#include <asm/cpuid/api.h> /* cpuid() was in processor.h before 6.16 */
#endif

#endif /* VMMPROF_COMPAT_H */
