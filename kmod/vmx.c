// SPDX-License-Identifier: GPL-2.0-only
/* Intel VMX: when its state can be read, and what a VCPU record says of it. */
#include <linux/kprobes.h>
#include <linux/kvm_host.h>
#include <asm/processor.h>

#include "chain_guest.h"
#include "guest_state.h"
#include "params.h"
#include "sample.h"
#include "vmx.h"
#include "vmx_read.h"

/* Only CPUs that can enable VPIDs have the field in their VMCS. */
bool vmmprof_vmx_has_vpid __read_mostly;

#define VMX_TSC_FRAC_BITS 48 /* SDM, "TSC-multiplier" */

/*
 * Hyper-V offers its guests an "enlightened" VMCS in plain memory; KVM then
 * uses no VMREAD, and what VMREAD says is not about KVM's guests (TLFS,
 * "Implementation recommendations": CPUID 40000004H, EAX bit 14).
 */
static bool vmx_enlightened(void)
{
	u32 eax, ebx, ecx, edx;

	if (!boot_cpu_has(X86_FEATURE_HYPERVISOR))
		return false;
	cpuid(0x40000000, &eax, &ebx, &ecx, &edx);
	if (ebx != 0x7263694d || ecx != 0x666f736f || edx != 0x76482074 ||
	    eax < 0x40000004) /* "Microsoft Hv" */
		return false;
	return cpuid_eax(0x40000004) & BIT(14);
}

bool vmmprof_vmx_usable(void)
{
	if (!boot_cpu_has(X86_FEATURE_VMX))
		return false;
	if (vmx_enlightened()) {
		pr_info("vmmprof: Hyper-V's enlightened VMCS: guests cannot be sampled\n");
		return false;
	}
	vmmprof_vmx_has_vpid = boot_cpu_has(X86_FEATURE_VPID);
	return true;
}

static notrace void vmx_describe(const struct kvm_vcpu *vcpu,
				 struct vmmprof_rec_vcpu *rec, u64 tsc_ratio)
{
	u32 ctl = vmx_read(CPU_BASED_VM_EXEC_CONTROL), ctl2 = 0;

	if (ctl & CPU_BASED_ACTIVATE_SECONDARY_CONTROLS)
		ctl2 = vmx_read(SECONDARY_VM_EXEC_CONTROL);
	rec->vpid = vmx_read_vpid();
	rec->exec_controls = ctl;
	rec->exec_controls2 = ctl2;
	rec->hdr.flags |= VMMPROF_V_CONTROLS;
	if (ctl2 & SECONDARY_EXEC_ENABLE_EPT)
		rec->hdr.flags |= VMMPROF_V_EPT;

	/* Without the control KVM's ratio means nothing (5.10: it is 0). */
	rec->tsc_frac_bits = VMX_TSC_FRAC_BITS;
	rec->tsc_ratio = BIT_ULL(VMX_TSC_FRAC_BITS);
	if (ctl2 & SECONDARY_EXEC_TSC_SCALING && tsc_ratio != rec->tsc_ratio) {
		rec->tsc_ratio = tsc_ratio;
		rec->hdr.flags |= VMMPROF_V_TSC_SCALED;
	}
}
NOKPROBE_SYMBOL(vmx_describe);

static bool vmx_read_at(struct kvm_vcpu *vcpu, struct vmmprof_guest_at *at)
{
	if (!vmx_on() || !vmx_read_first(GUEST_RIP, &at->ip))
		return false;
	at->sp = vmx_read(GUEST_RSP);
	at->cr3 = vmx_read(GUEST_CR3);
	at->ss_ar = vmx_read(GUEST_SS_AR_BYTES);
	at->code64 = vmx_read(GUEST_CS_AR_BYTES) & VMX_AR_L_MASK;
	return true;
}

static bool vmx_own_paging(struct kvm_vcpu *vcpu)
{
	u32 ctl2;

	if (!(vmx_read(CPU_BASED_VM_EXEC_CONTROL) &
	      CPU_BASED_ACTIVATE_SECONDARY_CONTROLS))
		return false;
	ctl2 = vmx_read(SECONDARY_VM_EXEC_CONTROL);
	return ctl2 & SECONDARY_EXEC_ENABLE_EPT &&
	       (ctl2 & SECONDARY_EXEC_UNRESTRICTED_GUEST ||
		vcpu->arch.cr0 & X86_CR0_PG);
}

static u32 vmx_features(void)
{
	u32 features = 0;

	/* A vCPU's thread is known by a name: vcpu.c. */
	if (IS_ENABLED(CONFIG_KALLSYMS))
		features |= VMMPROF_FEAT_GUEST;
	if (VMMPROF_HAVE_HANDLING)
		features |= VMMPROF_FEAT_HANDLING;
	if (vmmprof_param_is("kvm_intel", "ept", 'N'))
		features |= VMMPROF_FEAT_NO_EPT;
	return features;
}

const struct vmmprof_guest_ops vmmprof_vmx_ops = {
	.vendor = VMMPROF_VENDOR_VMX,
	.overflow = vmmprof_overflow_vmx,
	.overflow_chains = vmmprof_overflow_vmx_chains,
	.describe = vmx_describe,
	.read_at = vmx_read_at,
	.own_paging = vmx_own_paging,
	.features = vmx_features,
};
