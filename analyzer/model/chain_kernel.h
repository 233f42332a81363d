/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Who called the code of a guest's kernel: from the words of its stack that a
 * CHAIN record has (C_WORDS) to return addresses, by the kernel's own rules.
 */
#ifndef MODEL_CHAIN_KERNEL_H
#define MODEL_CHAIN_KERNEL_H

#include <stdbool.h>
#include <stddef.h>

#include <vmmprof/record.h>

#include "sym/unwind.h"

/* The rule of an address of the kernel; NULL: there is none. */
typedef const struct vmmprof_unwind_rule *(*chain_rule_fn)(void *arg,
							   __u64 addr);

/*
 * Does the code at @at jump by a return to @to, where a function begins?  Then
 * that is no return address.
 */
typedef bool (*chain_jump_fn)(void *arg, __u64 at, __u64 to);

/* What was interrupted, and its stack. */
struct chain_kernel_from {
	__u64 ip; /* vmmprof_rec_sample.guest_ip */
	__u64 sp; /* .guest_rsp */
	__u64 bp; /* vmmprof_chain_regs.bp */
	bool has_bp;
	const __u64 *words;  /* the record's kernel part */
	size_t nr_words;     /* at most VMMPROF_CHAIN_WORDS, more are ignored */
	__u8 end;	     /* vmmprof_rec_chain.end_kernel */
	chain_jump_fn jumps; /* NULL: none does */
};

struct chain_kernel {
	__u64 ip[VMMPROF_CHAIN_DEPTH]; /* innermost first; not from.ip */
	/* the frame was interrupted: no return address, but what would run */
	bool exact[VMMPROF_CHAIN_DEPTH];
	unsigned int nr;
	/*
	 * UNWIND_DONE: all are there, up to user mode or the thread's first
	 * function; UNWIND_STEP: there is no room for more; else why not
	 */
	enum unwind_result end;
};

/* Pure; cannot fail.  The words may be anybody's. */
void chain_kernel(const struct chain_kernel_from *from, chain_rule_fn rule,
		  void *arg, struct chain_kernel *ret);

#endif /* MODEL_CHAIN_KERNEL_H */
