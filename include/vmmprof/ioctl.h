/* SPDX-License-Identifier: GPL-2.0-only WITH Linux-syscall-note */
/*
 * The device /dev/vmmprof: one session per open file, one open file at a time.
 *
 *   open            EBUSY while another session exists (its pid stands in the
 *                   device's sysfs attribute "owner"), EPERM without
 *                   CAP_PERFMON or CAP_SYS_ADMIN; EACCES or EPERM by lockdown
 *                   or a security module that forbids perf events
 *   IOC_INFO        what the module is and can do; any time
 *   IOC_SETUP       choose events, CPUs, ring size; once per open.
 *                   EOPNOTSUPP: hardware events without SETUP_F_FORCE while
 *                   FEAT_MEDIATED; perf's error with bad_event, bad_cpu
 *   mmap            the rings, after SETUP (offsets below)
 *   IOC_START       arm the counters, once.  ENOSPC: one found no place on
 *                   the PMU, all are stopped again (CPU_STAT: EV_ERROR).
 *                   Until STOP the machine does not suspend (EBUSY there):
 *                   counters and the TSC would not go on
 *   poll            POLLIN when a ring is a quarter full, POLLERR after a
 *                   CPU's counter could not be armed again after hotplug
 *   IOC_STOP        disarm; what is in the rings stays readable
 *   IOC_CPU_STAT    counts and counter states of one CPU
 *   IOC_LAYOUT      the offsets of KVM's members that the module was compiled
 *                   with; any time.  ENOTTY: a module that does not tell
 *   IOC_KVM         how often KVM (AMD's part counts, too) was loaded as a
 *                   module; any time.  Guests of
 *                   one that came after open are not looked at until its
 *                   layout was compared, too, and F_USE says so.  ESTALE:
 *                   another one came since.  ENOTTY: a module that reads from
 *                   any
 *   IOC_EXITS       what was counted of VM exits (SETUP_F_EXITS), after STOP
 *                   (EBUSY before it, ENODATA: not asked for), as many
 *                   entries as the caller has room for, EXITS_MAX at most.
 *                   ENOTTY: a module that counts none (no FEAT_EXITS)
 *   IOC_GUEST_LAYOUT  where a guest's kernel has who runs, for IDENTITY records
 *                   (SETUP_F_IDENTITY); from SETUP to close, any number of times.
 *                   ENODATA: not asked for; ESRCH: no such process; ENOSPC:
 *                   GUEST_LAYOUTS_MAX have one.  ENOTTY: no FEAT_IDENTITY
 *   IOC_MEMSLOTS    the memory of a VM, as KVM has it when a sample hits its
 *                   guest: the first call asks for it (EAGAIN), a later one
 *                   gets it, once.  Errors as above; EAGAIN: no sample yet
 *   IOC_WIDEN       while sampling: the periods of all events are so many times
 *                   as long, frequencies as much lower.  Counters are released
 *                   and armed anew, so there are no samples meanwhile.  EINVAL:
 *                   not sampling, or a period that no event takes.  ENOTTY: no
 *                   FEAT_SPENT
 *   close           stops, frees everything.  So does the end of the process
 *                   that opened it, and its first close() of any duplicate:
 *                   whoever still holds the file gets ESHUTDOWN
 *
 * Every struct begins with its size as the caller knows it.  A larger one is
 * accepted if what the module does not know is zero (else E2BIG), a smaller
 * one is refused below the first version's size (EINVAL).  Unknown flags:
 * EINVAL.
 */
#ifndef VMMPROF_IOCTL_H
#define VMMPROF_IOCTL_H

#include <linux/types.h>
#include <linux/ioctl.h>

#define VMMPROF_DEVICE "/dev/vmmprof"
#define VMMPROF_ABI    2

enum vmmprof_vendor {
	VMMPROF_VENDOR_NONE = 0, /* no virtualization this module can read */
	VMMPROF_VENDOR_VMX = 1,
	VMMPROF_VENDOR_SVM = 2,
};

/* vmmprof_info.features */
#define VMMPROF_FEAT_GUEST    0x1 /* vendor's guest state can be sampled */
#define VMMPROF_FEAT_HANDLING 0x2 /* samples have S_HANDLING */
/* kvm_intel.enable_mediated_pmu=Y: hardware events need SETUP_F_FORCE */
#define VMMPROF_FEAT_MEDIATED 0x4
#define VMMPROF_FEAT_NO_EPT   0x8  /* kvm_intel.ept=N */
#define VMMPROF_FEAT_EXITS    0x10 /* SETUP_F_EXITS is known and possible */
#define VMMPROF_FEAT_CHAINS   0x20 /* SETUP_F_CHAINS is known */
#define VMMPROF_FEAT_IDENTITY 0x40 /* SETUP_F_IDENTITY is known */
#define VMMPROF_FEAT_SPENT    0x80 /* SETUP_F_SPENT and IOC_WIDEN are known */

