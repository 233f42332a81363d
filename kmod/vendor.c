// SPDX-License-Identifier: GPL-2.0-only
/* Choosing the vendor; without one the host alone is sampled. */
#include "guest_state.h"
#include "sample.h"
#include "svm.h"
#include "vendor.h"
#include "vmx.h"

static void no_describe(const struct kvm_vcpu *vcpu,
			struct vmmprof_rec_vcpu *rec, u64 tsc_ratio)
{
}

static bool no_read_at(struct kvm_vcpu *vcpu, struct vmmprof_guest_at *at)
{
	return false;
}

static bool no_paging(struct kvm_vcpu *vcpu)
{
	return false;
}

static u32 no_features(void)
{
	return 0;
}

static const struct vmmprof_guest_ops no_ops = {
	.vendor = VMMPROF_VENDOR_NONE,
	.overflow = vmmprof_overflow_host,
	.overflow_chains = vmmprof_overflow_host_chains,
	.describe = no_describe,
	.read_at = no_read_at,
	.own_paging = no_paging,
	.features = no_features,
};

const struct vmmprof_guest_ops *vmmprof_guest_ops __read_mostly = &no_ops;

void vmmprof_vendor_init(void)
{
	if (vmmprof_vmx_usable())
		vmmprof_guest_ops = &vmmprof_vmx_ops;
	else if (vmmprof_svm_usable())
		vmmprof_guest_ops = &vmmprof_svm_ops;
}
