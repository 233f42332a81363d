// SPDX-License-Identifier: GPL-2.0-only
/* AMD SVM: what a VCPU record and a chain say of a VMCB. */
#include <linux/kprobes.h>
#include <asm/cpufeature.h>

#include "chain_guest.h"
#include "params.h"
#include "sample.h"
#include "svm.h"
#include "svm_read.h"

#define SVM_TSC_FRAC_BITS 32 /* APM volume 2, "TSC Ratio MSR" */

/* APM volume 2, "VMCB Layout, Control Area"; names differ between kernels. */
#define VMCB_NESTED_CTL	  0x90
#define NESTED_CTL_NP	  BIT(0)
#define NESTED_CTL_SEV	  BIT_ULL(1)

bool vmmprof_svm_usable(void)
{
	return boot_cpu_has(X86_FEATURE_SVM);
}

static u64 nested_ctl(const struct vmcb *vmcb)
{
	return *(const u64 *)((const void *)vmcb + VMCB_NESTED_CTL);
}

static bool np_enabled(const struct vmcb *vmcb)
{
	return nested_ctl(vmcb) & NESTED_CTL_NP;
}

static notrace void svm_describe(const struct kvm_vcpu *vcpu,
				 struct vmmprof_rec_vcpu *rec, u64 tsc_ratio)
{
	const struct vmcb *vmcb = svm_vmcb(vcpu);

	rec->exec_controls = vmcb->control.intercepts[INTERCEPT_WORD3];
	rec->exec_controls2 = vmcb->control.intercepts[INTERCEPT_WORD4];
	rec->hdr.flags |= VMMPROF_V_INTERCEPTS;
	if (np_enabled(vmcb))
		rec->hdr.flags |= VMMPROF_V_EPT;

	/* Without the MSR, or told not to use it, KVM's ratio is 0 or 1. */
	rec->tsc_frac_bits = SVM_TSC_FRAC_BITS;
	rec->tsc_ratio = BIT_ULL(SVM_TSC_FRAC_BITS);
	if (boot_cpu_has(X86_FEATURE_TSCRATEMSR) && tsc_ratio > 1 &&
	    tsc_ratio != rec->tsc_ratio) {
		rec->tsc_ratio = tsc_ratio;
		rec->hdr.flags |= VMMPROF_V_TSC_SCALED;
	}
}
NOKPROBE_SYMBOL(svm_describe);

static bool svm_read_at(struct kvm_vcpu *vcpu, struct vmmprof_guest_at *at)
{
	const struct vmcb *vmcb;

	if (!vmmprof_svm_valid(vcpu) || svm_nested(vcpu))
		return false;
	vmcb = svm_vmcb(vcpu);
	at->ip = vmcb->save.rip;
	at->sp = vmcb->save.rsp;
	at->cr3 = vmcb->save.cr3;
	at->ss_ar = vmcb->save.cpl << 5;
	at->code64 = vmcb->save.cs.attrib & SVM_SELECTOR_L_MASK;
	return true;
}

static bool svm_own_paging(struct kvm_vcpu *vcpu)
{
	return np_enabled(svm_vmcb(vcpu));
}

static bool svm_encrypted(struct kvm_vcpu *vcpu)
{
	return nested_ctl(svm_vmcb(vcpu)) & NESTED_CTL_SEV;
}

static u32 svm_features(void)
{
	u32 features = 0;

	/* A vCPU's thread is known by a name: vcpu.c. */
	if (IS_ENABLED(CONFIG_KALLSYMS))
		features |= VMMPROF_FEAT_GUEST;
	if (VMMPROF_HAVE_HANDLING)
		features |= VMMPROF_FEAT_HANDLING;
	/* It was a number before 5.13. */
	if (vmmprof_param_is("kvm_amd", "npt", 'N') ||
	    vmmprof_param_is("kvm_amd", "npt", '0'))
		features |= VMMPROF_FEAT_NO_EPT;
	return features;
}

const struct vmmprof_guest_ops vmmprof_svm_ops = {
	.vendor = VMMPROF_VENDOR_SVM,
	.overflow = vmmprof_overflow_svm,
	.overflow_chains = vmmprof_overflow_svm_chains,
	.describe = svm_describe,
	.read_at = svm_read_at,
	.own_paging = svm_own_paging,
	.encrypted = svm_encrypted,
	.features = svm_features,
};
