/* SPDX-License-Identifier: GPL-2.0-only WITH Linux-syscall-note */
/*
 * Sampling records: what the module writes into its rings and `vmmprof record`
 * stores in cpu-N.rec, unchanged but for CHAIN records, packed at its end.
 * include/FORMAT.md has the same byte by byte.
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
	VMMPROF_REC_CHAIN = 5,
	VMMPROF_REC_IDENTITY = 6,
	VMMPROF_REC_PACKED = 7, /* a CHAIN record, in files only */
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
	__u64 ip;     /* host PC of the interrupted frame */
	__u64 period; /* events this sample stands for; cpu-clock: ns */
	/* of VMX by the VMCS; of SVM by the VMCB, as its include/FORMAT.md says */
	__u64 guest_ip;	      /* VMCS GUEST_RIP */
	__u64 guest_cr3;      /* VMCS GUEST_CR3, unmasked */
	__u32 exit_reason;    /* VMCS VM_EXIT_REASON, all 32 bits; EXITCODE */
	__u32 exit_intr_info; /* VMCS VM_EXIT_INTR_INFO; EXITINTINFO */
	__u32 guest_ss_ar;    /* VMCS GUEST_SS_AR_BYTES; bits 6:5: CPL */
	__u32 vcpu_id;	      /* KVM's vcpu_id, VMMPROF_NONE without S_VCPU */
	__u16 vpid;	      /* VMCS VIRTUAL_PROCESSOR_ID; SVM: 0 */
	__u8 event;	      /* index into the session's events */
	__u8 handling;	      /* kvm_vcpu.arch.handling_intr_from_guest, raw */
	__u32 cpu;	      /* physical CPU */
	__u64 guest_rsp;      /* VMCS GUEST_RSP */
	/* preempt_count() in the sample's own interrupt; 0: not recorded */
	__u32 preempt;
	__u32 identity; /* who ran in the guest: enum vmmprof_identity or an id */
};

/*
 * What was interrupted, out of .preempt: the NMI or timer itself is one level of
 * hardirq.
 */
#define VMMPROF_PREEMPT_SOFTIRQ	      0x100 /* a softirq is served */
#define VMMPROF_PREEMPT_HARDIRQ_SHIFT 16    /* 4 bits: levels of hardirq */

/* hdr.flags of LOST */
#define VMMPROF_L_NAMES		      0x0001 /* lost_other: SWITCH records alone */
#define VMMPROF_L_CHAINS	      0x0002 /* lost_other: CHAIN records alone */

/*
 * Records that did not fit.  Comes before the next one of the same context (NMI
 * or not) that did: others may be between.  SWITCH records take up half of the
 * ring at most; what was left out of them has a record of its own (L_NAMES): the
 * other ones are complete.  So have CHAIN records (L_CHAINS).
 */
struct vmmprof_rec_lost {
	struct vmmprof_rec_hdr hdr; /* hdr.tsc: when this was written */
	__u64 lost;	 /* samples lost since the last LOST record */
	__u64 first_tsc; /* of the first lost sample; lost is 0: of the others */
	__u64 last_tsc;	 /* of the last one */
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
#define VMMPROF_V_CONTROLS   0x0004 /* exec_controls, exec_controls2: VMX's */
#define VMMPROF_V_INTERCEPTS 0x0008 /* exec_controls, exec_controls2: SVM's */

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
	__u32 tsc_frac_bits; /* VMX: 48, SVM: 32 */
	__u32 cpu;
	/* V_INTERCEPTS: vectors 3 and 4 of the VMCB's intercepts */
	__u32 exec_controls;  /* VMCS CPU_BASED_VM_EXEC_CONTROL */
	__u32 exec_controls2; /* VMCS SECONDARY_VM_EXEC_CONTROL */
};

/* hdr.flags of CHAIN */
#define VMMPROF_C_GUEST 0x0001 /* the loaded vCPU's guest; else the host */
#define VMMPROF_C_REF	0x0002 /* no data: that of the last one with this id */
#define VMMPROF_C_WORDS 0x0004 /* the kernel part is words of the stack */
#define VMMPROF_C_REGS	0x0008 /* struct vmmprof_chain_regs follows */
#define VMMPROF_C_OUT	0x0010 /* belongs to an OUT record, not to a sample */
#define VMMPROF_C_STATE 0x0020 /* struct vmmprof_chain_state follows */

