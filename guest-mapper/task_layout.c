// SPDX-License-Identifier: GPL-2.0-only
/*
 * The pointer to the running task is the per-CPU variable current_task, or, from
 * 6.2 to 6.14, a member of pcpu_hot.  What kallsyms has as a per-CPU variable's
 * address is added to the base of GS (arch/x86/include/asm/percpu.h).
 */
#include <vmmprof/record.h>

#include "format/item_writer.h"
#include "format/task_layout.h"
#include "kernel_symbols.h"
#include "os/btf.h"
#include "task_layout.h"

static __u32 member(const struct btf *btf, const char *name)
{
	int offset = btf_offset(btf, "task_struct", name);

	return offset < 0 ? VMMPROF_NONE : (__u32)offset;
}

static __u64 find_current(const struct btf *btf)
{
	struct kernel_symbol syms[] = { { "current_task", 0 },
					{ "pcpu_hot", 0 } };
	int at = btf_offset(btf, "pcpu_hot", "current_task");

	if (kernel_symbols(syms, 2))
		return 0;
	if (syms[0].addr)
		return syms[0].addr;
	return syms[1].addr && at >= 0 ? syms[1].addr + at : 0;
}

int task_layout_write(struct item_writer *w, const struct btf *btf)
{
	struct vmmprof_guest_layout l = {
		.current_task = find_current(btf),
		.task_tgid = member(btf, "tgid"),
		.task_pid = member(btf, "pid"),
		.task_mm = member(btf, "mm"),
		.task_comm = member(btf, "comm"),
		.task_flags = member(btf, "flags"),
		.task_start = member(btf, "start_time"),
	};
	char text[TASK_LAYOUT_TEXT];

	if (!l.current_task || l.task_tgid == VMMPROF_NONE ||
	    l.task_pid == VMMPROF_NONE || l.task_mm == VMMPROF_NONE ||
	    l.task_comm == VMMPROF_NONE)
		return 0;
	task_layout_format(&l, text, sizeof(text));
	return item_text(w, TASK_LAYOUT_KEY, "%s", text);
}