struct vmmprof_info {
	__u32 size;
	__u32 abi;	/* VMMPROF_ABI */
	__u32 vendor;	/* enum vmmprof_vendor */
	__u32 features; /* VMMPROF_FEAT_* */
	__u32 tsc_khz;
	__u32 nr_cpu_ids; /* CPU numbers are below this */
	__u32 max_events;
	__u32 reserved;
	char version[32]; /* module version, NUL-terminated */
};

#define VMMPROF_MAX_EVENTS	  8

#define VMMPROF_EVENT_F_FREQ	  0x1 /* period is a frequency in Hz */
/*
 * What is not counted, by CPL and by VMX mode: at most one of each pair, and
 * of hardware events only, because a timer's interrupt sees no guest.
 */
#define VMMPROF_EVENT_F_NO_USER	  0x2
#define VMMPROF_EVENT_F_NO_KERNEL 0x4
#define VMMPROF_EVENT_F_NO_HOST	  0x8
#define VMMPROF_EVENT_F_NO_GUEST  0x10
#define VMMPROF_EVENT_F_MODES	  0x1e /* all of these */

/*
 * type is PERF_TYPE_HARDWARE, _HW_CACHE, _RAW, or _SOFTWARE with
 * PERF_COUNT_SW_CPU_CLOCK.
 */
struct vmmprof_event {
	__u32 type;
	__u32 flags;  /* VMMPROF_EVENT_F_* */
	__u64 config; /* as in struct perf_event_attr */
	__u64 period; /* events per sample (cpu-clock: ns), not 0 */
};

/* Hardware events although the kernel's mediated vPMU is on. */
#define VMMPROF_SETUP_F_FORCE	    0x1
#define VMMPROF_SETUP_F_SWITCHES    0x2 /* write switch records */
/*
 * Read nothing of KVM's: samples have no vCPU.  EINVAL with F_SWITCHES or
 * F_EXITS.
 */
#define VMMPROF_SETUP_F_NO_GUEST    0x4
/* Count VM exits.  EOPNOTSUPP: not in this kernel (kCFI). */
#define VMMPROF_SETUP_F_EXITS	    0x8

/* Write CHAIN records, as the members chain_* say; without it they are 0. */
#define VMMPROF_SETUP_F_CHAINS	    0x10

/* Read who runs in guests; EINVAL with F_NO_GUEST. */
#define VMMPROF_SETUP_F_IDENTITY    0x20

/* Measure what the callbacks of samples take: ring_head.spent. */
#define VMMPROF_SETUP_F_SPENT	    0x40

/* vmmprof_setup.chain_flags: of whom, at least one. */
#define VMMPROF_CHAIN_F_HOST_KERNEL 0x1
#define VMMPROF_CHAIN_F_HOST_USER   0x2 /* by frame pointers */
#define VMMPROF_CHAIN_F_GUEST	    0x4 /* EINVAL with F_NO_GUEST */
/* of OUT records, too, what the others say; EINVAL without F_SWITCHES */
#define VMMPROF_CHAIN_F_OUT	    0x8

#define VMMPROF_RING_MIN	    (16u << 10)
#define VMMPROF_RING_MAX	    (256u << 20)

struct vmmprof_setup {
	__u32 size;
	__u32 flags;	 /* VMMPROF_SETUP_F_* */
	__u32 ring_size; /* bytes per CPU, a power of two, RING_MIN..RING_MAX */
	__u32 nr_events; /* 1..VMMPROF_MAX_EVENTS */
	__u64 cpumask;	 /* user address of a bit mask, bit n of byte n/8 */
	__u32 cpumask_size; /* bytes; 0: all present CPUs */
	__u32 reserved;
	struct vmmprof_event events[VMMPROF_MAX_EVENTS];
	/* out: event that could not be created and on which CPU */
	__u32 bad_event;
	__u32 bad_cpu;
	/* not in the first version; a caller without them is one with 0 */
	__u32 chain_flags; /* VMMPROF_CHAIN_F_* */
	__u32 chain_depth; /* frames of a part, 1..VMMPROF_CHAIN_DEPTH */
	__u32 chain_stack; /* bytes of the user stack, a multiple of 8 */
	__u32 chain_reserved;
};

#define VMMPROF_SETUP_SIZE_MIN 232 /* of the first version */

/* vmmprof_event_stat.state */
enum vmmprof_event_state {
	VMMPROF_EV_OFF = 0,	/* not created (CPU offline) */
	VMMPROF_EV_ACTIVE = 1,	/* on the counter */
	VMMPROF_EV_ERROR = 2,	/* pinned, but did not fit: counts nothing */
	VMMPROF_EV_STOPPED = 3, /* session stopped; counts are final */
	VMMPROF_EV_FAILED = 4,	/* could not be created; see error */
};

