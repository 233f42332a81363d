/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the tiny VM runs: 64-bit code that takes its parameters from memory and
 * goes round, through loops of a known length at known addresses, under known
 * page tables and privilege levels, with a known number of exits.  A second piece of
 * it halts until its timer wakes it, and measures that by its own clock.  guest.c
 * has the code; it is copied into the VM's memory.
 */
#ifndef SELFTEST_GUEST_H
#define SELFTEST_GUEST_H

#include <stddef.h>
#include <linux/types.h>

/* Where the VM's memory is mapped, for kernel and user mode, under both CR3. */
#define GUEST_KERNEL	   0xffffffff9e400000ull
#define GUEST_USER	   0x00005e1f7e400000ull
#define GUEST_BYTES	   0x10000

/* Guest physical; the same offsets lie behind both of the above. */
#define GUEST_CR3_A	   0x1000 /* page tables */
#define GUEST_CR3_B	   0x2000
#define GUEST_CODE	   0x7000
#define GUEST_KERNEL_STACK 0x9f00 /* its end */
#define GUEST_USER_STACK   0xdf00
#define GUEST_PARAMS	   0xe000
#define GUEST_GDT	   0xe400
#define GUEST_IDT	   0xe800

#define GUEST_TIMER	   0x20 /* vector */

#define GUEST_END_PORT	   0x81 /* where it stops */

enum guest_loop {
	GUEST_LOOP_A, /* CPL 0, CR3 A */
	GUEST_LOOP_B, /* CPL 0, CR3 B */
	GUEST_LOOP_U, /* CPL 3, CR3 B */
	GUEST_LOOPS
};

/* Of one round, and of all so far. */
struct guest_params {
	__u64 cr3[2];
	__u64 length[GUEST_LOOPS]; /* of the loops, of equally long steps */
	__u64 kernel_sp;	   /* the guest's own */
	__u64 user_ip, user_sp;
	__u64 cpuids, outs, hlts; /* a round, each at least 1 */
	__u64 rounds;		  /* counted by the guest */
	__u64 stop;		  /* ends with this round */
	/* of code that halts */
	__u64 timer; /* until its timer wakes it; ns, as KVM's APIC counts */
	__u64 halts; /* counted by the guest */
	__u64 halted; /* ticks of its TSC, from setting the timer to behind HLT */
};

/* Part of its code, as offsets from GUEST_CODE. */
struct guest_part {
	__u32 from, to;
};

#define GUEST_FRAMES 4 /* return addresses of a loop, at most */

struct guest_code {
	const void *bytes;
	size_t size;
	__u32 entry, syscall, user; /* offsets */
	__u32 halting, interrupt;   /* of code that halts */
	struct guest_part loop[GUEST_LOOPS];
	struct guest_part exits; /* CPUID, OUT and HLT */
	/* of each loop the return addresses on its stack, innermost first */
	__u32 nr_frames[GUEST_LOOPS];
	__u32 frame[GUEST_LOOPS][GUEST_FRAMES];
};

void guest_code(struct guest_code *ret);

#endif /* SELFTEST_GUEST_H */
