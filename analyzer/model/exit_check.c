// SPDX-License-Identifier: GPL-2.0-only
/* Checks the module's decision "guest or host". */

#include <stdbool.h>
#include <string.h>

#include "model/exit_check.h"

/* handling_intr_from_guest */
#define KVM_HANDLING_IRQ 1
#define KVM_HANDLING_NMI 2

/* SDM, "VMX Basic Exit Reasons" and the VM-exit interruption information */
#define EXIT_REASON_NMI	 0
#define EXIT_REASON_IRQ	 1
#define INTR_INFO_VALID	 0x80000000u
#define INTR_INFO_TYPE	 0x00000700u
#define INTR_TYPE_EXT	 0x00000000u
#define INTR_TYPE_NMI	 0x00000200u

/* uapi/asm/svm.h */
#define SVM_EXIT_INTR	 0x60
#define SVM_EXIT_NMI	 0x61

/* Of .preempt: levels of hardirq, the sample's own is one; a softirq. */
#define ONE_HARDIRQ	 0x10000u
#define SERVED		 (15 * ONE_HARDIRQ | VMMPROF_PREEMPT_SOFTIRQ)

/*
 * Functions that hold the interrupted PC when KVM re-raises what ended guest
 * mode: 5.10, 6.1: vmx_do_interrupt_nmi_irqoff; 6.12: vmx_do_nmi_irqoff and
 * vmx_do_interrupt_irqoff; 7.x: idt_do_* and, with FRED, one for both.
 */
static const struct {
	const char *name;
	unsigned int pc;
} forwarders[] = {
	{ "vmx_do_interrupt_nmi_irqoff", PC_NMI | PC_IRQ },
	{ "vmx_do_nmi_irqoff", PC_NMI },
	{ "vmx_do_interrupt_irqoff", PC_IRQ },
	{ "idt_do_nmi_irqoff", PC_NMI },
	{ "idt_do_interrupt_irqoff", PC_IRQ },
	{ "asm_fred_entry_from_kvm", PC_NMI | PC_IRQ },
};

unsigned int pc_of_symbol(const char *name)
{
	size_t i;

	for (i = 0; i < sizeof(forwarders) / sizeof(forwarders[0]); i++)
		if (!strcmp(name, forwarders[i].name))
			return forwarders[i].pc;
	return 0;
}

static bool intr_info_is(const struct vmmprof_rec_sample *s, __u32 type)
{
	return (s->exit_intr_info & INTR_INFO_VALID) &&
	       (s->exit_intr_info & INTR_INFO_TYPE) == type;
}

/* What of its VMCS does not; of a guest of protected state none is read. */
static enum contradiction not_guest_vmcs(const struct vmmprof_rec_sample *s)
{
	__u32 f = s->hdr.flags;
	bool nmi = f & VMMPROF_S_NMI;

	if (f & VMMPROF_S_PROTECTED)
		return CONTRA_NONE;
	if ((s->exit_reason & 0xffff) !=
	    (nmi ? EXIT_REASON_NMI : EXIT_REASON_IRQ))
		return CONTRA_REASON;
	/* Without "acknowledge interrupt on exit" it is valid for NMIs only. */
	if ((f & VMMPROF_S_STATE) &&
	    !intr_info_is(s, nmi ? INTR_TYPE_NMI : INTR_TYPE_EXT))
		return CONTRA_INTR_INFO;
	return CONTRA_NONE;
}

/* What is the same of both vendors. */
static enum contradiction not_guest_vcpu(const struct vmmprof_rec_sample *s)
{
	__u32 f = s->hdr.flags;
	bool nmi = f & VMMPROF_S_NMI;

	if (!(f & VMMPROF_S_VCPU))
		return CONTRA_NO_VCPU;
	if (!(f & (VMMPROF_S_VMCS | VMMPROF_S_PROTECTED)))
		return CONTRA_NO_STATE;
	/* A nested guest runs with a VPID of its own. */
	if (!(f & (VMMPROF_S_OWN | VMMPROF_S_L2 | VMMPROF_S_PROTECTED)))
		return CONTRA_NOT_OWN;
	if (f & VMMPROF_S_USER)
		return CONTRA_USER;
	if ((f & VMMPROF_S_HANDLING) &&
	    s->handling != (nmi ? KVM_HANDLING_NMI : KVM_HANDLING_IRQ))
		return CONTRA_HANDLING;
	return CONTRA_NONE;
}