/* Why a part of a chain has no more frames. */
enum vmmprof_chain_end {
	VMMPROF_END_NONE = 0,	   /* there is no such part */
	VMMPROF_END_DONE = 1,	   /* the outermost frame is there */
	VMMPROF_END_DEPTH = 2,	   /* as many as were asked for */
	VMMPROF_END_FRAME = 3,	   /* a frame pointer that cannot be one */
	VMMPROF_END_UNMAPPED = 4,  /* no page in the guest's page table */
	VMMPROF_END_NO_MEMORY = 5, /* an address that is no memory of the VM */
	VMMPROF_END_NOT_PRESENT = 6, /* the host would have to fault it in */
	VMMPROF_END_UNWINDER = 7,    /* the host kernel's unwinder gave up */
	VMMPROF_END_MOVED = 8, /* the vCPU went on before it could be read */
	VMMPROF_END_BUSY = 9,  /* the one before was not read yet */
	VMMPROF_END_ROOM = 10, /* more words than a record may have */
	VMMPROF_END_BITS = 11, /* not 64-bit code: its frames are not read */
};

/*
 * Who called the code that a sample or OUT record of the same CPU hit; behind
 * that record.  Then struct vmmprof_chain_regs with C_REGS, struct
 * vmmprof_chain_state with C_STATE, the data (not with C_REF): nr_kernel and
 * nr_user u64, stack_size bytes; zeros up to the record's size.  Innermost
 * first; the PC that was hit (of a sample, of C_STATE) is not repeated.
 *
 * Kernel part: return addresses; with C_WORDS words of the guest's kernel
 * stack, see VMMPROF_WORD_*.  User part: return addresses; if kernel code was
 * hit, its first one is the PC at which user mode was left.
 */
struct vmmprof_rec_chain {
	struct vmmprof_rec_hdr hdr; /* hdr.tsc: of the record it belongs to */
	__u32 id; /* of the data, on this CPU, from 1; 0: for none to refer to */
	__u16 nr_kernel;
	__u16 nr_user;
	__u8 end_kernel; /* enum vmmprof_chain_end */
	__u8 end_user;
	__u16 reserved;
	__u32 stack_size; /* of the user stack from .sp on; a multiple of 8 */
};

/* Not part of the data: differs where callers are the same. */
struct vmmprof_chain_regs {
	__u64 bp;     /* RBP of the code that was hit */
	__u64 sp;     /* RSP of user mode: of the user part */
	__u64 top[2]; /* the words at .sp; 0 if there are none */
};

/*
 * Where a guest was when its vCPU's thread left the CPU: a sample has the same,
 * an OUT record has not.  Not part of the data, either.
 */
struct vmmprof_chain_state {
	__u64 guest_ip;	   /* as in a sample: VMCS GUEST_RIP */
	__u64 guest_cr3;   /* GUEST_CR3, unmasked, of its own page table */
	__u64 guest_rsp;   /* GUEST_RSP */
	__u32 guest_ss_ar; /* GUEST_SS_AR_BYTES; bits 6:5: CPL */
	__u32 reserved;
};

/*
 * A word of a guest's kernel stack: bits 14:0 its index from the stack pointer
 * (in words of 8 bytes); bits 63:16 its value: bits 47:0 of an address in the
 * upper half, or, with WORD_STACK, (value - stack pointer) as a signed number.
 * WORD_BASE: no word; the next u64 takes the place of the stack pointer for all
 * that follow.
 */
#define VMMPROF_WORD_INDEX  0x7fff
#define VMMPROF_WORD_STACK  0x8000
#define VMMPROF_WORD_BASE   0xffff /* bits 15:0 */

#define VMMPROF_CHAIN_DEPTH 127	  /* frames of a part, at most */
#define VMMPROF_CHAIN_WORDS 512	  /* nr_kernel with C_WORDS, at most */
#define VMMPROF_CHAIN_STACK 32768 /* stack_size, at most */

/*
 * .identity of a sample: the id of an IDENTITY record of the same CPU, from
 * WHO_FIRST on, or why there is none.
 */
