// SPDX-License-Identifier: GPL-2.0-only
/*
 * VMX: SDM volume 3, appendix "VMX Basic Exit Reasons"; names as KVM traces them.
 * SVM: APM volume 2, appendix "SVM Intercept Exit Codes"; names are those of
 * uapi/asm/svm.h without SVM_EXIT_, of exceptions with theirs.
 */

#include <stddef.h>
#include <stdio.h>

#include "sym/exits.h"

static const char *const vmx_names[] = {
	[0] = "EXCEPTION_NMI",
	[1] = "EXTERNAL_INTERRUPT",
	[2] = "TRIPLE_FAULT",
	[3] = "INIT_SIGNAL",
	[4] = "SIPI_SIGNAL",
	[5] = "IO_SMI",
	[6] = "OTHER_SMI",
	[7] = "INTERRUPT_WINDOW",
	[8] = "NMI_WINDOW",
	[9] = "TASK_SWITCH",
	[10] = "CPUID",
	[11] = "GETSEC",
	[12] = "HLT",
	[13] = "INVD",
	[14] = "INVLPG",
	[15] = "RDPMC",
	[16] = "RDTSC",
	[17] = "RSM",
	[18] = "VMCALL",
	[19] = "VMCLEAR",
	[20] = "VMLAUNCH",
	[21] = "VMPTRLD",
	[22] = "VMPTRST",
	[23] = "VMREAD",
	[24] = "VMRESUME",
	[25] = "VMWRITE",
	[26] = "VMOFF",
	[27] = "VMON",
	[28] = "CR_ACCESS",
	[29] = "DR_ACCESS",
	[30] = "IO_INSTRUCTION",
	[31] = "MSR_READ",
	[32] = "MSR_WRITE",
	[33] = "INVALID_STATE",
	[34] = "MSR_LOAD_FAIL",
	[36] = "MWAIT_INSTRUCTION",
	[37] = "MONITOR_TRAP_FLAG",
	[39] = "MONITOR_INSTRUCTION",
	[40] = "PAUSE_INSTRUCTION",
	[41] = "MCE_DURING_VMENTRY",
	[43] = "TPR_BELOW_THRESHOLD",
	[44] = "APIC_ACCESS",
	[45] = "EOI_INDUCED",
	[46] = "GDTR_IDTR",
	[47] = "LDTR_TR",
	[48] = "EPT_VIOLATION",
	[49] = "EPT_MISCONFIG",
	[50] = "INVEPT",
	[51] = "RDTSCP",
	[52] = "PREEMPTION_TIMER",
	[53] = "INVVPID",
	[54] = "WBINVD",
	[55] = "XSETBV",
	[56] = "APIC_WRITE",
	[57] = "RDRAND",
	[58] = "INVPCID",
	[59] = "VMFUNC",
	[60] = "ENCLS",
	[61] = "RDSEED",
	[62] = "PML_FULL",
	[63] = "XSAVES",
	[64] = "XRSTORS",
	[65] = "PCONFIG",
	[66] = "SPP_EVENT",
	[67] = "UMWAIT",
	[68] = "TPAUSE",
	[69] = "LOADIWKEY",
	[70] = "ENCLV",
	[72] = "ENQCMD_PASID",
	[73] = "ENQCMDS_PASID",
	[74] = "BUS_LOCK",
	[75] = "NOTIFY",
	[76] = "SEAMCALL",
	[77] = "TDCALL",
	[78] = "RDMSRLIST",
	[79] = "WRMSRLIST",
	[80] = "URDMSR",
	[81] = "UWRMSR",
	[84] = "MSR_READ_IMM",
	[85] = "MSR_WRITE_IMM",
};

#define SVM_EXCEPTIONS 0x40
#define SVM_LOW_END    0xc0 /* beyond all codes of one instruction or event */
#define SVM_HIGH       0x400
#define SVM_HIGH_END   0x40e
#define SVM_HLT	       0x78
#define SVM_IDLE_HLT   0xa6

