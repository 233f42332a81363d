/* SPDX-License-Identifier: GPL-2.0-only */
/* The chain of a guest that does not run. */
#ifndef VMMPROF_CHAIN_GUEST_H
#define VMMPROF_CHAIN_GUEST_H

#include "chain_buf.h"
#include "guest_memory.h"

/* Where a guest is: read_at() of struct vmmprof_guest_ops. */
struct vmmprof_guest_at {
	u64 ip;
	u64 sp;
	u64 cr3;
	u32 ss_ar;   /* bits 6:5: CPL */
	bool code64; /* CS.L */
};

/*
 * The chain of the guest of @vcpu, which is loaded by current, does not run and
 * is at @at.  @m: room to work in.  Context: interrupts off, no NMI.
 */
void vmmprof_chain_guest(struct vmmprof_chain_buf *buf,
			 struct vmmprof_guest_memory *m, struct kvm_vcpu *vcpu,
			 const struct vmmprof_guest_at *at);

#endif /* VMMPROF_CHAIN_GUEST_H */
