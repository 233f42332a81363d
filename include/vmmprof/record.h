/* SPDX-License-Identifier: GPL-2.0-only WITH Linux-syscall-note */
/*
 * Sampling records: what the module writes into its rings and `vmmprof record`
 * stores unchanged in cpu-N.rec.  include/FORMAT.md has the same byte by byte.
 *
 * All members are little-endian and fixed-width.  Readers skip unknown types
 * by their size and ignore unknown flag bits; records only grow at their end.
 */
#ifndef VMMPROF_RECORD_H
#define VMMPROF_RECORD_H

#include <linux/types.h>

#define VMMPROF_REC_ALIGN 16	      /* sizes are multiples of this */
#define VMMPROF_NONE	  0xffffffffu /* "no such index or id" */

enum vmmprof_rec_type {
	VMMPROF_REC_PAD = 0, /* fills the ring up to its end; size = the rest */
	VMMPROF_REC_SAMPLE = 1,
	VMMPROF_REC_LOST = 2,
	VMMPROF_REC_THROTTLE = 3,
	VMMPROF_REC_VCPU = 4,
	VMMPROF_REC_OUT = 16,
	VMMPROF_REC_WAKE = 17,
	VMMPROF_REC_IN = 18,
	VMMPROF_REC_MIGRATE = 19,
	VMMPROF_REC_SWITCH = 20,
};

struct vmmprof_rec_hdr {
	__u16 type;  /* enum vmmprof_rec_type */
	__u16 size;  /* whole record in bytes */
	__u32 flags; /* meaning depends on the type */
	__u64 tsc;   /* host TSC when the record was made */
};

/* hdr.flags of a sample: what was true when the interrupt hit. */
#define VMMPROF_S_NMI	    0x0001 /* in_nmi(); else an hrtimer interrupt */
#define VMMPROF_S_USER	    0x0002 /* interrupted frame: host user mode */
#define VMMPROF_S_IF	    0x0004 /* interrupted frame: RFLAGS.IF was set */
#define VMMPROF_S_VCPU	    0x0008 /* current has a vCPU loaded: vcpu_id valid */
#define VMMPROF_S_VMCS	    0x0010 /* VMREAD worked: vpid, exit_reason valid */
#define VMMPROF_S_STATE	    0x0020 /* the other guest members are valid */
#define VMMPROF_S_OWN	    0x0040 /* the VMCS's VPID is the loaded vCPU's own */
#define VMMPROF_S_GUEST	    0x0080 /* decided: the interrupt hit guest code */
#define VMMPROF_S_L2	    0x0100 /* the vCPU runs a nested guest */
#define VMMPROF_S_SHADOW    0x0200 /* no EPT: guest_cr3 is KVM's shadow root */
#define VMMPROF_S_PROTECTED 0x0400 /* guest state is protected (TDX, SEV-ES) */
#define VMMPROF_S_HANDLING  0x0800 /* handling is valid */
#define VMMPROF_S_SMM	    0x1000 /* the vCPU is in system management mode */
/* no unrestricted guest, paging is off: guest_cr3 and the CPL are KVM's */
#define VMMPROF_S_UNPAGED   0x2000

struct vmmprof_rec_sample {
	struct vmmprof_rec_hdr hdr;
	__u32 pid; /* tgid in the initial PID namespace, 0: idle */
	__u32 tid;
	__u64 ip;	      /* host PC of the interrupted frame */
	__u64 period;	      /* events this sample stands for; cpu-clock: ns */
	__u64 guest_ip;	      /* VMCS GUEST_RIP */
	__u64 guest_cr3;      /* VMCS GUEST_CR3, unmasked */
	__u32 exit_reason;    /* VMCS VM_EXIT_REASON, all 32 bits */
	__u32 exit_intr_info; /* VMCS VM_EXIT_INTR_INFO */
	__u32 guest_ss_ar;    /* VMCS GUEST_SS_AR_BYTES; bits 6:5: CPL */
	__u32 vcpu_id;	      /* KVM's vcpu_id, VMMPROF_NONE without S_VCPU */
	__u16 vpid;	      /* VMCS VIRTUAL_PROCESSOR_ID */
	__u8 event;	      /* index into the session's events */
	__u8 handling;	      /* kvm_vcpu.arch.handling_intr_from_guest, raw */
	__u32 cpu;	      /* physical CPU */
	__u64 guest_rsp;      /* VMCS GUEST_RSP */
	/* preempt_count() in the sample's own interrupt; 0: not recorded */
	__u64 preempt;
};

/*
 * What was interrupted, out of .preempt: the NMI or timer itself is one level of
 * hardirq.
 */
#define VMMPROF_PREEMPT_SOFTIRQ	      0x100 /* a softirq is served */
#define VMMPROF_PREEMPT_HARDIRQ_SHIFT 16    /* 4 bits: levels of hardirq */

