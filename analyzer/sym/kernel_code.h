/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Functions of an x86 kernel that chains of calls have to know by their names:
 * stacks are not those of calls there.
 */
#ifndef SYM_KERNEL_CODE_H
#define SYM_KERNEL_CODE_H

#include <stdbool.h>

#include "sym/kallsyms.h"

enum kernel_code {
	KCODE_PLAIN = 0,
	/* what is below its frame was interrupted, and has called nothing */
	KCODE_ENTRY,
	/* called by KCODE_ENTRY; once it has saved the registers, like it */
	KCODE_SAVES,
	/* a jump to where a register points (arch/x86/lib/retpoline.S) */
	KCODE_JUMP,
	/* a return, also of KCODE_JUMP to where it jumps */
	KCODE_RETURN,
	/* where a task begins: the address of its first byte is on its stack */
	KCODE_BEGINS,
};

/* What the code of the symbol is; @s may be NULL. */
enum kernel_code kernel_code_of(const struct ksym *s);

/*
 * Was it made while the kernel runs?  What rules there are for its addresses are those
 * of a module's first code, which was there before.  @s may be NULL.
 */
bool kernel_code_made(const struct ksym *s);

/*
 * Behind this many bytes KCODE_JUMP has pushed a word that is no return address.
 * Up to there it may be `lfence; jmp` or the like, and pushes nothing.
 */
#define KCODE_JUMP_PUSHED 5

#endif /* SYM_KERNEL_CODE_H */