/* What was interrupted where KVM lets a timer in: not a softirq, nor a hardirq. */
static bool in_window(const struct vmmprof_rec_sample *s)
{
	return !s->preempt || (s->preempt & SERVED) == ONE_HARDIRQ;
}

static enum contradiction not_guest_svm(const struct vmmprof_rec_sample *s)
{
	__u32 f = s->hdr.flags;
	bool nmi = f & VMMPROF_S_NMI;
	enum contradiction c = not_guest_vcpu(s);

	if (c)
		return c;
	if (!(f & VMMPROF_S_HANDLING))
		return CONTRA_HANDLING;
	if (!(f & VMMPROF_S_PROTECTED) &&
	    s->exit_reason != (nmi ? SVM_EXIT_NMI : SVM_EXIT_INTR))
		return CONTRA_REASON;
	if (!nmi && !(f & VMMPROF_S_IF))
		return CONTRA_NO_IF;
	return nmi || in_window(s) ? CONTRA_NONE : CONTRA_NESTED_IRQ;
}

/* The first ingredient that does not fit a sample in guest mode. */
static enum contradiction not_guest_vmx(const struct vmmprof_rec_sample *s,
					unsigned int pc)
{
	__u32 f = s->hdr.flags;
	bool nmi = f & VMMPROF_S_NMI;
	enum contradiction c = not_guest_vcpu(s);

	if (c)
		return c;
	/* KVM's made-up frame has IF clear, that of a host interrupt never. */
	if (!nmi && (f & VMMPROF_S_IF))
		return CONTRA_IF;
	c = not_guest_vmcs(s);
	if (c)
		return c;
	if ((pc & PC_KNOWN) && !(pc & (nmi ? PC_NMI : PC_IRQ)))
		return CONTRA_PC;
	return CONTRA_NONE;
}

enum contradiction exit_check_sample(const struct vmmprof_rec_sample *s,
				     unsigned int pc, bool svm)
{
	enum contradiction c = svm ? not_guest_svm(s) : not_guest_vmx(s, pc);

	if (s->hdr.flags & VMMPROF_S_GUEST)
		return c;
	if (c || (!svm && !(pc & PC_KNOWN)) ||
	    (s->hdr.flags & VMMPROF_S_PROTECTED))
		return CONTRA_NONE;
	return CONTRA_MISSED;
}

static const struct {
	const char *key, *text;
} contras[NR_CONTRAS] = {
	[CONTRA_NONE] = { "none", "none" },
	[CONTRA_NO_VCPU] = { "no-vcpu", "guest, but no vCPU was loaded" },
	[CONTRA_NO_STATE] = { "no-vmcs",
			      "guest, but no VMCS or VMCB was read" },
	[CONTRA_NOT_OWN] = { "not-own", "guest, but another's VMCS or VMCB" },
	[CONTRA_USER] = { "user", "guest, but host user mode interrupted" },
	[CONTRA_HANDLING] = { "handling",
			      "guest, but not the interrupt forwarded" },
	[CONTRA_IF] = { "if", "guest, but interrupts were on" },
	[CONTRA_NO_IF] = { "no-if", "guest, but interrupts were off" },
	[CONTRA_NESTED_IRQ] = { "nested-irq",
				"guest, but another interrupt was served" },
	[CONTRA_REASON] = { "reason", "guest, but not the last exit's reason" },
	[CONTRA_INTR_INFO] = { "intr-info",
			       "guest, but not the exit's interrupt" },
	[CONTRA_PC] = { "pc", "guest, but the host PC was elsewhere" },
	[CONTRA_MISSED] = { "missed", "host, but everything says guest" },
};

const char *contradiction_text(unsigned int c)
{
	return c < NR_CONTRAS ? contras[c].text : "?";
}

const char *contradiction_key(unsigned int c)
{
	return c < NR_CONTRAS ? contras[c].key : "?";
}
