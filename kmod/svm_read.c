// SPDX-License-Identifier: GPL-2.0-only
/* AMD SVM: whether a VMCB can be read, and KVM's word for it. */
#include <linux/kprobes.h>
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/module.h>

#include "svm_read.h"

/* @pa: of @page, perhaps with the bit that memory encryption adds (5.10-7.3). */
static __always_inline bool is_pa_of(unsigned long pa, unsigned long page)
{
	unsigned long bits = pa ^ __pa(page);

	return !bits || (is_power_of_2(bits) && bits >= BIT_ULL(32));
}

/* Looked up only: no page is read. */
static notrace bool is_page(unsigned long addr)
{
	return addr && !(addr & ~PAGE_MASK) && virt_addr_valid((void *)addr);
}
NOKPROBE_SYMBOL(is_page);

notrace bool vmmprof_svm_valid(const struct kvm_vcpu *vcpu)
{
	const struct vmmprof_vcpu_svm *svm = svm_vcpu(vcpu);
	unsigned long vmcb = (unsigned long)svm_vmcb(vcpu);
	unsigned long own = READ_ONCE(svm->next[0]);

	BUILD_BUG_ON(offsetof(struct vmcb, control.exit_code) != 0x70);
	BUILD_BUG_ON(offsetof(struct vmcb, control.exit_int_info) != 0x88);
	BUILD_BUG_ON(offsetof(struct vmcb, save.rip) != 0x578);

	if (!is_page(vmcb))
		return false;
	if (!VMMPROF_HAVE_L1_TSC_RATIO && is_pa_of(own, vmcb))
		return true;
	return is_page(own) && is_pa_of(READ_ONCE(svm->next[1]), own);
}
NOKPROBE_SYMBOL(vmmprof_svm_valid);

#if VMMPROF_HAVE_HANDLING
void vmmprof_svm_learn(void)
{
}

void vmmprof_svm_forget(void)
{
}
#else
/*
 * Before 5.17 kvm has a per-CPU pointer instead, current_vcpu: not NULL from
 * kvm_before_interrupt() to kvm_after_interrupt().  On SVM those are called in
 * two places, around STGI after an NMI's exit, while vcpu->mode still says that
 * the guest runs, and where interrupts are opened, when it says so no more.
 * It is exported; but used as a symbol it would bind this module to kvm.
 */
static struct kvm_vcpu *__percpu *kvms_current;

void vmmprof_svm_learn(void)
{
	void *addr;

	if (READ_ONCE(kvms_current))
		return;
	addr = __symbol_get("current_vcpu");
	if (!addr)
		return;
	WRITE_ONCE(kvms_current, (struct kvm_vcpu * __percpu *)addr);
	/* vmmprof_svm_forget() comes before it goes. */
	__symbol_put("current_vcpu");
}

void vmmprof_svm_forget(void)
{
	WRITE_ONCE(kvms_current, NULL);
}

notrace u8 vmmprof_svm_handling(const struct kvm_vcpu *vcpu)
{
	struct kvm_vcpu *__percpu *at = READ_ONCE(kvms_current);

	if (!at || *this_cpu_ptr(at) != vcpu)
		return 0;
	return READ_ONCE(vcpu->mode) == OUTSIDE_GUEST_MODE ?
		       VMMPROF_HANDLING_IRQ :
		       VMMPROF_HANDLING_NMI;
}
NOKPROBE_SYMBOL(vmmprof_svm_handling);
#endif
