/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Who ran in a guest that a sample hit.  Only in sessions that ask for it; the
 * others' callbacks know nothing of this.
 */
#ifndef VMMPROF_IDENTITY_H
#define VMMPROF_IDENTITY_H

#include <linux/types.h>

struct kvm_vcpu;
struct vmcb;
struct vmmprof_cpu;
struct vmmprof_vms;

/* Room for @cpu, whose ring exists.  0 or -ENOMEM.  Context: may sleep. */
int vmmprof_identity_create(struct vmmprof_cpu *cpu, struct vmmprof_vms *vms);

/*
 * Nothing is read of a guest any more when this returns.  Nobody may call
 * vmmprof_identity_sample() meanwhile.  NULL identities are allowed.
 * Context: may sleep.
 */
void vmmprof_identity_stop(struct vmmprof_cpu *cpu);
void vmmprof_identity_destroy(struct vmmprof_cpu *cpu);

/*
 * What the sample of @flags has as .identity, of the vCPU that current has loaded;
 * @vmcb: SVM's, NULL: the current VMCS is its own.  Writes an IDENTITY record
 * before it if need be.  Context: NMI, IRQ.
 */
u32 vmmprof_identity_sample(struct vmmprof_cpu *cpu, struct kvm_vcpu *vcpu,
			    const struct vmcb *vmcb, u32 flags, bool nmi,
			    u64 tsc);

#endif /* VMMPROF_IDENTITY_H */
