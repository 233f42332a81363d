/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which vCPU is loaded on this CPU: the owner of the preemption notifier that
 * KVM registers for a task while the task's vCPU is loaded (vcpu_load() in
 * virt/kvm/kvm_main.c).  Other modules register notifiers, too; KVM's are
 * known by their ops, whose address vcpu.c finds out.
 */
#ifndef VMMPROF_VCPU_H
#define VMMPROF_VCPU_H

#include <linux/kvm_host.h>
#include <linux/preempt.h>
#include <linux/sched.h>

/* Compared with only, never followed.  NULL: KVM not seen yet, or gone. */
extern const struct preempt_ops *vmmprof_kvm_ops;

/* Bounds of the routine in which KVM forwards interrupts; 5.10 only. */
extern unsigned long vmmprof_forward_start, vmmprof_forward_end;

/* How often KVM came as a module, kvm or kvm_amd.  Any context. */
u64 vmmprof_kvm_loads(void);

/*
 * The KVM that was the @loads-th has its members where this module was compiled
 * to look for them; of a later one nothing is read.  -ESTALE: there is a later
 * one, or it was not so many.  Any context.
 */
int vmmprof_kvm_use(u64 loads);

/* Watch modules come and go.  Context: module init, exit. */
int vmmprof_vcpu_init(void);
void vmmprof_vcpu_exit(void);

/* The rest of vmmprof_vcpu_notifier(), when the first one is not KVM's. */
struct preempt_notifier *vmmprof_vcpu_search(struct preempt_notifier *first);

/* Ask for the name of the code at @ip, for vmmprof_ip_forwards(). */
void vmmprof_vcpu_ask_ip(unsigned long ip);

/*
 * KVM's notifier of @task, the current one, or NULL: it has no vCPU loaded.
 * Neither it nor the vCPU goes away before the interrupted code goes on.
 * Context: NMI, IRQ.
 */
static __always_inline struct preempt_notifier *
vmmprof_vcpu_notifier(struct task_struct *task)
{
	struct hlist_node *node = READ_ONCE(task->preempt_notifiers.first);
	struct preempt_notifier *pn;

	if (!node)
		return NULL;
	pn = hlist_entry(node, struct preempt_notifier, link);
	if (likely(pn->ops == READ_ONCE(vmmprof_kvm_ops)))
		return pn;
	return vmmprof_vcpu_search(pn);
}

static __always_inline struct kvm_vcpu *
vmmprof_vcpu_of(struct preempt_notifier *pn)
{
	return container_of(pn, struct kvm_vcpu, preempt_notifier);
}

/* @ip lies in KVM's forwarding routine.  Context: NMI, IRQ. */
static __always_inline bool vmmprof_ip_forwards(unsigned long ip)
{
	return ip >= READ_ONCE(vmmprof_forward_start) &&
	       ip < READ_ONCE(vmmprof_forward_end);
}

#endif /* VMMPROF_VCPU_H */
