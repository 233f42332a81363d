/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * One step from a frame to its caller, by a rule of sym/unwind_table.
 *
 * Follows unwind_next_frame() of arch/x86/kernel/unwind_orc.c; rules of user
 * code follow the x86-64 psABI ("DWARF Register Number Mapping", "Unwinding
 * Through Assembler Code").
 */
#ifndef SYM_UNWIND_H
#define SYM_UNWIND_H

#include <stdbool.h>
#include <linux/types.h>

#include <vmmprof/maps.h>

struct unwind_regs {
	__u64 ip;
	__u64 sp;
	__u64 bp;
	bool has_bp; /* bp is known */
	/*
	 * ip was interrupted: it is the instruction itself.  Else it is a
	 * return address, and the call may be a function's last instruction.
	 */
	bool exact;
};

/* What a step gave.  All but STEP and DONE: the chain is broken here. */
enum unwind_result {
	UNWIND_STEP = 0,   /* the registers are the caller's */
	UNWIND_DONE,	   /* there is no caller */
	UNWIND_NO_RULE,	   /* no table has this address */
	UNWIND_UNKNOWN,	   /* its table says that it cannot be unwound */
	UNWIND_REGISTER,   /* needs a register that is not recorded */
	UNWIND_EXPRESSION, /* needs a DWARF expression of no known form */
	UNWIND_NO_BP,	   /* needs RBP, which is not known here */
	UNWIND_NO_WORD,	   /* needs a word of the stack that is not recorded */
	UNWIND_NO_IP,	   /* of those the IP that was interrupted */
	UNWIND_BACKWARDS,  /* the caller's stack pointer is not above */
	UNWIND_NR,
};

/* For `[broken: why]`; a few plain words. */
const char *unwind_result_text(enum unwind_result r);

/* A word (8 bytes) of the stack.  True: *value is it. */
typedef bool (*unwind_read_fn)(void *arg, __u64 addr, __u64 *value);

/* The address of @regs to look up a rule by: of the call that is under way. */
static inline __u64 unwind_lookup(const struct unwind_regs *regs)
{
	return regs->exact ? regs->ip : regs->ip - 1;
}

/*
 * From a frame to its caller: @rule is that of unwind_lookup(@regs), NULL: there
 * is none.  @regs changes only with UNWIND_STEP.  Chains may leave one stack for
 * another one, so nothing ends a loop: the caller bounds their depth.  A word of
 * the caller's IP or SP that cannot be read ends the chain; one of its BP only
 * makes has_bp false.
 */
enum unwind_result unwind_step(const struct vmmprof_unwind_rule *rule,
			       struct unwind_regs *regs, unwind_read_fn read,
			       void *arg);

#endif /* SYM_UNWIND_H */