struct vmmprof_event_stat {
	__u32 state; /* enum vmmprof_event_state */
	__s32 error; /* -errno with EV_FAILED */
	__u64 count;
	__u64 enabled_ns; /* time enabled */
	__u64 running_ns; /* time on the counter; less than enabled: multiplexed */
	__u64 throttled; /* times perf throttled it */
};

struct vmmprof_cpu_stat {
	__u32 size;
	__u32 cpu;     /* in */
	__u64 samples; /* written to the ring */
	__u64 lost;    /* samples that did not fit */
	__u64 lost_other;
	__u64 bytes;  /* written to the ring, padding included */
	__u32 online; /* 1: sampled now */
	__u32 nr_events;
	struct vmmprof_event_stat events[VMMPROF_MAX_EVENTS];
};

#define VMMPROF_LAYOUT_MAX 48

/* A member of one of KVM's structures that the module reads. */
struct vmmprof_layout_member {
	char type[24];	 /* name of the struct, NUL-terminated */
	char member[32]; /* NUL-terminated */
	__u32 offset;	 /* in it, bytes */
	__u32 size;	 /* bytes; 0: not to be compared */
};

struct vmmprof_layout {
	__u32 size;
	__u32 nr; /* of members */
	struct vmmprof_layout_member members[VMMPROF_LAYOUT_MAX];
};

/* Guests of the KVM that was the @loads-th: it has the layout of IOC_LAYOUT. */
#define VMMPROF_KVM_F_USE 0x1

struct vmmprof_kvm {
	__u32 size;
	__u32 flags; /* VMMPROF_KVM_F_* */
	__u64 loads; /* since this module was loaded; F_USE: in, else out */
};

#define VMMPROF_EXIT_COUNTS 48

/*
 * The exits of one vCPU for one reason, from kvm_exit to kvm_entry; ticks of
 * the TSC.  count[n] are those of 2^(n-1) to 2^n - 1 ticks (0: of none; the
 * last one: of as many or more).
 */
struct vmmprof_exit {
	__u32 pid; /* tgid of the VMM process */
	__u32 tid; /* of the thread that had the first of them */
	__u32 vcpu_id;
	__u32 reason; /* basic exit reason; VMMPROF_NONE: could not be read */
	__u64 total;
	__u64 min;
	__u64 max;
	__u64 open; /* since the exit that had no entry until STOP; 0: none */
	__u64 count[VMMPROF_EXIT_COUNTS];
};

#define VMMPROF_EXITS_MAX 128

struct vmmprof_exits {
	__u32 size;
	__u32 from; /* in: number of the first one wanted */
	__u32 nr; /* in: room for 1..EXITS_MAX; out: copied, 0: there are no more */
	__u32 reserved;
	__u64 to;     /* in: user address of struct vmmprof_exit[] */
	__u64 missed; /* out: exits that were not counted */
};

/* Forget it again; what follows is 0. */
#define VMMPROF_GUEST_LAYOUT_F_REMOVE 0x1
/* Page table isolation: bit 12 of CR3 is set in user mode, and clear in kernel mode. */
#define VMMPROF_GUEST_LAYOUT_F_PTI    0x2

#define VMMPROF_GUEST_LAYOUTS_MAX     1024
#define VMMPROF_GUEST_TASK_MAX	      65536 /* sizeof(struct task_struct) */

/*
 * What is to be known of a Linux kernel to read who runs: from the kernel's GS
 * base, which is in the register or in MSR_KERNEL_GS_BASE, to the pointer to the
 * running task, and from there to its members.
 */
struct vmmprof_guest_layout {
	__u32 size;
	__u32 pid;   /* tgid of the VMM, initial PID namespace: all its VMs */
	__u32 flags; /* VMMPROF_GUEST_LAYOUT_F_* */
	__u32 reserved;
	/*
	 * added to the GS base, modulo 2^64: the address that kallsyms has of
	 * current_task (or of pcpu_hot, plus the member's offset)
	 */
	__u64 current_task;
	/* offsets in struct task_struct, below GUEST_TASK_MAX */
	__u32 task_tgid; /* multiples of 4 */
	__u32 task_pid;
	__u32 task_mm; /* multiples of 8 */
	__u32 task_comm;
	__u32 task_flags; /* a multiple of 4; VMMPROF_NONE: not known */
	__u32 task_start; /* start_time, a multiple of 8; NONE: not known */
};

#define VMMPROF_MEMSLOTS_MAX 4096

