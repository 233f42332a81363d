/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Reading the current VMCS in an interrupt, without ever failing on a field.
 *
 * VMREAD has two failures (SDM, "VMX instruction reference: VMREAD").  CF: no
 * VMCS is current; harmless.  ZF: no such field; that also overwrites the
 * VM-instruction error which KVM may be about to read, so fields that a CPU
 * may lack are read only after its controls said that they exist.
 * Outside VMX operation it raises #UD: asked for only while CR4.VMXE is set,
 * and with an exception-table entry for the moment between that and VMXON.
 */
#ifndef VMMPROF_VMX_READ_H
#define VMMPROF_VMX_READ_H

#include <asm/asm.h>
#include <asm/processor-flags.h>
#include <asm/special_insns.h>
#include <asm/vmx.h>
#include <vmmprof/record.h>

extern bool vmmprof_vmx_has_vpid;

/* VMX operation is on, as far as CR4 tells. */
static __always_inline bool vmx_on(void)
{
	return __read_cr4() & X86_CR4_VMXE;
}

/*
 * The first read of an interrupt, into the eight bytes at @to: false if there
 * is no current VMCS, @to is unchanged then.  CF is set beforehand, so that an
 * instruction that was skipped looks like that, too.
 */
static __always_inline bool vmx_read_first(unsigned long field, void *to)
{
	bool ok;

	asm volatile("stc\n\t"
		     "1: vmread %[field], %[to]\n\t"
		     "2:\n\t" _ASM_EXTABLE(1b, 2b)
		     : "=@cca"(ok), [to] "+m"(*(u64 *)to)
		     : [field] "r"(field));
	return ok;
}

/* Another field of the same VMCS, one that exists: cannot fail any more. */
static __always_inline void vmx_read_to(unsigned long field, void *to)
{
	asm volatile("1: vmread %[field], %[to]\n\t"
		     "2:\n\t" _ASM_EXTABLE(1b, 2b)
		     : [to] "+m"(*(u64 *)to)
		     : [field] "r"(field)
		     : "cc");
}

/* @v without a current VMCS. */
static __always_inline u64 vmx_read_or(unsigned long field, u64 v)
{
	asm volatile("1: vmread %[field], %[v]\n\t"
		     "2:\n\t" _ASM_EXTABLE(1b, 2b)
		     : [v] "+r"(v)
		     : [field] "r"(field)
		     : "cc");
	return v;
}

static __always_inline u64 vmx_read(unsigned long field)
{
	return vmx_read_or(field, 0);
}

/* 0 where there are no VPIDs. */
static __always_inline u16 vmx_read_vpid(void)
{
	return vmmprof_vmx_has_vpid ? vmx_read(VIRTUAL_PROCESSOR_ID) : 0;
}

/* Into the record; spills over event, handling and cpu. */
static __always_inline void vmx_read_vpid_to(struct vmmprof_rec_sample *rec)
{
	if (likely(vmmprof_vmx_has_vpid))
		vmx_read_to(VIRTUAL_PROCESSOR_ID, &rec->vpid);
	else
		rec->vpid = 0;
}

/*
 * All that a sample has of the VMCS, straight into the record.  VMREAD stores
 * eight bytes; the members of four or two bytes spill into the next ones, and
 * are read before those: the order matters.  vcpu_id, event, handling and cpu
 * are the caller's to write afterwards.  False: nothing was read.
 * Context: NMI, IRQ.
 */
static __always_inline bool vmx_read_state(struct vmmprof_rec_sample *rec)
{
	BUILD_BUG_ON(offsetof(struct vmmprof_rec_sample, exit_intr_info) !=
		     offsetof(struct vmmprof_rec_sample, exit_reason) + 4);
	BUILD_BUG_ON(offsetof(struct vmmprof_rec_sample, guest_ss_ar) !=
		     offsetof(struct vmmprof_rec_sample, exit_reason) + 8);
	BUILD_BUG_ON(offsetof(struct vmmprof_rec_sample, vcpu_id) !=
		     offsetof(struct vmmprof_rec_sample, exit_reason) + 12);
	BUILD_BUG_ON(offsetof(struct vmmprof_rec_sample, guest_rsp) !=
		     offsetof(struct vmmprof_rec_sample, vpid) + 8);

	if (unlikely(!vmx_read_first(VM_EXIT_REASON, &rec->exit_reason)))
		return false;
	vmx_read_to(VM_EXIT_INTR_INFO, &rec->exit_intr_info);
	vmx_read_to(GUEST_SS_AR_BYTES, &rec->guest_ss_ar);
	vmx_read_to(GUEST_RIP, &rec->guest_ip);
	vmx_read_to(GUEST_CR3, &rec->guest_cr3);
	vmx_read_to(GUEST_RSP, &rec->guest_rsp);
	vmx_read_vpid_to(rec);
	return true;
}

#endif /* VMMPROF_VMX_READ_H */
