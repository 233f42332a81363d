// SPDX-License-Identifier: GPL-2.0-only
/*
 * context_switch() of kernel/sched/core.c loads the next task's page table, then
 * its stack: between the two the stack is still that of the task before.
 * begin_new_exec() of fs/exec.c changes the memory of a task that has the
 * registers of its program before until the new one starts.  do_exit() of
 * kernel/exit.c gives it up: if another task runs in between, the CPU has that one's
 * page table afterwards, too ("lazy TLB", Documentation/mm/active_mm.rst).
 */

#include <string.h>

#include "model/chain_switch.h"

static const struct {
	const char *name;
	enum chain_switch_code code;
} codes[CHAIN_SWITCHES] = {
	{ "__schedule", CHAIN_CODE_SCHEDULE },
	/* loads the page table (arch/x86/mm/tlb.c) */
	{ "switch_mm_irqs_off", CHAIN_CODE_LOADS },
	/* begins on the stack of the task before */
	{ "__switch_to_asm", CHAIN_CODE_STACKS },
	{ "begin_new_exec", CHAIN_CODE_EXEC },
	{ "load_elf_binary", CHAIN_CODE_EXEC },
	{ "do_exit", CHAIN_CODE_EXIT },
};

int chain_switch_names(struct chain_names *n, struct resolver *r)
{
	size_t i;
	int err = 0;

	for (i = 0; i < CHAIN_SWITCHES && !err; i++)
		err = strings_add(&r->strings, codes[i].name,
				  strlen(codes[i].name), &n->switches[i]);
	return err;
}

static unsigned int code_of(const struct chain_frame *c,
			    const struct chain_names *n)
{
	size_t i;

	if (c->kind == FRAME_CODE && c->func != VMMPROF_NONE)
		for (i = 0; i < CHAIN_SWITCHES; i++)
			if (c->func == n->switches[i])
				return codes[i].code;
	return 0;
}

unsigned int chain_switch_end(const struct chain_frames *f, size_t first,
			      const struct chain_names *n,
			      const struct resolve_space *in, bool *pc)
{
	unsigned int code, seen = 0, leaf = 0;
	size_t i;

	for (i = first; i < f->nr; i++) {
		code = code_of(&f->frame[i], n);
		seen |= code;
		if (i == first)
			leaf = code;
	}
	*pc = false;
	if (seen & CHAIN_CODE_EXEC)
		return CHAIN_EXEC;
	/* of the host's stacks the module reads only the own process's */
	if (!in->machine || in->same)
		return VMMPROF_END_DONE;
	*pc = in->other;
	if (in->other && seen & CHAIN_CODE_SCHEDULE)
		return CHAIN_SWITCH;
	if (leaf & (CHAIN_CODE_SCHEDULE | CHAIN_CODE_STACKS) ||
	    seen & (CHAIN_CODE_LOADS | CHAIN_CODE_EXIT))
		return CHAIN_SWITCH;
	return VMMPROF_END_DONE;
}
