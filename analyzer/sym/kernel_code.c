// SPDX-License-Identifier: GPL-2.0-only
/*
 * Names of 5.10 to 7.x: arch/x86/lib/retpoline.S, and DECLARE_IDTENTRY and what
 * is like it in arch/x86/include/asm/idtentry.h; labels of
 * arch/x86/entry/entry_64.S behind which a frame of an interrupt is left.
 */

#include <string.h>

#include "sym/kernel_code.h"

struct name {
	const char *part; /* begins with it; with '*' before: has it */
	enum kernel_code code;
};

static const struct name names[] = {
	{ "*return_thunk", KCODE_RETURN },
	{ "*_safe_ret", KCODE_RETURN },
	{ "__x86_indirect_", KCODE_JUMP },
	{ "__x86_retpoline_", KCODE_JUMP },
	{ "__indirect_thunk_start", KCODE_JUMP },
	{ "asm_sysvec_", KCODE_ENTRY },
	{ "asm_exc_", KCODE_ENTRY },
	{ "asm_common_interrupt", KCODE_ENTRY },
	{ "asm_spurious_interrupt", KCODE_ENTRY },
	{ "asm_fred_", KCODE_ENTRY },
	{ "common_interrupt_return", KCODE_ENTRY },
	{ "restore_regs_and_return_to_kernel", KCODE_ENTRY },
	{ "__irqentry_text_end", KCODE_ENTRY }, /* common_interrupt_return */
	{ "early_xen_iret_patch", KCODE_ENTRY },
	{ "error_entry", KCODE_SAVES },
	{ "paranoid_entry", KCODE_SAVES },
	{ "error_return", KCODE_ENTRY },
	{ "paranoid_exit", KCODE_ENTRY },
	{ "native_iret", KCODE_ENTRY },
	{ "ret_from_fork", KCODE_BEGINS }, /* copy_thread(); _asm since 6.6 */
	{ "native_irq_return_", KCODE_ENTRY },
};

static bool has(const struct ksym *s, const char *part)
{
	size_t len;

	if (*part == '*')
		return memmem(s->name, s->name_len, part + 1, strlen(part + 1));
	len = strlen(part);
	return s->name_len >= len && !memcmp(s->name, part, len);
}

/*
 * What /proc/kallsyms has as their modules: get_ksymbol_bpf() and
 * get_ksymbol_kprobe() of kernel/kallsyms.c, FTRACE_TRAMPOLINE_MOD of
 * kernel/trace/ftrace.c.
 */
bool kernel_code_made(const struct ksym *s)
{
	static const char *const modules[] = { "bpf", "__builtin__ftrace",
					       "__builtin__kprobes" };
	size_t i;

	if (!s || !s->module)
		return false;
	for (i = 0; i < sizeof(modules) / sizeof(*modules); i++)
		if (s->module_len == strlen(modules[i]) &&
		    !memcmp(s->module, modules[i], s->module_len))
			return true;
	return false;
}

enum kernel_code kernel_code_of(const struct ksym *s)
{
	size_t i;

	if (s && !s->module)
		for (i = 0; i < sizeof(names) / sizeof(*names); i++)
			if (has(s, names[i].part))
				return names[i].code;
	return KCODE_PLAIN;
}
