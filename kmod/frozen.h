/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A guest that a sample has stopped, and whether it still stands there when a hard
 * irq_work runs that the sample queued.  chain.c says why it does.
 */
#ifndef VMMPROF_FROZEN_H
#define VMMPROF_FROZEN_H

#include <linux/types.h>

#include "chain_guest.h"

struct kvm_vcpu;
struct task_struct;

/* Where it was.  Only compared with. */
struct vmmprof_frozen {
	const struct task_struct *task;
	const struct kvm_vcpu *vcpu;
	u64 tsc; /* of the sample */
	u64 ip;
	u64 sp;
	u64 cr3;
	u32 slack; /* by how much RIP may have moved on */
};

/*
 * The vCPU, if current has it loaded and its guest is still where @f says: *@at.
 * NULL: it went on, or a nested guest or SMM is there now.
 * Context: interrupts off, no NMI.
 */
struct kvm_vcpu *vmmprof_still_frozen(const struct vmmprof_frozen *f,
				      struct vmmprof_guest_at *at);

#endif /* VMMPROF_FROZEN_H */
