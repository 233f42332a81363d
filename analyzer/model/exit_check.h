/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The module decides in the interrupt whether it hit guest code and records
 * what it decided by.  Here the decision is checked against those recorded
 * values; a contradiction is a bug in the module or in our understanding of
 * KVM.
 *
 * SVM: the interrupt is delivered by the CPU behind the exit, so nothing but KVM's
 * word and the exit code tells.
 *
 * Sources: KVM's kvm_arch_pmi_in_guest() (arch/x86/include/asm/kvm_host.h) and
 * vmx_handle_nmi(), handle_external_interrupt_irqoff() (arch/x86/kvm/vmx/);
 * SDM, "Information for VM Exits Due to Vectored Events".
 */
#ifndef MODEL_EXIT_CHECK_H
#define MODEL_EXIT_CHECK_H

#include <stdbool.h>

#include <vmmprof/record.h>

/* What the interrupted host PC is known to be (bits). */
#define PC_KNOWN 0x1 /* kernel symbols are available */
#define PC_NMI	 0x2 /* where KVM forwards NMIs */
#define PC_IRQ	 0x4 /* where KVM forwards interrupts */

enum contradiction {
	CONTRA_NONE = 0,
	/* recorded as guest, but */
	CONTRA_NO_VCPU,
	CONTRA_NO_STATE,
	CONTRA_NOT_OWN,
	CONTRA_USER,
	CONTRA_HANDLING,
	CONTRA_IF,
	CONTRA_NO_IF,
	CONTRA_NESTED_IRQ,
	CONTRA_REASON,
	CONTRA_INTR_INFO,
	CONTRA_PC,
	/* recorded as host, but all values say guest */
	CONTRA_MISSED,
	NR_CONTRAS
};

/* Check one sample of a host with VMX, or SVM; pc: PC_* of its host PC. */
enum contradiction exit_check_sample(const struct vmmprof_rec_sample *s,
				     unsigned int pc, bool svm);

/* Words for a table, and one word; never NULL. */
const char *contradiction_text(unsigned int c);
const char *contradiction_key(unsigned int c);

/*
 * Whether KVM forwards NMIs or interrupts in this function of the host's
 * kernel: PC_NMI, PC_IRQ, both, or 0.
 */
unsigned int pc_of_symbol(const char *name);

#endif /* MODEL_EXIT_CHECK_H */
