/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a vendor's virtualization says of the guest on this CPU.
 *
 * The reading itself happens in every sample and is inline (vmx_read.h; an
 * indirect call with its prologue would be a tenth of the whole callback), so
 * a vendor brings its own overflow callback (sample.c) beside these ops.
 */
#ifndef VMMPROF_GUEST_STATE_H
#define VMMPROF_GUEST_STATE_H

#include <linux/types.h>
#include <linux/perf_event.h>
#include <vmmprof/ioctl.h>
#include <vmmprof/record.h>

struct kvm_vcpu;
struct vmmprof_guest_at;

struct vmmprof_guest_ops {
	enum vmmprof_vendor vendor;
	perf_overflow_handler_t overflow;
	perf_overflow_handler_t overflow_chains; /* or identities */
	/*
	 * Fill in what the hardware's state says of @vcpu (VPID, controls,
	 * TSC scaling); that state is known to be current on this CPU.
	 * @tsc_ratio is KVM's.  Context: NMI, IRQ.
	 */
	void (*describe)(const struct kvm_vcpu *vcpu,
			 struct vmmprof_rec_vcpu *rec, u64 tsc_ratio);
	/*
	 * Where the guest of @vcpu is, which current has loaded and which does
	 * not run.  False: that cannot be read.  Context: interrupts off, no NMI.
	 */
	bool (*read_at)(struct kvm_vcpu *vcpu, struct vmmprof_guest_at *at);
	/*
	 * What read_at() says of CR3 and CPL is the guest's own (no shadow
	 * paging, nor KVM's way to run code without paging).
	 * Context: behind read_at().
	 */
	bool (*own_paging)(struct kvm_vcpu *vcpu);
	/*
	 * The guest's memory is not what is mapped in the VMM; NULL: it always is,
	 * where its state can be read.  Context: behind read_at().
	 */
	bool (*encrypted)(struct kvm_vcpu *vcpu);
	/* VMMPROF_FEAT_* as things are now.  Context: may sleep. */
	u32 (*features)(void);
};

/*
 * Of the CPU that we run on; never NULL.  vendor.c sets it once, before any
 * session.
 */
extern const struct vmmprof_guest_ops *vmmprof_guest_ops;

#endif /* VMMPROF_GUEST_STATE_H */