enum vmmprof_identity {
	VMMPROF_WHO_NONE = 0,	   /* not asked for, or not of a guest */
	VMMPROF_WHO_LATER = 1,	   /* in a later record with I_SAMPLE */
	VMMPROF_WHO_NO_LAYOUT = 2, /* IOC_GUEST_LAYOUT was not called */
	VMMPROF_WHO_UNMAPPED = 3,  /* no page in the guest's page table */
	VMMPROF_WHO_NO_MEMORY = 4, /* an address that is no memory of the VM */
	VMMPROF_WHO_NOT_PRESENT = 5, /* the host would have to fault it in */
	VMMPROF_WHO_INVALID = 6,     /* what was read is no task */
	VMMPROF_WHO_MOVED = 7,	/* the vCPU went on before it could be read */
	VMMPROF_WHO_BUSY = 8,	/* another one was being read */
	VMMPROF_WHO_NESTED = 9, /* a nested guest ran */
	VMMPROF_WHO_SMM = 10,
	VMMPROF_WHO_ENCRYPTED = 11, /* the guest's memory, or its state */
	VMMPROF_WHO_BITS = 12,	    /* not 64-bit mode */
	VMMPROF_WHO_NO_BASE = 13,   /* the kernel's GS base is not known */
	VMMPROF_WHO_ROOM = 14,	    /* no room for the IDENTITY record */
	VMMPROF_WHO_PAGING = 15,    /* the page table is not the guest's own */
	VMMPROF_WHO_FIRST = 16,
};

/* hdr.flags of IDENTITY */
#define VMMPROF_I_SAMPLE \
	0x0001 /* that of the sample of hdr.tsc, which has LATER */
#define VMMPROF_I_KTHREAD 0x0002 /* a thread of the guest's kernel */
#define VMMPROF_I_START	  0x0004 /* start_ns is valid */

/*
 * A task of a guest, as the guest's kernel had it.  No later than before the
 * first sample on this CPU that has its id; with I_SAMPLE behind the sample, then
 * .id may also be a reason, and the members behind it are 0.
 */
struct vmmprof_rec_identity {
	struct vmmprof_rec_hdr hdr; /* hdr.tsc: of the sample */
	__u32 id;		    /* on this CPU */
	__u32 pid;		    /* tgid of the VMM process */
	__u32 tgid;
	__u32 tid;
	__u64 mm;	/* address of its struct mm_struct; 0: it has none */
	__u64 start_ns; /* the guest's CLOCK_MONOTONIC when the thread began */
	char comm[16];	/* any bytes */
};

/*
 * A CHAIN record without a stack, as files have it: told by what differs from
 * one of before on this CPU.  There is no struct but the header, and FORMAT.md
 * has the bytes behind it.  hdr.flags: bits 7:0 the CHAIN's flags without C_REF,
 * 11:8 end_kernel, 15:12 end_user, 31:16 id.
 */
#define VMMPROF_PACKED_FLAGS	  0x3f /* C_* that there are */
#define VMMPROF_PACKED_END_KERNEL 8    /* shifts of the others */
#define VMMPROF_PACKED_END_USER	  12
#define VMMPROF_PACKED_ID	  16
#define VMMPROF_PACKED_IDS	  4096 /* ids are below it */

/* Bits 1:0 of what begins a word of a guest's kernel stack there. */
#define VMMPROF_PACKED_ADDRESS	  0
#define VMMPROF_PACKED_STACK	  1
#define VMMPROF_PACKED_RAW	  2

/* hdr.flags of OUT, IN, SWITCH, WAKE, MIGRATE */
#define VMMPROF_W_VCPU		  0x0001 /* a vCPU is loaded: vcpu_id, mp_state valid */
#define VMMPROF_W_RUNNABLE	  0x0002 /* OUT: still runnable, that is preempted */
#define VMMPROF_W_VMCS		  0x0004 /* exit_reason valid: of the loaded vCPU */
#define VMMPROF_W_IRQ		  0x0008 /* WAKE: from interrupt context */

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
_Static_assert(sizeof(struct vmmprof_rec_chain) == 32, "on-disk size");
_Static_assert(sizeof(struct vmmprof_chain_regs) == 32, "on-disk size");
_Static_assert(sizeof(struct vmmprof_chain_state) == 32, "on-disk size");
_Static_assert(sizeof(struct vmmprof_rec_identity) == 64, "on-disk size");
_Static_assert(sizeof(struct vmmprof_rec_switch) == 80, "on-disk size");
_Static_assert(sizeof(struct vmmprof_rec_wake) == 48, "on-disk size");

#endif /* VMMPROF_RECORD_H */