/* Guest physical memory that is mapped in the VMM. */
struct vmmprof_memslot {
	__u64 gpa;
	__u64 bytes;
	__u64 hva;   /* where the VMM has it */
	__u32 flags; /* KVM_MEM_* */
	__u32 reserved;
};

struct vmmprof_memslots {
	__u32 size;
	__u32 pid;	  /* tgid of the VMM */
	__u32 nr;	  /* in: room for 1..MEMSLOTS_MAX; out: copied */
	__u32 total;	  /* out: nr, or more: there are others */
	__u64 to;	  /* in: user address of struct vmmprof_memslot[] */
	__u64 generation; /* out: changes when they change */
	__u64 tsc;	  /* out: when */
};

struct vmmprof_widen {
	__u32 size;
	__u32 factor; /* 2 or more */
};

#define VMMPROF_IOC_MAGIC 'V'
#define VMMPROF_IOC_INFO  _IOWR(VMMPROF_IOC_MAGIC, 0xe0, struct vmmprof_info)
#define VMMPROF_IOC_SETUP _IOWR(VMMPROF_IOC_MAGIC, 0xe1, struct vmmprof_setup)
#define VMMPROF_IOC_START _IO(VMMPROF_IOC_MAGIC, 0xe2)
#define VMMPROF_IOC_STOP  _IO(VMMPROF_IOC_MAGIC, 0xe3)
#define VMMPROF_IOC_CPU_STAT \
	_IOWR(VMMPROF_IOC_MAGIC, 0xe4, struct vmmprof_cpu_stat)
#define VMMPROF_IOC_LAYOUT _IOWR(VMMPROF_IOC_MAGIC, 0xe5, struct vmmprof_layout)
#define VMMPROF_IOC_KVM	   _IOWR(VMMPROF_IOC_MAGIC, 0xe6, struct vmmprof_kvm)
#define VMMPROF_IOC_EXITS  _IOWR(VMMPROF_IOC_MAGIC, 0xe7, struct vmmprof_exits)
#define VMMPROF_IOC_GUEST_LAYOUT \
	_IOWR(VMMPROF_IOC_MAGIC, 0xe8, struct vmmprof_guest_layout)
#define VMMPROF_IOC_MEMSLOTS \
	_IOWR(VMMPROF_IOC_MAGIC, 0xe9, struct vmmprof_memslots)
#define VMMPROF_IOC_WIDEN     _IOWR(VMMPROF_IOC_MAGIC, 0xea, struct vmmprof_widen)

/*
 * Two mappings a ring.  Offset OFF_RING(cpu), length one page + ring_size,
 * read-only: struct vmmprof_ring_head in the first page, then the data.
 * Offset OFF_TAIL(cpu), length one page, read-write: struct vmmprof_ring_tail.
 */
#define VMMPROF_OFF_RING(cpu) ((__u64)(cpu) << 32)
#define VMMPROF_OFF_TAIL(cpu) ((__u64)(cpu) << 32 | 0x80000000u)

/* Written by the module. */
struct vmmprof_ring_head {
	__u64 head;    /* bytes ever written; load with acquire */
	__u64 lost;    /* samples lost so far */
	__u64 samples; /* samples written so far */
	__u32 size;    /* data bytes, a power of two */
	__u32 reserved;
	__u64 spent; /* SETUP_F_SPENT: ticks of the TSC in callbacks so far */
};

/* Written by the reader. */
struct vmmprof_ring_tail {
	__u64 tail; /* bytes ever read; store with release */
};

_Static_assert(sizeof(struct vmmprof_info) == 64, "ABI size");
_Static_assert(sizeof(struct vmmprof_event) == 24, "ABI size");
_Static_assert(sizeof(struct vmmprof_setup) == 248, "ABI size");
_Static_assert(sizeof(struct vmmprof_cpu_stat) == 368, "ABI size");
_Static_assert(sizeof(struct vmmprof_layout_member) == 64, "ABI size");
_Static_assert(sizeof(struct vmmprof_layout) == 3080, "ABI size");
_Static_assert(sizeof(struct vmmprof_kvm) == 16, "ABI size");
_Static_assert(sizeof(struct vmmprof_exit) == 432, "ABI size");
_Static_assert(sizeof(struct vmmprof_exits) == 32, "ABI size");
_Static_assert(sizeof(struct vmmprof_guest_layout) == 48, "ABI size");
_Static_assert(sizeof(struct vmmprof_memslot) == 32, "ABI size");
_Static_assert(sizeof(struct vmmprof_memslots) == 40, "ABI size");
_Static_assert(sizeof(struct vmmprof_widen) == 8, "ABI size");
_Static_assert(sizeof(struct vmmprof_ring_head) == 40, "ABI size");

#endif /* VMMPROF_IOCTL_H */
