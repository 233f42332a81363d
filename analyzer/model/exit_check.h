/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The module decides in the interrupt whether it hit guest code and records
 * what it decided by.  Here the decision is checked against those raw
 * ingredients; a contradiction is a bug in the module or in our understanding
 * of KVM, never normal.
 *
 * Sources: KVM's kvm_arch_pmi_in_guest() (arch/x86/include/asm/kvm_host.h) and
 * vmx_handle_nmi(), handle_external_interrupt_irqoff() (arch/x86/kvm/vmx/);
 * SDM, "Information for VM Exits Due to Vectored Events".
 */
#ifndef VMMPROF_MODEL_CHECK_H
#define VMMPROF_MODEL_CHECK_H

#include <vmmprof/record.h>

/* What the interrupted host PC is known to be (bits). */
#define VMMPROF_PC_KNOWN 0x1 /* kernel symbols are available */
#define VMMPROF_PC_NMI	 0x2 /* where KVM forwards NMIs */
#define VMMPROF_PC_IRQ	 0x4 /* where KVM forwards interrupts */

enum vmmprof_contradiction {
	VMMPROF_CONTRA_NONE = 0,
	/* said to be guest, but */
	VMMPROF_CONTRA_NO_VCPU,
	VMMPROF_CONTRA_NO_STATE,
	VMMPROF_CONTRA_NOT_OWN,
	VMMPROF_CONTRA_USER,
	VMMPROF_CONTRA_HANDLING,
	VMMPROF_CONTRA_IF,
	VMMPROF_CONTRA_REASON,
	VMMPROF_CONTRA_INTR_INFO,
	VMMPROF_CONTRA_PC,
	/* said to be host, but all ingredients say guest */
	VMMPROF_CONTRA_MISSED,
	VMMPROF_NR_CONTRAS
};

/* Check one sample; pc: VMMPROF_PC_* of its host PC. */
enum vmmprof_contradiction
vmmprof_check_sample(const struct vmmprof_rec_sample *s, unsigned int pc);

/* Words for a table, and one word; never NULL. */
const char *vmmprof_contradiction_text(unsigned int c);
const char *vmmprof_contradiction_key(unsigned int c);

/*
 * What a host kernel function is to KVM's forwarding of interrupts:
 * VMMPROF_PC_NMI | VMMPROF_PC_IRQ, or 0 for any other function.
 */
unsigned int vmmprof_pc_of_symbol(const char *name);

#endif /* VMMPROF_MODEL_CHECK_H */
