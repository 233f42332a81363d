/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the BPF programs (birth.bpf.c) send: an event of an address space and
 * of a kernel stack.  Also what a snapshot of all tasks consists of.
 */
#ifndef VMMPROF_BIRTH_EVENT_H
#define VMMPROF_BIRTH_EVENT_H

#include <linux/types.h>

struct birth_event {
	__u64 ns;    /* CLOCK_MONOTONIC */
	__u64 pgd;   /* kernel address of the page table's root, 0: none */
	__u64 stack; /* lowest address of the kernel stack, 0: none to tell */
	__u32 op;    /* enum vmmprof_op */
	__u32 pid;   /* tgid */
	__u32 tid;
	__u32 flags; /* VMMPROF_PROC_F_* */
	char comm[16];
};

/* Of each of these there are two programs, see birth.bpf.c. */
enum birth_hook { HOOK_FORK, HOOK_EXEC, HOOK_RENAME, HOOK_MMDROP, NR_HOOKS };

/* What the programs count, in the map of their variables. */
struct birth_counts {
	__u64 lost; /* events that did not fit into the ring */
	/* runs that sent an event, without those that found it sent */
	__s64 alone[NR_HOOKS];
};

#define PEEK_MAX 4 /* variables of the kernel that are read at a time */

#endif /* VMMPROF_BIRTH_EVENT_H */
