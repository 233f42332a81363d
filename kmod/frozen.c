// SPDX-License-Identifier: GPL-2.0-only
/* Is a guest still where a sample hit it? */
#include <linux/kvm_host.h>
#include <linux/sched.h>

#include "frozen.h"
#include "guest_state.h"
#include "vcpu.h"

struct kvm_vcpu *vmmprof_still_frozen(const struct vmmprof_frozen *f,
				      struct vmmprof_guest_at *at)
{
	struct preempt_notifier *pn;
	struct kvm_vcpu *vcpu;

	if (current != f->task)
		return NULL;
	pn = vmmprof_vcpu_notifier(current);
	vcpu = pn ? vmmprof_vcpu_of(pn) : NULL;
	if (!vcpu || vcpu != f->vcpu || !vmmprof_guest_ops->read_at(vcpu, at))
		return NULL;
	if (vcpu->arch.hflags & (HF_GUEST_MASK | HF_SMM_MASK) ||
	    at->ip - f->ip > f->slack || at->sp != f->sp || at->cr3 != f->cr3)
		return NULL;
	return vcpu;
}