static const char *const svm_names[SVM_LOW_END] = {
	[0x00] = "READ_CR0",
	[0x02] = "READ_CR2",
	[0x03] = "READ_CR3",
	[0x04] = "READ_CR4",
	[0x08] = "READ_CR8",
	[0x10] = "WRITE_CR0",
	[0x12] = "WRITE_CR2",
	[0x13] = "WRITE_CR3",
	[0x14] = "WRITE_CR4",
	[0x18] = "WRITE_CR8",
	[0x20] = "READ_DR0",
	[0x21] = "READ_DR1",
	[0x22] = "READ_DR2",
	[0x23] = "READ_DR3",
	[0x24] = "READ_DR4",
	[0x25] = "READ_DR5",
	[0x26] = "READ_DR6",
	[0x27] = "READ_DR7",
	[0x30] = "WRITE_DR0",
	[0x31] = "WRITE_DR1",
	[0x32] = "WRITE_DR2",
	[0x33] = "WRITE_DR3",
	[0x34] = "WRITE_DR4",
	[0x35] = "WRITE_DR5",
	[0x36] = "WRITE_DR6",
	[0x37] = "WRITE_DR7",
	[SVM_EXCEPTIONS + 0] = "EXCP_DE",
	[SVM_EXCEPTIONS + 1] = "EXCP_DB",
	[SVM_EXCEPTIONS + 2] = "EXCP_NMI",
	[SVM_EXCEPTIONS + 3] = "EXCP_BP",
	[SVM_EXCEPTIONS + 4] = "EXCP_OF",
	[SVM_EXCEPTIONS + 5] = "EXCP_BR",
	[SVM_EXCEPTIONS + 6] = "EXCP_UD",
	[SVM_EXCEPTIONS + 7] = "EXCP_NM",
	[SVM_EXCEPTIONS + 8] = "EXCP_DF",
	[SVM_EXCEPTIONS + 10] = "EXCP_TS",
	[SVM_EXCEPTIONS + 11] = "EXCP_NP",
	[SVM_EXCEPTIONS + 12] = "EXCP_SS",
	[SVM_EXCEPTIONS + 13] = "EXCP_GP",
	[SVM_EXCEPTIONS + 14] = "EXCP_PF",
	[SVM_EXCEPTIONS + 16] = "EXCP_MF",
	[SVM_EXCEPTIONS + 17] = "EXCP_AC",
	[SVM_EXCEPTIONS + 18] = "EXCP_MC",
	[SVM_EXCEPTIONS + 19] = "EXCP_XF",
	[SVM_EXCEPTIONS + 21] = "EXCP_CP",
	[SVM_EXCEPTIONS + 28] = "EXCP_HV",
	[SVM_EXCEPTIONS + 29] = "EXCP_VC",
	[SVM_EXCEPTIONS + 30] = "EXCP_SX",
	[0x60] = "INTR",
	[0x61] = "NMI",
	[0x62] = "SMI",
	[0x63] = "INIT",
	[0x64] = "VINTR",
	[0x65] = "CR0_SEL_WRITE",
	[0x66] = "IDTR_READ",
	[0x67] = "GDTR_READ",
	[0x68] = "LDTR_READ",
	[0x69] = "TR_READ",
	[0x6a] = "IDTR_WRITE",
	[0x6b] = "GDTR_WRITE",
	[0x6c] = "LDTR_WRITE",
	[0x6d] = "TR_WRITE",
	[0x6e] = "RDTSC",
	[0x6f] = "RDPMC",
	[0x70] = "PUSHF",
	[0x71] = "POPF",
	[0x72] = "CPUID",
	[0x73] = "RSM",
	[0x74] = "IRET",
	[0x75] = "SWINT",
	[0x76] = "INVD",
	[0x77] = "PAUSE",
	[SVM_HLT] = "HLT",
	[0x79] = "INVLPG",
	[0x7a] = "INVLPGA",
	[0x7b] = "IOIO",
	[0x7c] = "MSR",
	[0x7d] = "TASK_SWITCH",
	[0x7e] = "FERR_FREEZE",
	[0x7f] = "SHUTDOWN",
	[0x80] = "VMRUN",
	[0x81] = "VMMCALL",
	[0x82] = "VMLOAD",
	[0x83] = "VMSAVE",
	[0x84] = "STGI",
	[0x85] = "CLGI",
	[0x86] = "SKINIT",
	[0x87] = "RDTSCP",
	[0x88] = "ICEBP",
	[0x89] = "WBINVD",
	[0x8a] = "MONITOR",
	[0x8b] = "MWAIT",
	[0x8c] = "MWAIT_COND",
	[0x8d] = "XSETBV",
	[0x8e] = "RDPRU",
	[0x8f] = "EFER_WRITE_TRAP",
	[0x90] = "CR0_WRITE_TRAP",
	[0x91] = "CR1_WRITE_TRAP",
	[0x92] = "CR2_WRITE_TRAP",
	[0x93] = "CR3_WRITE_TRAP",
	[0x94] = "CR4_WRITE_TRAP",
	[0x98] = "CR8_WRITE_TRAP",
	[0xa0] = "INVLPGB",
	[0xa1] = "INVLPGB_ILLEGAL",
	[0xa2] = "INVPCID",
	[0xa3] = "MCOMMIT",
	[0xa4] = "TLBSYNC",
	[0xa5] = "BUS_LOCK",
	[SVM_IDLE_HLT] = "IDLE_HLT",
};