/* hdr.flags of LOST */
#define VMMPROF_L_NAMES		      0x0001 /* lost_other: SWITCH records alone */

/*
 * Records that did not fit.  Comes before the next one that did.  SWITCH
 * records take up half of the ring at most; what was left out of them has a
 * record of its own (L_NAMES): the other ones are complete.
 */
struct vmmprof_rec_lost {
	struct vmmprof_rec_hdr hdr; /* hdr.tsc: when this was written */
	__u64 lost;	  /* samples lost since the last LOST record */
	__u64 first_tsc;  /* of the first lost sample; L_NAMES: SWITCH */
	__u64 last_tsc;	  /* of the last one */
	__u64 lost_other; /* records lost that were no samples */
};

/* perf stopped an event on this CPU until the next tick. */
struct vmmprof_rec_throttle {
	struct vmmprof_rec_hdr hdr;
	__u32 event;
	__u32 cpu;
	__u64 reserved;
};

/* hdr.flags of VCPU */
#define VMMPROF_V_EPT	     0x0001 /* CR3 in samples is the guest's */
#define VMMPROF_V_TSC_SCALED 0x0002 /* tsc_ratio is not 1.0 */
#define VMMPROF_V_CONTROLS   0x0004 /* exec_controls, exec_controls2 valid */

/*
 * A vCPU, no later than before the first sample on this CPU that hits its
 * guest (not a nested one), and again after a change.
 * Guest TSC = ((host TSC * tsc_ratio) >> tsc_frac_bits) + tsc_offset.
 */
struct vmmprof_rec_vcpu {
	struct vmmprof_rec_hdr hdr;
	__u32 pid; /* tgid of the VMM process */
	__u32 tid;
	__u32 vcpu_id;
	__u32 vpid;	  /* the vCPU's own (vmx->vpid as seen in its VMCS) */
	__u64 tsc_offset; /* two's complement */
	__u64 tsc_ratio;
	__u32 tsc_frac_bits; /* VMX: 48 */
	__u32 cpu;
	__u32 exec_controls;  /* VMCS CPU_BASED_VM_EXEC_CONTROL */
	__u32 exec_controls2; /* VMCS SECONDARY_VM_EXEC_CONTROL */
};

/* hdr.flags of OUT, IN, SWITCH, WAKE, MIGRATE */
#define VMMPROF_W_VCPU	   0x0001 /* a vCPU is loaded: vcpu_id, mp_state valid */
#define VMMPROF_W_RUNNABLE 0x0002 /* OUT: still runnable, that is preempted */
#define VMMPROF_W_VMCS	   0x0004 /* exit_reason valid: of the loaded vCPU */
#define VMMPROF_W_IRQ	   0x0008 /* WAKE: from interrupt context */

/*
 * OUT, IN: a vCPU's thread leaves or gets a CPU; SWITCH: any other switch on a
 * CPU for which a vCPU's thread waits.
 */
struct vmmprof_rec_switch {
	struct vmmprof_rec_hdr hdr;
	__u32 pid; /* OUT, SWITCH: who leaves; IN: who comes */
	__u32 tid;
	__u32 vcpu_id; /* VMMPROF_NONE without W_VCPU */
	__u32 cpu;
	__u32 mp_state;	   /* KVM_MP_STATE_*, with W_VCPU */
	__u32 exit_reason; /* VMCS VM_EXIT_REASON, all 32 bits, with W_VMCS */
	__u32 other_pid;   /* OUT, SWITCH: who comes; IN: who left */
	__u32 other_tid;
	char comm[16]; /* of pid, tid */
	char other_comm[16];
};

/* WAKE: a vCPU's thread becomes runnable; MIGRATE: it gets another CPU. */
struct vmmprof_rec_wake {
	struct vmmprof_rec_hdr hdr;
	__u32 pid;
	__u32 tid;
	__u32 vcpu_id;	 /* VMMPROF_NONE without W_VCPU */
	__u32 cpu;	 /* where it waits or sleeps from now on */
	__u32 from_cpu;	 /* MIGRATE: where it was; WAKE: the waker's */
	__u32 other_pid; /* WAKE: the waker; 0 with W_IRQ */
	__u32 other_tid;
	__u32 reserved;
};

_Static_assert(sizeof(struct vmmprof_rec_hdr) == 16, "on-disk size");
_Static_assert(sizeof(struct vmmprof_rec_sample) == 96, "on-disk size");
_Static_assert(sizeof(struct vmmprof_rec_lost) == 48, "on-disk size");
_Static_assert(sizeof(struct vmmprof_rec_throttle) == 32, "on-disk size");
_Static_assert(sizeof(struct vmmprof_rec_vcpu) == 64, "on-disk size");
_Static_assert(sizeof(struct vmmprof_rec_switch) == 80, "on-disk size");
_Static_assert(sizeof(struct vmmprof_rec_wake) == 48, "on-disk size");

#endif /* VMMPROF_RECORD_H */
