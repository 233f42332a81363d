/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Call chains: who called the code that a sample or an OUT record hit.  Only
 * in sessions that ask for them; the others' callbacks know nothing of this.
 */
#ifndef VMMPROF_CHAIN_H
#define VMMPROF_CHAIN_H

#include <linux/types.h>
#include <vmmprof/ioctl.h>
#include <vmmprof/record.h>

struct kvm_vcpu;
struct pt_regs;
struct vmmprof_chains;
struct vmmprof_cpu;

/* What a session wants of them; zero: none.  As in struct vmmprof_setup. */
struct vmmprof_chain_want {
	u32 flags; /* VMMPROF_CHAIN_F_* */
	u32 depth;
	u32 stack; /* bytes */
};

/* 0 or -errno: what SETUP says of chains is wrong, or not possible here. */
int vmmprof_chain_check(const struct vmmprof_setup *setup);

/*
 * Memory for the chains of @cpu, whose ring exists.  0 or -ENOMEM.
 * Context: may sleep.
 */
int vmmprof_chain_create(struct vmmprof_cpu *cpu,
			 const struct vmmprof_chain_want *want);

/*
 * No chain is taken any more when this returns.
 * Nobody may call vmmprof_chain_sample() or vmmprof_chain_out() meanwhile.
 * Context: may sleep.
 */
void vmmprof_chain_stop(struct vmmprof_cpu *cpu);

/* Stop and free them.  NULL chains are allowed. */
void vmmprof_chain_destroy(struct vmmprof_cpu *cpu);

/*
 * The chains of the sample @rec, which is in the ring: the host's now, the
 * guest's as soon as interrupts are on again.  Without chains: nothing.
 * Context: NMI, IRQ.
 */
void vmmprof_chain_sample(struct vmmprof_cpu *cpu,
			  const struct vmmprof_rec_sample *rec,
			  struct pt_regs *regs, bool nmi);

/*
 * The chains of current, which leaves @cpu by an OUT record of @tsc; @vcpu:
 * loaded, with its VMCS, or NULL.  Context: in __schedule(), interrupts off.
 */
void vmmprof_chain_out(struct vmmprof_cpu *cpu, struct kvm_vcpu *vcpu, u64 tsc);

#endif /* VMMPROF_CHAIN_H */