static const char *const svm_high_names[] = {
	[0] = "NPF",
	[1] = "AVIC_INCOMPLETE_IPI",
	[2] = "AVIC_NOACCEL", /* the APM's; SVM_EXIT_AVIC_UNACCELERATED_ACCESS */
	[3] = "VMGEXIT",
};

__u16 exit_reason(bool svm, __u32 recorded)
{
	__u16 code = recorded;

	if (!svm)
		return code;
	if (code < EXIT_SVM_OTHERS - EXIT_SVM)
		return EXIT_SVM | code;
	return code == 0xffff ? EXIT_SVM_ERR : EXIT_SVM_OTHERS;
}

__u32 exit_number(__u16 reason)
{
	if (reason < EXIT_SVM)
		return reason;
	return reason == EXIT_SVM_ERR ? 0xffff : reason - EXIT_SVM;
}

const char *exit_number_text(__u16 reason, char *buf)
{
	snprintf(buf, EXIT_TEXT, reason < EXIT_SVM ? "%u" : "%#x",
		 exit_number(reason));
	return buf;
}

static const char *svm_name(unsigned int code)
{
	if (code < SVM_LOW_END)
		return svm_names[code];
	code -= SVM_HIGH;
	if (code < sizeof(svm_high_names) / sizeof(svm_high_names[0]))
		return svm_high_names[code];
	return NULL;
}

const char *exit_name(__u16 reason)
{
	if (reason == EXIT_SVM_ERR)
		return "ERR";
	if (reason == EXIT_SVM_OTHERS)
		return "(others)";
	if (reason >= EXIT_SVM)
		return svm_name(reason - EXIT_SVM);
	return reason < sizeof(vmx_names) / sizeof(vmx_names[0]) ?
		       vmx_names[reason] :
		       NULL;
}

bool exit_is_hlt(__u16 reason)
{
	return reason == 12 || reason == EXIT_SVM + SVM_HLT ||
	       reason == EXIT_SVM + SVM_IDLE_HLT;
}

unsigned int exit_place(__u16 reason)
{
	unsigned int code = reason - EXIT_SVM;

	if (reason < EXIT_SVM)
		return reason < EXIT_REASONS - 1 ? reason : EXIT_REASONS - 1;
	if (code < SVM_LOW_END)
		return code;
	if (code - SVM_HIGH < SVM_HIGH_END - SVM_HIGH)
		return code - SVM_HIGH + SVM_LOW_END;
	return reason == EXIT_SVM_ERR ? EXIT_REASONS - 2 : EXIT_REASONS - 1;
}

__u16 exit_at_place(bool svm, unsigned int place)
{
	if (!svm)
		return place;
	if (place < SVM_LOW_END)
		return EXIT_SVM + place;
	if (place - SVM_LOW_END < SVM_HIGH_END - SVM_HIGH)
		return EXIT_SVM + SVM_HIGH + place - SVM_LOW_END;
	return place == EXIT_REASONS - 2 ? EXIT_SVM_ERR : EXIT_SVM_OTHERS;
}
