/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Code of the running kernel and its modules, out of /proc/kcore: functions
 * that /proc/kallsyms has, of the kernel between _stext and _etext (the code of
 * its start is memory for anything by now), and no byte beside them.
 */
#ifndef VMMPROF_GUEST_CODEKERNEL_H
#define VMMPROF_GUEST_CODEKERNEL_H

#include <stdbool.h>

#include <vmmprof/record.h>
#include <vmmprof/maps.h>

#include "format/code_list.h"
#include "kcore.h"

struct code_kernel {
	struct kcore kcore;
	struct code_kernel_func {
		__u64 addr;
		__u64 next; /* address of the next symbol, ~0: none */
		__u64 module, next_module; /* of which module, as numbers */
		bool text;		   /* a function begins at addr */
	} funcs[VMMPROF_CODE_RANGES];	   /* by addr */
	size_t nr;
	__u64 stext, etext; /* 0: not met */
	bool open;
};

/*
 * Look for the functions of @nr ranges; without any, or if nothing may be read,
 * there is nothing to read then.
 */
void code_kernel_open(struct code_kernel *k, const struct code_want *wants,
		      size_t nr);
void code_kernel_close(struct code_kernel *k);

/*
 * Up to want->size bytes of the function at want->addr.  How many; -ENOENT: no
 * function begins there; or -errno.
 */
int code_kernel_read(const struct code_kernel *k, const struct code_want *want,
		     void *buf);

/* A line of /proc/kallsyms, and after the last one; for tests. */
void code_kernel_line(struct code_kernel *k, const char *line);
void code_kernel_last(struct code_kernel *k);

#endif /* VMMPROF_GUEST_CODEKERNEL_H */
