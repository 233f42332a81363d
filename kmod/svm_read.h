/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Reading a loaded vCPU's VMCB in an interrupt: plain loads.
 *
 * KVM keeps the VMCB, a page of its own, from before a vCPU is loaded for the
 * first time until after it was loaded for the last time, and the pointer to it
 * directly behind struct kvm_vcpu (5.10 to 7.3).  The CPU writes the guest's
 * state into it at every exit (APM volume 2, "#VMEXIT"), and nobody but KVM, on
 * the vCPU's own thread, changes it otherwise.  So what is read there is the
 * vCPU's own, whatever ran on the CPU meanwhile.
 *
 * No symbol tells that the pointer is where this looks for it.  User space
 * compares with kvm_amd's BTF where there is one (layout.c), and
 * vmmprof_svm_valid() looks at what is there before it is followed.
 */
#ifndef VMMPROF_SVM_READ_H
#define VMMPROF_SVM_READ_H

#include <linux/kvm_host.h>
#include <linux/preempt.h>
#include <linux/ptrace.h>
#include <asm/svm.h>
#include <vmmprof/record.h>

#define SVM_CODE_LOW_END  0xc0 /* beyond all codes of instructions and events */
#define SVM_CODE_HIGH	  0x400 /* nested page fault, AVIC, VMGEXIT */
#define SVM_CODE_HIGH_END 0x40e
#define SVM_CODE_ERR	  0xffffffff /* VMEXIT_INVALID */

/* How many different codes are told apart: svm_code_index(). */
#define SVM_CODES	  (SVM_CODE_LOW_END + SVM_CODE_HIGH_END - SVM_CODE_HIGH + 1)

/* The beginning of kvm_amd's struct vcpu_svm. */
struct vmmprof_vcpu_svm {
	struct kvm_vcpu vcpu;
	struct vmcb *vmcb;
	/*
	 * 5.10: the physical address of the VMCB.  Later: the VMCB that is not a
	 * nested guest's, and its physical address.
	 */
	unsigned long next[2];
};

/*
 * The VMCB of @vcpu is where this module looks for it, and may be read.
 * Context: any; @vcpu is loaded.
 */
bool vmmprof_svm_valid(const struct kvm_vcpu *vcpu);

/*
 * kvm is there, and its vCPU is loaded: find what of its symbols is needed; and
 * forget it again, before its memory goes.  Context: any but NMI.
 */
void vmmprof_svm_learn(void);
void vmmprof_svm_forget(void);

/*
 * kvm_vcpu.arch.handling_intr_from_guest of @vcpu, which is loaded; made up of
 * what there is where a kernel (before 5.17) has no such member.
 * Context: NMI, IRQ.
 */
#if VMMPROF_HAVE_HANDLING
static __always_inline u8 vmmprof_svm_handling(const struct kvm_vcpu *vcpu)
{
	return vmmprof_handling(vcpu);
}
#else
u8 vmmprof_svm_handling(const struct kvm_vcpu *vcpu);
#endif

static __always_inline const struct vmmprof_vcpu_svm *
svm_vcpu(const struct kvm_vcpu *vcpu)
{
	return container_of(vcpu, const struct vmmprof_vcpu_svm, vcpu);
}

static __always_inline const struct vmcb *svm_vmcb(const struct kvm_vcpu *vcpu)
{
	return READ_ONCE(svm_vcpu(vcpu)->vmcb);
}

/*
 * The VMCB is that of a nested guest, or may be.  Kernels with two VMCBs (5.13)
 * say it by the pointer.  Those before copy the nested guest's state into the
 * only one a moment before hflags says so: while a hypervisor's exit is handled,
 * apart from where KVM has just left it, that is not known.
 */
static __always_inline bool svm_nested(const struct kvm_vcpu *vcpu)
{
	if (vcpu->arch.hflags & HF_GUEST_MASK)
		return true;
	if (!VMMPROF_HAVE_L1_TSC_RATIO)
		return vcpu->arch.efer & EFER_SVME &&
		       !vmmprof_svm_handling(vcpu);
	return (unsigned long)svm_vmcb(vcpu) !=
	       READ_ONCE(svm_vcpu(vcpu)->next[0]);
}

static __always_inline u32 svm_exit_code(const struct vmcb *vmcb)
{
	return READ_ONCE(vmcb->control.exit_code);
}

/*
 * Everything that a sample has of the VMCB.  There is no VPID: an ASID belongs
 * to a vCPU only until the CPU runs out of them.
 */
static __always_inline void svm_read_state(const struct vmcb *vmcb,
					   struct vmmprof_rec_sample *rec)
{
	rec->guest_ip = vmcb->save.rip;
	rec->guest_cr3 = vmcb->save.cr3;
	rec->guest_rsp = vmcb->save.rsp;
	rec->guest_ss_ar = vmcb->save.cpl << 5;
	rec->exit_reason = svm_exit_code(vmcb);
	rec->exit_intr_info = vmcb->control.exit_int_info;
	rec->vpid = 0;
}

/*
 * The interrupt hit the guest.  SVM does not hand interrupts over: it exits, and
 * the CPU delivers them as soon as KVM allows that again.
 *  - NMI: that is STGI, right behind the exit.  KVM says so (handling) from
 *    before it to after it.
 *  - Timer: that is where KVM opens interrupts for a moment behind each exit,
 *    and says so.  It still says so while what the host does there is
 *    interrupted again: then a softirq or another hardirq is under way.
 */
static __always_inline bool svm_hit_guest(const struct vmcb *vmcb, u8 handling,
					  const struct pt_regs *regs, bool nmi)
{
	const u32 served = HARDIRQ_MASK | SOFTIRQ_OFFSET;

	if (nmi)
		return handling == VMMPROF_HANDLING_NMI &&
		       svm_exit_code(vmcb) == SVM_EXIT_NMI && !(regs->cs & 3);
	return handling == VMMPROF_HANDLING_IRQ &&
	       svm_exit_code(vmcb) == SVM_EXIT_INTR &&
	       (preempt_count() & served) == HARDIRQ_OFFSET &&
	       regs->flags & X86_EFLAGS_IF && !(regs->cs & 3);
}

/* A place below SVM_CODES for @code, SVM_CODES: it has none. */
static __always_inline unsigned int svm_code_index(u32 code)
{
	if (likely(code < SVM_CODE_LOW_END))
		return code;
	if (likely(code - SVM_CODE_HIGH < SVM_CODE_HIGH_END - SVM_CODE_HIGH))
		return code - SVM_CODE_HIGH + SVM_CODE_LOW_END;
	return code == SVM_CODE_ERR ? SVM_CODES - 1 : SVM_CODES;
}

/* The code of place @index, below SVM_CODES. */
static inline u32 svm_index_code(unsigned int index)
{
	if (index < SVM_CODE_LOW_END)
		return index;
	return index == SVM_CODES - 1 ?
		       SVM_CODE_ERR :
		       index - SVM_CODE_LOW_END + SVM_CODE_HIGH;
}

#endif /* VMMPROF_SVM_READ_H */
